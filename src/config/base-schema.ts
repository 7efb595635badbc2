// The schema of the base sections: what the program itself needs, whatever its sources and sinks are.

import { API } from './api.ts';
import { choice, duration, item, list, optionalPath, path, plainName, section, size } from './schema-parts.ts';
import { SILENCES } from './silences.ts';

const link = (description: string, from: string, to: string) =>
  list(
    description,
    item(
      {
        from: { type: 'string', description: 'Component as type/id.', maxLength: 512, examples: [from] },
        to: { type: 'string', description: 'Component as type/id.', maxLength: 512, examples: [to] },
      },
      ['from', 'to'],
    ),
    100_000,
  );

/** Before the sources. */
export const ABOUT_THE_HOST = {
  host: {
    type: 'string',
    description: "Name of this host in component ids; the system's host name when left out.",
    ...plainName(253),
    examples: ['node-3'],
  },
  directories: section('Where Faultline keeps things; systemd or the user decides when left out.', {
    state: optionalPath('State, spool, the lock of the instance.', '/var/lib/faultline'),
    log: optionalPath('The incident log.', '/var/log/faultline'),
    runtime: optionalPath('The local socket.', '/run/faultline'),
  }),
  roots: section("Where the host's file systems are, for containers and tests.", {
    proc: path('procfs.', '/proc'),
    sys: path('sysfs.', '/sys'),
  }),
} as const;

/** Between the sources and the sinks. */
export const ABOUT_INCIDENTS = {
  topology: section('What feeds and runs what, as far as the host cannot show it.', {
    feeds: link(
      'Power flows from → to. psu/<host>/<n> feeds host/<host> without being written.',
      'pdu_phase/pdu-b/1',
      'psu/node-3/1',
    ),
    csv: optionalPath(
      'A table of what feeds what, as CSV: columns from,to with components, or pdu,outlet,host,psu.',
      '/etc/faultline/racks.csv',
    ),
    runs: link('Work "to" runs on "from".', 'host/node-3', 'job/llama-70b'),
  }),
  correlation: section('How events become incidents.', {
    lateness: duration('Events later than this against the newest one are history, not news.', '30s', '1s', '1h'),
    hold: duration('How long everything must be clear before an incident is resolved.', '30s', '1s', '24h'),
  }),
  incidents: section('Caps of the incident log.', {
    max_bytes: size('Size of one log file before it rotates.', '64MiB', '64KiB', '16GiB'),
    max_files: { type: 'integer', description: 'Rotated files kept.', minimum: 1, maximum: 1000, default: 10 },
    max_age: duration('Rotated files older than this are deleted.', '90d', '1h', '3650d'),
  }),
  impact: section('What an incident costs: GPU-hours are counted without it.', {
    gpu_hour_rate: {
      type: 'number',
      description: 'Price of one GPU for one hour; no cost is given when left out.',
      minimum: 0,
      maximum: 1_000_000,
      examples: [2.5],
    },
    currency: {
      type: 'string',
      description: 'Currency of the price, three letters of ISO 4217.',
      pattern: '^[A-Z]{3}$',
      form: 'a currency of three capital letters',
      default: 'USD',
      examples: ['EUR'],
    },
  }),
  inject: section('Made-up faults that root asks for: faultline inject.', {
    enabled: choice(
      'Whether the daemon takes them. Only root and its own user can ask, and all that comes of it is marked; off where made-up incidents may not reach production.',
      ['on', 'off'],
      'on',
    ),
  }),
  silences: SILENCES,
  api: API,
  simulated: {
    type: 'boolean',
    description:
      'All that is watched is made up, as in the demo: titles begin with [simulated], exports carry faultline.simulated.',
    default: false,
  },
  shadow: {
    type: 'boolean',
    description:
      'Shadow mode: all is read, judged and kept in the incident log of this host, and nothing is sent: no export, no notification. What others come to fetch (prometheus) stays, marked with faultline_shadow.',
    default: false,
  },
  record: section('Keep what the sources saw, for `faultline replay`.', {
    path: optionalPath('File to record into; nothing is recorded when left out.', '/var/lib/faultline/record.jsonl'),
    max_bytes: size('Recording stops at this size.', '256MiB', '64KiB', '64GiB'),
  }),
} as const;

/** After the sinks. */
export const ABOUT_THE_LOG = {
  log_level: choice("Level of Faultline's own log.", ['trace', 'debug', 'info', 'warn', 'error'], 'info'),
} as const;

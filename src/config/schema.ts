// The configuration schema: the one source of truth for validation, types, defaults, `config schema` and the docs.

import { JOB_FRAMEWORKS } from './config.ts';
import { bmcs } from './schema-bmc.ts';
import { flightRecorder } from './schema-flight-recorder.ts';
import { cpu, hwmon, nic, pci } from './schema-hardware.ts';
import { impact } from './schema-impact.ts';
import { otlp } from './schema-otlp.ts';
import {
  choice,
  duration,
  enabled,
  type FromSchema,
  item,
  list,
  optionalPath,
  path,
  section,
  size,
} from './schema-parts.ts';
import { prometheus } from './schema-prometheus.ts';
import { system } from './schema-system.ts';

/** An address or a name, with or without brackets; no URL, and nobody's name and password before an "@". */
const HOST_PATTERN = '^[^\\s/@?#]{1,253}$';

const snmpUser = item(
  {
    name: { type: 'string', description: 'SNMPv3 user name.', minLength: 1, maxLength: 32, examples: ['faultline'] },
    level: choice('Security level.', ['noAuthNoPriv', 'authNoPriv', 'authPriv'], 'authPriv'),
    auth_protocol: choice('Authentication.', ['md5', 'sha', 'sha224', 'sha256', 'sha384', 'sha512'], 'sha256'),
    auth_key_file: optionalPath('File with the authentication passphrase.', '/etc/faultline/pdu-auth.key'),
    priv_protocol: choice('Encryption.', ['des', 'aes', 'aes256b', 'aes256r'], 'aes'),
    priv_key_file: optionalPath('File with the privacy passphrase.', '/etc/faultline/pdu-priv.key'),
  },
  ['name'],
);

const pdu = item(
  {
    name: {
      type: 'string',
      description: 'Name of the PDU; its parts are named pdu_phase/<name>/1 and so on.',
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
      examples: ['pdu-b-rack-14'],
    },
    host: {
      type: 'string',
      description: 'Address or host name.',
      pattern: HOST_PATTERN,
      examples: ['10.0.14.2'],
    },
    port: { type: 'integer', description: 'UDP port.', minimum: 1, maximum: 65535, default: 161 },
    version: choice('SNMP version.', ['1', '2c', '3'], '2c'),
    community: {
      type: 'string',
      description: `Community for versions 1 and 2c, from a variable: \${PDU_COMMUNITY}. Only "public" may be written out.`,
      minLength: 1,
      maxLength: 255,
      secret: true,
      examples: [`\${PDU_COMMUNITY}`],
    },
    community_file: optionalPath('File with the community for versions 1 and 2c.', '/etc/faultline/pdu-community'),
    user: { ...snmpUser, description: 'SNMPv3 user; needed for version 3.' },
    interval: duration('Time between two reads.', '2s', '500ms', '1h'),
    timeout: duration('Time to wait for one answer.', '1s', '50ms', '1m'),
    retries: { type: 'integer', description: 'Further tries after a time-out.', minimum: 0, maximum: 10, default: 1 },
  },
  ['name', 'host'],
);

const serviceLog = item(
  {
    service: {
      type: 'string',
      description: 'Name of the service; the component is service/<name>.',
      pattern: '^[^\\s/]{1,128}$',
      examples: ['llama-api'],
    },
    path: optionalPath('Log file that the server writes.', '/var/log/services/llama-api.log'),
  },
  ['service', 'path'],
);

const jobLog = item(
  {
    job: {
      type: 'string',
      description: 'Job id; the component is job/<id>.',
      pattern: '^[^\\s/]{1,128}$',
      examples: ['llama-70b'],
    },
    path: optionalPath('Log file that the job writes.', '/var/log/jobs/llama-70b.log'),
    framework: choice(
      "Whose progress lines to expect; auto reads all of them. transformers is also Axolotl's, LLaMA-Factory's and ms-swift's.",
      JOB_FRAMEWORKS,
      'auto',
    ),
    ranks: {
      type: ['string', 'array'],
      description: 'Global ranks on this host: a list, or text such as "16-23" or "0-3,8". Unknown when left out.',
      items: { type: 'integer', minimum: 0, maximum: 1_048_575 },
      maxItems: 4096,
      default: [],
      examples: ['16-23'],
    },
    world_size: {
      type: 'integer',
      description: 'Ranks of the whole job.',
      minimum: 1,
      maximum: 1_048_576,
      examples: [1024],
    },
  },
  ['job', 'path'],
);

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

export const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'faultline/config/1',
  title: 'Faultline configuration',
  type: 'object',
  additionalProperties: false,
  properties: {
    host: {
      type: 'string',
      description: "Name of this host in component ids; the system's host name when left out.",
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$',
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
    sources: section('What is read. A source that is off opens nothing.', {
      gpu: section('NVIDIA GPUs through NVML, loaded by a child process.', {
        enabled: enabled('GPUs'),
        library: path(
          'Name or path of the vendor library; a name without "/" is searched by the loader.',
          'libnvidia-ml.so.1',
        ),
        poll: choice(
          'Whether values are read: off leaves only the events that the driver tells by itself (XIDs, ECC, losses).',
          ['on', 'off'],
          'on',
        ),
        interval: duration('Time between two samples.', '500ms', '20ms', '1m'),
        burst_interval: duration('Time between two samples while something is suspected.', '100ms', '10ms', '1m'),
        call_deadline: duration(
          'A driver call that takes longer is reported and its device given up.',
          '2s',
          '50ms',
          '1m',
        ),
      }),
      cpu,
      kernel_log: section('The kernel log: XIDs, OOM, hung tasks, machine checks.', {
        enabled: enabled('The kernel log'),
        path: path('The device, or a file in the same form.', '/dev/kmsg'),
        user_lines: {
          type: 'boolean',
          description: 'Also read lines that programs wrote into the kernel log; they can be forged.',
          default: false,
        },
      }),
      system,
      nic,
      hwmon,
      pci,
      pdu: list('Power distribution units, over SNMP.', pdu, 256),
      bmc: bmcs,
      job_log: list('Logs of training jobs.', jobLog, 256),
      service_log: list('Logs of inference servers, vLLM or SGLang; the source job-log reads them.', serviceLog, 256),
      flight_recorder: flightRecorder,
    }),
    topology: section('What feeds and runs what, as far as the host cannot show it.', {
      feeds: link(
        'Power flows from → to. psu/<host>/<n> feeds host/<host> without being written.',
        'pdu_phase/pdu-b/1',
        'psu/node-3/1',
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
    impact,
    inject: section('Made-up faults that root asks for: faultline inject.', {
      enabled: choice(
        'Whether the daemon takes them. Only root and its own user can ask, and all that comes of it is marked; off where made-up incidents may not reach production.',
        ['on', 'off'],
        'on',
      ),
    }),
    simulated: {
      type: 'boolean',
      description:
        'All that is watched is made up, as in the demo: titles begin with [simulated], exports carry faultline.simulated.',
      default: false,
    },
    record: section('Keep what the sources saw, for `faultline replay`.', {
      path: optionalPath('File to record into; nothing is recorded when left out.', '/var/lib/faultline/record.jsonl'),
      max_bytes: size('Recording stops at this size.', '256MiB', '64KiB', '64GiB'),
    }),
    otlp,
    prometheus,
    log_level: choice("Level of Faultline's own log.", ['trace', 'debug', 'info', 'warn', 'error'], 'info'),
  },
} as const;

/** A validated configuration file with its defaults filled in, still in the form that people write. */
export type RawConfig = FromSchema<typeof schema>;
export type RawBmc = RawConfig['sources']['bmc'][number];
export type RawPdu = RawConfig['sources']['pdu'][number];
export type RawOtlp = RawConfig['otlp'];
export type RawJobLog = RawConfig['sources']['job_log'][number];

/** The JSON Schema (draft 7) that `config schema` prints. */
export function configSchema(): object {
  return schema;
}

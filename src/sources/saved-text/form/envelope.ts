// Envelope: a line of a log that is a JSON object: the journal's, Docker's, or what a collector of logs wrote.

import { loggedFields, loggedMessage, loggedRank } from '../../../detection/text/logged-json.ts';
import type { RankLabel } from '../../../model/rank-label.ts';
import { ISO, type Stamp, wallStamp } from './stamp.ts';

/** `kubectl logs --timestamps` puts a time before the object. */
const DATED = new RegExp(String.raw`^${ISO}[ \t]+(?=\{")`);
/** 2001 in seconds, and 2286 in milliseconds. */
const EARLIEST_S = 1e9;
const LATEST_MS = 1e13;
/** Docker cuts a line after 16 KiB, and ends only the last of its parts with a newline; a character has four bytes at most. */
const LEAST_PART = 4096;

export interface Envelope {
  readonly form: string;
  readonly message: string;
  readonly stamp: Stamp | null;
  readonly host: string | null;
  readonly kernel: boolean | null;
  readonly facility: number | null;
  /** Which wrote it, as a syslog names it; null where the object does not say so, or the kernel did. */
  readonly program: string | null;
  /** The rank of a job that wrote it; null where the object says none. */
  readonly rank: RankLabel | null;
  /** The rest of the line follows in the next object. */
  readonly part: boolean;
}

const TIMES = ['time', 'timestamp', '@timestamp', 'ts', 'asctime', 'datetime', 'date', 't', 'receiveTimestamp', 'record.time.timestamp', 'record.time.repr']; // biome-ignore format: one line
const HOSTS = [
  '_HOSTNAME',
  'host',
  'hostname',
  'node',
  'kubernetes.host',
  'kubernetes.node_name',
  'host.name',
  'nodeName',
  'node_name',
  'nodename',
  'labels.node_name',
  'labels.host',
  'labels.hostname',
  'extra.host',
  'extra.hostname',
  'extra.node',
  'fields.host',
  'fields.hostname',
  'record.extra.host',
  'record.extra.hostname',
  'record.extra.node',
  'attributes.host',
  'resource.host.name',
  'host.hostname',
];

/** Of a record of the journal, who wrote it: one without these was taken out of it by its message alone. */
const WRITERS = ['_TRANSPORT', 'SYSLOG_IDENTIFIER', 'SYSLOG_FACILITY', '_COMM', '_PID'];

/** Null where the line is not such an object, or none with a message. */
export function readEnvelope(text: string): Envelope | null {
  const outside = DATED.exec(text)?.[0] ?? '';
  const fields = loggedFields(text.slice(outside.length));
  const message = fields === null ? null : loggedMessage(fields);
  if (fields === null || message === null) return null;
  const journal = fields.has('MESSAGE');
  const kernel = fields.get('_TRANSPORT') === 'kernel';
  const docker = !journal && fields.has('log') && fields.has('stream');
  const host = first(fields, HOSTS, (value) => (typeof value === 'string' && value !== '' ? value : null));
  return {
    form: journal ? 'journal_json' : docker ? 'docker_json' : 'json',
    message: message.replace(/\r?\n$/, ''),
    stamp:
      (journal ? micros(fields.get('_SOURCE_REALTIME_TIMESTAMP') ?? fields.get('__REALTIME_TIMESTAMP')) : null) ??
      first(fields, TIMES, stampOf) ??
      wallStamp(outside.trim()),
    host,
    kernel: journal && WRITERS.some((name) => fields.has(name)) ? kernel : null,
    facility: journal ? Number(fields.get('SYSLOG_FACILITY') ?? (kernel ? 0 : 1)) || 0 : null,
    program: journal && !kernel ? programOf(fields) : null,
    rank: journal ? null : loggedRank(fields),
    part: docker && message.length >= LEAST_PART && !message.endsWith('\n'),
  };
}

/** Process 1 is "systemd[1]", since every user may have a systemd. */
function programOf(fields: ReadonlyMap<string, unknown>): string | null {
  const name = fields.get('SYSLOG_IDENTIFIER') ?? fields.get('_COMM');
  if (typeof name !== 'string' || name === '') return null;
  return name === 'systemd' && String(fields.get('_PID')) === '1' ? 'systemd[1]' : name;
}

function first<T>(
  fields: ReadonlyMap<string, unknown>,
  names: readonly string[],
  read: (value: unknown) => T | null,
): T | null {
  for (const name of names) {
    const value = read(fields.get(name));
    if (value !== null) return value;
  }
  return null;
}

function micros(value: unknown): Stamp | null {
  const us = Number(typeof value === 'string' ? value : Number.NaN);
  return Number.isFinite(us) ? { kind: 'wall', utcMs: us / 1000, digits: 6, zoned: true, yearless: false } : null;
}

function stampOf(value: unknown): Stamp | null {
  if (typeof value === 'string') return wallStamp(value);
  return typeof value === 'number' && value > EARLIEST_S ? sinceEpoch(value) : null;
}

/** Seconds since 1970, or thousandths, millionths or billionths of them: no log is of the years that one of these taken for another gives. */
function sinceEpoch(value: number): Stamp {
  let ms = value * 1000;
  let digits = 3;
  for (; ms > LATEST_MS; digits = Math.min(digits + 3, 9)) ms /= 1000;
  return { kind: 'wall', utcMs: ms, digits, zoned: true, yearless: false };
}

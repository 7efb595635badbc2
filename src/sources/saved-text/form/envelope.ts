// Envelope: a line of a log that is a JSON object: the journal's, Docker's, or what a collector of logs wrote.

import type { Stamp } from './stamp.ts';
import { wallStamp } from './stamp.ts';

export interface Envelope {
  readonly form: string;
  readonly message: string;
  readonly stamp: Stamp | null;
  readonly host: string | null;
  readonly kernel: boolean | null;
  readonly facility: number | null;
  /** Which wrote it, as a syslog names it; null where the object does not say so, or the kernel did. */
  readonly program: string | null;
}

const MESSAGES = ['MESSAGE', 'log', 'message', 'msg', 'body', 'textPayload'];
const TIMES = ['time', 'timestamp', '@timestamp', 'ts'];
const HOSTS = ['_HOSTNAME', 'host', 'hostname', 'node'];

/** Null where the line is not such an object, or none with a message. */
export function readEnvelope(text: string): Envelope | null {
  if (!text.startsWith('{"')) return null;
  let entry: unknown;
  try {
    entry = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof entry !== 'object' || entry === null) return null;
  const fields = new Map<string, unknown>(Object.entries(entry));
  const message = first(fields, MESSAGES, messageText);
  if (message === null) return null;
  const journal = fields.has('MESSAGE');
  const kernel = fields.get('_TRANSPORT') === 'kernel';
  const host = first(fields, HOSTS, (value) => (typeof value === 'string' && value !== '' ? value : null));
  return {
    form: journal ? 'journal_json' : fields.has('log') && fields.has('stream') ? 'docker_json' : 'json',
    message: message.replace(/\r?\n$/, ''),
    stamp: journal
      ? micros(fields.get('_SOURCE_REALTIME_TIMESTAMP') ?? fields.get('__REALTIME_TIMESTAMP'))
      : first(fields, TIMES, stampOf),
    host,
    kernel: journal ? kernel : null,
    facility: journal ? Number(fields.get('SYSLOG_FACILITY') ?? (kernel ? 0 : 1)) || 0 : null,
    program: journal && !kernel ? programOf(fields) : null,
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

/** The journal writes what is not valid text as a list of bytes. */
function messageText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  const bytes = Array.isArray(value) && value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256);
  return bytes ? Buffer.from(value).toString('utf8') : null;
}

function micros(value: unknown): Stamp | null {
  const us = Number(typeof value === 'string' ? value : Number.NaN);
  return Number.isFinite(us) ? { kind: 'wall', utcMs: us / 1000, digits: 6, zoned: true, yearless: false } : null;
}

function stampOf(value: unknown): Stamp | null {
  return typeof value === 'string' ? wallStamp(value) : null;
}

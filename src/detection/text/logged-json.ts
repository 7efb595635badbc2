// Logged JSON: what an object says that a logger or a collector of logs wrote as one line: its message, and the traceback that it has
// in a field of its own. Two levels of objects within it are read, as "kubernetes.host" and "record.extra.rank".

import type { RankLabel } from '../../model/rank-label.ts';
import { stripAnsi } from './job/ansi.ts';

/** No line of a log that is read so is longer; what is behind is not read. */
const MOST_LENGTH = 65_536;
/** A message has so many lines at most, a traceback with it. */
export const MOST_LINES = 200;

/** Of objects within the object. */
const LEVELS = 2;

const BEGINS = /^\[?\{"/;
const MESSAGES = [
  'MESSAGE',
  'log',
  'message',
  'msg',
  'body',
  'textPayload',
  'jsonPayload.message',
  'jsonPayload.msg',
  'event',
  'text',
  '@message',
  'short_message',
  'fields.message',
  'body.stringValue',
];
/** Python's loggers, structlog, zap, ECS. */
const TRACES = [
  'exc_info',
  'exc_text',
  'exception',
  'traceback',
  'stack_trace',
  'stacktrace',
  'error',
  'err',
  'error.stack_trace',
  'error.message',
  'exception.message',
  'jsonPayload.exc_info',
];

/** Bare, or below "extra" and its like, as loggers in JSON have it: loguru's "record.extra.rank", Elastic's "labels.rank". */
const BELOW = ['', 'extra.', 'fields.', 'record.', 'record.extra.', 'labels.', 'context.', 'attributes.', 'process.'];
const RANKS = ['global_rank', 'rank'].flatMap((name) => BELOW.map((above) => above + name));
const LOCAL_RANKS = ['local_rank', 'localRank'].flatMap((name) => BELOW.map((above) => above + name));
const RANK = /^\d{1,7}$/;

export type LoggedFields = ReadonlyMap<string, unknown>;

/** Null where the line is not such an object. A list of them is often printed as a line each. */
export function loggedFields(text: string): LoggedFields | null {
  if (text.length > MOST_LENGTH || !BEGINS.test(text)) return null;
  const entry = parsed(text) ?? parsed(text.replace(/^\[/, '').replace(/[\],\s]{1,8}$/, ''));
  if (entry === null) return null;
  const fields = new Map(Object.entries(entry));
  for (let level = 0, above = [...fields]; level < LEVELS; level += 1) {
    const below = above.flatMap(([name, inner]) =>
      isObject(inner) ? Object.entries(inner).map(([own, value]): [string, unknown] => [`${name}.${own}`, value]) : [],
    );
    for (const [name, value] of below) fields.set(name, value);
    above = below;
  }
  return fields;
}

/** Of etcd, whose entry has in a field how long that took. */
const SLOW_SYNC = 'slow fdatasync';

/** As it was logged, a traceback in a field of its own in lines behind it. */
export function loggedMessage(fields: LoggedFields): string | null {
  const said = firstText(fields, MESSAGES);
  const message = said === SLOW_SYNC && typeof fields.get('took') === 'string' ? `${said}, took ${fields.get('took')}` : said; // biome-ignore format: one line
  const trace = firstText(fields, TRACES) ?? thrownIn(fields);
  if (message === null) return trace;
  if (trace === null || message.includes(trace)) return message;
  return `${message}\n${trace}`;
}

/** Fields of a level, and those in which a text says nothing that happened: what a model was given or has said. */
const LEVELS_OF = ['level', 'levelname', 'severity', 'log.level', 'lvl', 'record.level.name'];
const FAILED = /^(?:err(?:or)?|crit(?:ical)?|fatal|exception|alert|emerg\w*|panic)$/i;
const OF_SAMPLES =
  /(?:^|\.|_)(?:sample|prompt|completion|question|answer|instruction|input|output|response|target|content|tokens|dataset|text)s?(?:$|[._])/i;
/** As a traceback begins, or an exception is named with what it says. */
const THROWN =
  /^(?:Traceback \(most recent call last\)|(?:[A-Za-z_]\w{0,63}\.){0,8}[A-Z]\w{0,63}(?:Error|Exception): )/;

/** Whatever the logger calls its field; only of a line that it logged as an error. */
function thrownIn(fields: LoggedFields): string | null {
  const level = firstText(fields, LEVELS_OF);
  if (level === null || !FAILED.test(level)) return null;
  for (const [name, value] of fields)
    if (typeof value === 'string' && !OF_SAMPLES.test(name) && THROWN.test(value)) return value;
  return null;
}

/** The rank that the object says wrote it, over the whole job or else within its host; null where it says none. */
export function loggedRank(fields: LoggedFields): RankLabel | null {
  const number = numberIn(fields, RANKS);
  if (number !== null) return { number, means: 'global' };
  const local = numberIn(fields, LOCAL_RANKS);
  return local === null ? null : { number: local, means: 'local' };
}

function numberIn(fields: LoggedFields, names: readonly string[]): number | null {
  for (const name of names) {
    const value = fields.get(name);
    if (typeof value === 'number' ? Number.isInteger(value) && value >= 0 : RANK.test(String(value ?? '')))
      return Number(value);
  }
  return null;
}

/** What is longer than a line, `most`, since it is an object of a logger, or lines of one message; null for all else. */
export function wholeLogged(text: string, most: number): string | null {
  return BEGINS.test(text) || text.slice(0, most).includes('\n') ? stripAnsi(text.slice(0, MOST_LENGTH)) : null;
}

function firstText(fields: LoggedFields, names: readonly string[]): string | null {
  for (const name of names) {
    const text = textOf(fields.get(name));
    if (text !== null) return text;
  }
  return null;
}

/** The journal writes what is not valid text as a list of bytes. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  const bytes = Array.isArray(value) && value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256);
  return bytes && value.length > 0 ? Buffer.from(value).toString('utf8') : null;
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const entry: unknown = JSON.parse(text);
    return isObject(entry) ? entry : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

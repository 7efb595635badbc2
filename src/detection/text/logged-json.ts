// Logged JSON: what an object says that a logger or a collector of logs wrote as one line: its message, and the traceback that it has
// in a field of its own. One level of objects within it is read as "kubernetes.host".

import type { RankLabel } from '../../model/rank-label.ts';
import { stripAnsi } from './job/ansi.ts';

/** No line of a log that is read so is longer; what is behind is not read. */
const MOST_LENGTH = 65_536;
/** A message has so many lines at most, a traceback with it. */
export const MOST_LINES = 200;

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

/** Bare, or below "extra" and its like, as loggers in JSON have it. */
const RANKS = ['global_rank', 'rank', 'extra.rank', 'extra.global_rank', 'fields.rank', 'record.rank'];
const RANK = /^\d{1,7}$/;

export type LoggedFields = ReadonlyMap<string, unknown>;

/** Null where the line is not such an object. A list of them is often printed as a line each. */
export function loggedFields(text: string): LoggedFields | null {
  if (text.length > MOST_LENGTH || !BEGINS.test(text)) return null;
  const entry = parsed(text) ?? parsed(text.replace(/^\[/, '').replace(/[\],\s]{1,8}$/, ''));
  if (entry === null) return null;
  const fields = new Map(Object.entries(entry));
  for (const [name, inner] of [...fields])
    if (isObject(inner)) for (const [below, value] of Object.entries(inner)) fields.set(`${name}.${below}`, value);
  return fields;
}

/** As it was logged, a traceback in a field of its own in lines behind it. */
export function loggedMessage(fields: LoggedFields): string | null {
  const message = firstText(fields, MESSAGES);
  const trace = firstText(fields, TRACES);
  if (message === null) return trace;
  if (trace === null || message.includes(trace)) return message;
  return `${message}\n${trace}`;
}

/** The rank over the whole job that the object says wrote it; null where it says none. */
export function loggedRank(fields: LoggedFields): RankLabel | null {
  for (const name of RANKS) {
    const value = fields.get(name);
    if (typeof value === 'number' ? Number.isInteger(value) && value >= 0 : RANK.test(String(value ?? '')))
      return { number: Number(value), means: 'global' };
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

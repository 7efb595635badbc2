// Reads one line of a saved log: which form it is in, when and where it was written, by whom, and the message itself.

import { stripAnsi } from '../../../detection/text/job/ansi.ts';
import { readPrefix } from '../../../detection/text/job/prefix.ts';
import type { RankLabel } from '../../../model/rank-label.ts';
import { readEnvelope } from './envelope.ts';
import { quotedKernel, readsAsKernel } from './kernel-words.ts';
import { formsOf, type Head } from './line-form.ts';
import { logStamp } from './log-stamp.ts';
import type { Stamp } from './stamp.ts';

/** Who wrote a line. */
export type Writer =
  /** The kernel, as far as the form of the line says so. */
  | 'kernel'
  /** The words are the kernel's, who wrote them is not said. */
  | 'kernel-like'
  /** A program that logs, and names itself. */
  | 'program'
  | 'unknown';

export interface SavedLine {
  /** Of the outermost head; null where the line has none. */
  readonly form: string | null;
  readonly stamp: Stamp | null;
  /** Of a line whose time is a whole second: the kernel's own stamp behind it, ms since boot; null where it has none. */
  readonly uptimeMs: number | null;
  readonly host: string | null;
  readonly writer: Writer;
  readonly facility: number;
  readonly message: string;
  /** Of a log that only the program itself writes. */
  readonly own: boolean;
  /** Which program wrote it, where the line says so. */
  readonly program: string | null;
  /** The rank of a job that wrote it, where an object of a logger says so. */
  readonly rank: RankLabel | null;
  /** Its text quotes it: of what time it is, and who wrote it, is only said. */
  readonly quoted: boolean;
  /** The rest of the message follows in the next line of its kind. */
  readonly part: boolean;
}

/** A relay's head before a daemon's before the kernel's: deeper they are not nested. */
const MOST_HEADS = 5;

/** "> ", ">> ", "- ", "`": a mail, or a page of questions and answers, quotes the line. */
const QUOTED_MAIL = /^(?:(?:> ?){1,8}|[-*•|] {1,4}|`{1,3})(?=\S)/;
const QUOTES = '>-*•|`';
/** Of these marks the one that nothing but a quotation has. */
const QUOTED_TEXT = /^(?:> ?){1,8}(?=\S)/;

/** A quoted line is the kernel's where it reads as the kernel's own; what a program said is only spoken of. */
export function readLine(text: string): SavedLine {
  const quote = QUOTES.includes(text[0] ?? ' ') ? (QUOTED_MAIL.exec(text)?.[0].length ?? 0) : 0;
  if (quote === 0) return readWhole(text);
  const inner = readWhole(text.slice(quote).replace(/`{1,3}\s*$/, ''));
  const line = inner.writer === 'kernel' || inner.writer === 'kernel-like' ? inner : readWhole(text);
  return { ...line, quoted: QUOTED_TEXT.test(text) };
}

function readWhole(text: string): SavedLine {
  const envelope = readEnvelope(text);
  let message = stripAnsi(envelope?.message ?? text);
  let form = envelope?.form ?? null;
  let stamp = envelope?.stamp ?? null;
  let host = envelope?.host ?? null;
  let kernel: boolean | null = envelope?.kernel ?? null;
  let facility = envelope?.facility ?? null;
  let program: string | null = envelope?.program ?? null;
  let own = false;
  let part = envelope?.part ?? false;
  let uptimeMs: number | null = null;
  for (let left = MOST_HEADS; left > 0; left -= 1) {
    const found = headOf(message) ?? indentedHead(message, form);
    if (found === null) break;
    const { head, length, name } = found;
    form ??= name;
    // The outer stamp is the one with a date.
    if (stamp === null || (stamp.kind !== 'wall' && head.stamp?.kind === 'wall')) stamp = head.stamp ?? stamp;
    if (stamp?.kind === 'wall' && stamp.digits === 0 && head.stamp?.kind === 'boot') uptimeMs = head.stamp.ms;
    host ??= head.host ?? null;
    facility ??= head.facility ?? null;
    if (head.kernel !== undefined && kernel !== false) kernel = head.kernel;
    program = head.program ?? program;
    own ||= head.own === true;
    part ||= head.part === true;
    message = message.slice(length);
  }
  // Of a record whose fields say who wrote it, and were left out, anybody may be the writer.
  const writer = envelope?.form === 'journal_json' && kernel === null ? 'unknown' : writerOf(kernel, message);
  if (writer === 'kernel-like' && !readsAsKernel(message.trimStart())) message = quotedKernel(message) ?? message;
  if (writer !== 'unknown') message = message.trimStart();
  // As programs write into the kernel's log, where the decoders know them by their names.
  if (writer === 'program' && program !== null) message = `${program}: ${message}`;
  if (writer === 'unknown') stamp = stamp?.kind === 'wall' ? stamp : (logStamp(message) ?? jobStamp(message));
  return {
    form,
    stamp,
    uptimeMs,
    host,
    writer,
    facility: facility ?? 0,
    message,
    own,
    program,
    quoted: false,
    part,
    rank: envelope?.rank ?? null,
  };
}

/** Pasted text is often indented; a line below a stamped one is, too, so that what is indented must have a form of its own. */
function indentedHead(text: string, form: string | null): ReturnType<typeof headOf> {
  if (form !== null || !/^[ \t]/.test(text)) return null;
  const inner = text.trimStart();
  const found = headOf(inner);
  if (found === null || found.head.kernel === undefined || found.name === 'plain') return null;
  return { ...found, length: found.length + text.length - inner.length };
}

function headOf(text: string): { head: Head; length: number; name: string } | null {
  for (const { name, head, says } of formsOf(text)) {
    const found = head.exec(text);
    if (found === null) continue;
    const said = says(found);
    if (!isDevice(said, text)) return { head: said, length: found[0].length, name };
  }
  return null;
}

/** "2026-11-27T12:00:00Z nvme nvme2: …": what looks like a host and its program is a driver and its device. */
function isDevice({ host, program }: Head, text: string): boolean {
  if (host === undefined || program?.startsWith(host) !== true) return false;
  return readsAsKernel(text.slice(text.indexOf(`${host} ${program}`)));
}

function writerOf(kernel: boolean | null, message: string): Writer {
  if (kernel === true) return 'kernel';
  if (kernel === false) return 'program';
  return readsAsKernel(message.trimStart()) || quotedKernel(message) !== null ? 'kernel-like' : 'unknown';
}

/** "license: OK, valid thru 2027-06-01T00:00:00Z": when something will end, not when the line was written. */
const OF_AN_END = /\b(?:valid|expir\w{1,5}|until|thru|not ?after)\b.{0,16}\d{4}-\d\d-\d\d/i;

/** Where launchers and loggers print it: anywhere in the head of the line. */
function jobStamp(text: string): Stamp | null {
  const { time } = readPrefix(text);
  return time === null || OF_AN_END.test(text)
    ? null
    : { kind: 'wall', utcMs: time.utcMs, digits: time.digits, zoned: time.zoned, yearless: false };
}

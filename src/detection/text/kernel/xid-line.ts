// Takes an "NVRM: Xid" line apart: address, MIG instance, code, process, and what is left to say.

import { Cursor } from '../cursor.ts';
import { evidenceText } from '../evidence.ts';
import { MAX_COMM } from './user-words.ts';

/** "<unknown>" with its quotes, and names of other systems' drivers, which are longer than Linux lets them be. */
const MAX_NAME = 40;
const HEAD =
  /^NVRM: Xid ?(?:\((?:PCI:)?([^() ]{0,40})(?: GPU-I:(\d{1,3}))?(?: GPU-CI:\d{1,3})?\))? ?: {0,2}(\d{1,4})(?![\w.]),?/;
/** What the driver's own messages begin with, behind the name of the process. */
const OPENING = /^(?:[A-Z]|channel |[0-9a-f]{4}\()/;
/** A head without an address is short enough for a name: then the driver's words must follow it. */
const WITHOUT_ADDRESS = /^(?:pid=|Ch(?:annel)?(?: ID)? [0-9a-f]{8}|GPU has fallen off the bus)/;

export interface XidLine {
  readonly xid: number;
  /** As printed, without "PCI:"; null when the line has none. */
  readonly address: string | null;
  /** MIG GPU instance. */
  readonly instance: number | null;
  readonly pid: number | null;
  readonly process: string | null;
  /** The message behind code and process. */
  readonly message: string;
}

/**
 * Null when the line is not an XID line. Address forms: "(0000:03:00)", "(PCI:0000:9b:00)", "(PCI:0000:00:08.0)",
 * "(PCI:0000:01:00 GPU-I:05)", none. Process forms: none, pid alone, `pid='<unknown>', name=<unknown>`, any name.
 */
export function parseXidLine(text: string): XidLine | null {
  const [head, address, instance, xid] = HEAD.exec(text) ?? [];
  if (head === undefined || xid === undefined) return null;
  if (head.length <= MAX_COMM && !WITHOUT_ADDRESS.test(text.slice(head.length).trimStart())) return null;
  const cursor = new Cursor(text, head.length);
  const pid = takePid(cursor.spaces());
  const process = takeName(cursor.spaces());
  return {
    xid: Number(xid),
    address: address ?? null,
    instance: instance === undefined ? null : Number(instance),
    pid,
    process,
    message: cursor.spaces().rest(),
  };
}

function takePid(cursor: Cursor): number | null {
  if (!cursor.take('pid=')) return null;
  cursor.take("'");
  const pid = cursor.integer(10);
  const comma = cursor.text.indexOf(',', cursor.position);
  cursor.position = comma < 0 ? cursor.text.length : comma + 1;
  return pid;
}

/** A name may hold ", " and read like a message: the last place within its length that a message of the driver follows ends it. */
function takeName(cursor: Cursor): string | null {
  if (!cursor.take('name=')) return null;
  const { text, position } = cursor;
  let end = -1;
  for (let at = text.indexOf(', ', position); at >= 0 && at - position <= MAX_COMM; at = text.indexOf(', ', at + 1))
    if (OPENING.test(text.slice(at + 2, at + 12))) end = at;
  if (end < 0) end = text.indexOf(', ', position);
  if (end - position > MAX_NAME) return null;
  if (end < 0 && text.length - position > MAX_NAME) return null;
  const name = end < 0 ? cursor.rest() : text.slice(position, end);
  cursor.position = end < 0 ? text.length : end + 2;
  return name === '' || name.includes('<unknown>') ? null : evidenceText(name);
}

// Takes an "NVRM: Xid" line apart: address, MIG instance, code, process, and what is left to say.

import { Cursor } from '../cursor.ts';
import { type KernelContext, messageStart } from './context.ts';

const MAX_ADDRESS = 48;
/** A process name has at most 15 bytes (TASK_COMM_LEN), `<unknown>` and quotes included there is room to spare. */
const MAX_NAME = 40;

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
 * Null when the line is no XID line. Address forms: "(0000:03:00)", "(PCI:0000:9b:00)", "(PCI:0000:00:08.0)",
 * "(PCI:0000:01:00 GPU-I:05)", none. Process forms: none, pid alone, `pid='<unknown>', name=<unknown>`, any name.
 */
export function parseXidLine(text: string, context: KernelContext): XidLine | null {
  const start = messageStart(text, 'NVRM: Xid', context);
  if (start < 0) return null;
  const cursor = new Cursor(text, start + 'NVRM: Xid'.length).spaces();
  let address: string | null = null;
  let instance: number | null = null;
  if (cursor.take('(')) {
    const inside = cursor.until(')', MAX_ADDRESS);
    if (inside === null) return null;
    const place = new Cursor(inside);
    place.take('PCI:');
    const space = inside.indexOf(' ', place.position);
    address = space < 0 ? place.rest() : inside.slice(place.position, space);
    if (place.skipPast('GPU-I:')) instance = place.integer(3);
  }
  cursor.spaces();
  if (!cursor.take(':')) return null;
  const xid = cursor.spaces().integer(4);
  if (xid === null || isWordCharacter(text[cursor.position])) return null;
  cursor.take(',');
  const pid = takePid(cursor.spaces());
  const process = takeName(cursor.spaces());
  return { xid, address, instance, pid, process, message: cursor.spaces().rest() };
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[0-9A-Za-z_.]/.test(character);
}

function takePid(cursor: Cursor): number | null {
  if (!cursor.take('pid=')) return null;
  const pid = cursor.integer(10);
  const comma = cursor.text.indexOf(',', cursor.position);
  cursor.position = comma < 0 ? cursor.text.length : comma + 1;
  return pid;
}

function takeName(cursor: Cursor): string | null {
  if (!cursor.take('name=')) return null;
  let name = cursor.until(', ', MAX_NAME);
  if (name === null && cursor.text.length - cursor.position <= MAX_NAME) {
    name = cursor.rest();
    cursor.position = cursor.text.length;
  }
  return name === null || name === '' || name.includes('<unknown>') ? null : name;
}

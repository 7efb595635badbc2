// Uptimes: how far the stamps since boot of one log reach, read ahead of it: its last line was written when the log was saved.

import { type Bytes, peeked } from './bytes.ts';
import { Dating } from './dating.ts';
import { readLine } from './form/read-line.ts';
import { LineCutter } from './lines.ts';

/** A log that has dates shows one here. */
const HEAD_BYTES = 65_536;
/** More than the kernel's ring holds on any host. */
const MOST_BYTES = 8 << 20;
/** Stamps are at the head of a line. */
const MOST_PREFIX = 400;

export interface ReadAhead {
  /** The stamp, ms since boot, that the log's last line would have if the host had not started again in it; null where lines have dates. */
  readonly lastBootMs: number | null;
  readonly bytes: Bytes;
}

/** Holds at most 8 MiB, and only of a log whose head has stamps since boot and no dates. What is behind counts from their last line. */
export async function readAhead(bytes: Bytes): Promise<ReadAhead> {
  const first = await peeked(bytes, HEAD_BYTES);
  if (lastBootMs(first.head) === null) return { lastBootMs: null, bytes: first.bytes };
  const more = await peeked(first.bytes, MOST_BYTES);
  return { lastBootMs: lastBootMs(more.head), bytes: more.bytes };
}

function lastBootMs(head: Buffer): number | null {
  const cutter = new LineCutter();
  // From its first line on, as far as time goes by: a host that starts again counts from zero.
  const dating = new Dating({ savedMs: 0 });
  let firstMs: number | null = null;
  let lastMs = 0;
  for (const { text } of [...cutter.push(head), ...cutter.end()]) {
    const { stamp } = readLine(text.slice(0, MOST_PREFIX));
    if (stamp?.kind === 'wall') return null;
    if (stamp?.kind !== 'boot') continue;
    firstMs ??= stamp.ms;
    lastMs = Math.max(lastMs, dating.date(stamp)?.timeMs ?? 0);
  }
  return firstMs === null ? null : firstMs + lastMs;
}

// Reads the dumps of one job though one of them ends the reader: it is started again, then the file is found by halving.

import { setTimeout } from 'node:timers/promises';
import { type ReadDumps, ReaderEnded, type ReaderLimits, readDumps } from './reader-child.ts';

export interface AroundLimits extends ReaderLimits {
  /** Before each start after an end, doubled each time up to 16 times as much. */
  readonly backOffMs?: number;
}

export interface ReadAround extends ReadDumps {
  /** Files that end the reader, each by itself; they are left out of the answer. */
  readonly fatal: readonly string[];
}

const BACK_OFF_MS = 250;
/** Starts of the reader for one job: enough to find three files among thousands. */
const MAX_STARTS = 64;

/** Rejects as `readDumps` does where the reader ends whatever it is given, or where too many files end it. */
export async function readAround(
  paths: readonly string[],
  signal: AbortSignal,
  limits: AroundLimits,
): Promise<ReadAround> {
  let starts = 0;
  const read = async (part: readonly string[]): Promise<ReadDumps | ReaderEnded> => {
    starts += 1;
    try {
      return await readDumps(part, signal, limits);
    } catch (error) {
      if (!(error instanceof ReaderEnded) || starts >= MAX_STARTS) throw error;
      const pause = (limits.backOffMs ?? BACK_OFF_MS) * 2 ** Math.min(starts - 1, 4);
      await setTimeout(pause, undefined, { signal }).catch(() => {}); // stopped: the next start says so
      return error;
    }
  };
  const fatalOf = async (part: readonly string[]): Promise<string[]> => {
    if (part.length < 2) return [...part];
    const middle = part.length >> 1;
    const found: string[] = [];
    for (const half of [part.slice(0, middle), part.slice(middle)]) {
      if ((await read(half)) instanceof ReaderEnded) found.push(...(await fatalOf(half)));
    }
    return found;
  };
  // Whoever ends a process once need not mean its files: an administrator, the memory of the host.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const whole = await read(paths);
    if (!(whole instanceof ReaderEnded)) return { ...whole, fatal: [] };
  }
  const fatal = await fatalOf(paths);
  const rest = await read(paths.filter((path) => !fatal.includes(path)));
  if (rest instanceof ReaderEnded) throw rest;
  return { ...rest, fatal };
}

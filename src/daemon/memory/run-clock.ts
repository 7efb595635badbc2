// Run clock: places times that an earlier run wrote down on the clock of this one, whatever was done to the clock between them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StateDocument } from '../../helpers/files/state-file.ts';

/** How far ahead a time may be by itself: of a clock that was set back nothing of before can be placed. */
const AHEAD_MS = 60_000;
/** Less is only how the two were read. */
const LEAST_MS = 1_000;

export interface SinceBoot {
  /** Which start of the kernel; null where it does not say. */
  readonly bootId: string | null;
  readonly ms: number;
}

export interface RunClock {
  /** Epoch ms on the steady clock of this run. */
  readonly now: () => number;
  /** What two runs of one boot have in common. */
  readonly sinceBoot: () => SinceBoot;
}

/** On the clock of this run; null where it lies ahead of it, so that it cannot be placed. */
export type Placed = (timeMs: number) => number | null;

/** What a file says of the run that wrote it. */
export function clockHead({ now, sinceBoot }: RunClock): StateDocument {
  const boot = sinceBoot();
  return { boot_id: boot.bootId, since_boot_ms: Math.round(boot.ms), now_ms: Math.round(now()) };
}

/** For the times of a document with such a head. */
export function placing({ boot_id, since_boot_ms, now_ms }: StateDocument, { now, sinceBoot }: RunClock): Placed {
  const boot = sinceBoot();
  const nowMs = now();
  const same = boot.bootId !== null && boot_id === boot.bootId;
  const known = typeof since_boot_ms === 'number' && typeof now_ms === 'number' && Number.isFinite(now_ms);
  const aheadMs = same && known ? now_ms + (boot.ms - since_boot_ms) - nowMs : 0;
  const byMs = Math.abs(aheadMs) < LEAST_MS ? 0 : -aheadMs;
  return (timeMs) => (timeMs + byMs <= nowMs + AHEAD_MS ? timeMs + byMs : null);
}

/** From the monotonic clock, and the kernel's own id of its start under this root. */
export function sinceBootUnder(proc: string): () => SinceBoot {
  let bootId: string | null = null;
  try {
    bootId = readFileSync(join(proc, 'sys/kernel/random/boot_id'), 'utf8').trim() || null;
  } catch {} // not mounted here: the wall clock is all that two runs have in common
  return () => ({ bootId, ms: Number(process.hrtime.bigint() / 1_000_000n) });
}

// A generated job as its recorders hold it at a moment of its run, not at its end.

import type { Entry } from './job.ts';

export interface Moment {
  /** How long a step of the simulated clock lasts. */
  readonly tickMs: number;
  /** The tick at which this rank is dumped. */
  readonly dumped: (rank: number) => number;
  readonly pauses?: (rank: number, call: number) => number;
}

/** What a rank had recorded at the moment; without one at the end. `offsetMs`: how far the clock of its host is ahead. */
export function at(entries: readonly Entry[], rank: number, moment: Moment | undefined, offsetMs: number): Entry[] {
  const tickMs = moment?.tickMs ?? 1;
  const dumped = moment?.dumped(rank) ?? Number.POSITIVE_INFINITY;
  return entries
    .filter((entry) => entry.createdMs <= dumped)
    .map(({ startedMs, completedMs, ...entry }) => {
      const started = startedMs !== undefined && startedMs <= dumped;
      const completed = completedMs !== undefined && completedMs <= dumped;
      return {
        ...entry,
        createdMs: entry.createdMs * tickMs + offsetMs,
        ...(completed ? { completedMs: completedMs * tickMs + offsetMs } : {}),
        state: completed ? 'completed' : started ? 'started' : 'scheduled',
      };
    });
}

// What one run of each scenario answered, short enough to read in a diff: a change of it is seen and decided on.

import type { Run } from './measure.ts';

/** Scenario → "right", or what is wrong with the answer. */
export function pinned(runs: readonly Run[]): Record<string, string> {
  return Object.fromEntries(
    runs.map(({ family, name, right, problems }) => [`${family}/${name}`, right ? 'right' : problems.join('; ')]),
  );
}

/** The seed with which a scenario is pinned: every other one with hardship. */
export function pinnedSeed(index: number): number {
  return index % 2;
}

// A small young generation, for a command that goes through much and keeps little.

import { setFlagsFromString } from 'node:v8';

/**
 * Call before the reading begins. What lives through a line is small, so that a young generation of one MiB is collected as cheaply
 * as the 16 that V8 would let it grow to, and by this thread alone. Not in `small-heap.ts`: that is a part of the daemon's bundle.
 */
export function keepYoungSmall(): void {
  setFlagsFromString('--max-semi-space-size=1');
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--no-parallel-scavenge');
}

// Compile late: the work of one run is over before the best machine code for all that it calls has paid for itself.

import { setFlagsFromString } from 'node:v8';

/**
 * Ten times as many calls before V8 13.6 compiles a function at all, a hundred times before it does so again with more care; a file of
 * any size still gets there. Measured with `bench/powertrace.mjs`: compiling took more CPU of other threads than it saved here.
 */
export function compileLate(): void {
  setFlagsFromString('--invocation-count-for-maglev=5000');
  setFlagsFromString('--invocation-count-for-maglev-osr=1000');
  setFlagsFromString('--invocation-count-for-turbofan=300000');
  setFlagsFromString('--invocation-count-for-osr=50000');
}

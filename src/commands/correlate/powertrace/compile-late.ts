// Compile late: the work of one run is over before machine code for all that it calls has paid for itself.

import { setFlagsFromString } from 'node:v8';

/**
 * Ten times as many calls before V8 compiles a function, by the defaults of V8 13.6; a file of any size still gets there. Measured with
 * `bench/powertrace.mjs`: compiling took two fifths of the CPU of a correlation of 40,000 points, and saved the main thread 2 ms of 26.
 */
export function compileLate(): void {
  setFlagsFromString('--invocation-count-for-maglev=5000');
  setFlagsFromString('--invocation-count-for-maglev-osr=1000');
  setFlagsFromString('--invocation-count-for-turbofan=30000');
  setFlagsFromString('--invocation-count-for-osr=5000');
}

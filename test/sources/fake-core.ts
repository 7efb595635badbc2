// A core that only has a clock, for sources that need no native code.

import type { NativeCore } from '../../src/native.ts';

export function fakeCore(now: () => number = () => 1_700_000_000_000): NativeCore {
  return { now } as NativeCore; // whatever else is called fails the test
}

// Kernel lines of Intel's older GPU driver: resets for work that hangs, and of whose process it was.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeLines, type Shape, testShapes } from './lines.ts';

const GPU = 'gpu/0000:00:02.0';
const HEAD = 'i915 0000:00:02.0: [drm]';
const shapes: readonly Shape[] = [
  [`${HEAD} Resetting rcs0 for preemption time out`, 'gpu.fault', GPU, { driver_reset: true, unit: 'rcs0', reason: 'preemption time out', action: 'reset_gpu' }],
  [`${HEAD} Resetting chip for stopped heartbeat on bcs0`, 'gpu.fault', GPU, { unit: 'chip', reason: 'stopped heartbeat on bcs0' }],
  [`${HEAD} GT0: Resetting ccs1 for CS error`, 'gpu.fault', GPU, { unit: 'ccs1' }],
  [`i915 0000:00:02.0: Resetting chip for hang on rcs0`, 'gpu.fault', GPU, { reason: 'hang on rcs0' }],
  [`${HEAD} GPU HANG: ecode 9:1:e757fefe, in test_g [12] [25627]`, 'gpu.fault', GPU, { hang: true, pid: 25627 }],
  [`${HEAD} GPU HANG: ecode 12:0:00000000`, 'gpu.fault', GPU, { hang: true }],
]; // biome-ignore format: one line each

testShapes(shapes);

for (const line of [
  `${HEAD} Resetting chip for Manually set wedged engine mask = 1`,
  `${HEAD} Resetting rcs0 for my own reason`,
  `${HEAD} Xorg[3016] context reset due to GPU hang`,
  `${HEAD} Finished loading DMC firmware i915/kbl_dmc_ver1_04.bin (v1.4)`,
])
  test(`nothing from: ${line.slice(25, 100)}`, () => assert.deepEqual(decodeLines([line]), []));

// Kernel lines of Intel's GPU driver: what it calls timed out, wedged or failed, and what says nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeLines, type Shape, testShapes } from './lines.ts';

const GPU = 'gpu/0000:03:00.0';
const shapes: readonly Shape[] = [
  ['xe 0000:03:00.0: [drm] Tile0: GT0: Timedout job: seqno=4294967273, lrc_seqno=4294967273, guc_id=4, flags=0x0 in python3 [4123]', 'gpu.fault', GPU, { timed_out: true, pid: 4123 }],
  ['xe 0000:03:00.0: [drm] GT0: Timedout job: seqno=12, guc_id=4, flags=0x8', 'gpu.fault', GPU, { timed_out: true }],
  ['xe 0000:03:00.0: [drm] *ERROR* GT0: reset failed (-ETIMEDOUT)', 'gpu.reset_failed', GPU, {}],
  ['xe 0000:03:00.0: [drm] *ERROR* GuC engine reset request failed on 3:0 because 0x00000000', 'gpu.reset_failed', GPU, {}],
  ['xe 0000:03:00.0: [drm] *ERROR* CRITICAL: Xe has declared device 0000:03:00.0 as wedged.\\x0aIOCTLs and executions are blocked. Only a rebind may clear the failure', 'gpu.fault', GPU, { wedged: true }],
  ['xe 0000:03:00.0: [drm] *ERROR* GT0: load failed: status = 0x800001EC, time = 3297ms, freq = 2400MHz (req 2400MHz), done = 0', 'gpu.init_failure', GPU, { unit: 'guc' }],
  ['xe 0000:03:00.0: [drm] *ERROR* GT0: GuC mmio request 0x4100: no reply 0x4100', 'gpu.firmware_error', GPU, { unit: 'guc' }],
  ['xe 0000:03:00.0: [drm] *ERROR* [Hardware Error]: Tile0 reported NONFATAL error 0x20000', 'gpu.fault', GPU, { hardware_error: true }],
]; // biome-ignore format: one line each

testShapes(shapes);

for (const line of [
  'xe 0000:03:00.0: [drm] GT0: Engine reset: engine_class=ccs, logical_mask: 0x1, guc_id=4',
  'xe 0000:03:00.0: [drm] GT0: reset done',
  'xe 0000:03:00.0: [drm] *ERROR* [Hardware Error]: Tile0 reported CORRECTABLE error 0x20000',
  'xe 0000:03:00.0: [drm] Using GuC firmware from xe/bmg_guc_70.bin version 70.44.1',
])
  test(`nothing from: ${line.slice(0, 80)}`, () => assert.deepEqual(decodeLines([line]), []));

// Time that GPUs were slowed down for, as their board counts it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BmcGpu } from '../../../../src/sources/bmc/decode/parts.ts';
import { decodeGpu } from '../../../../src/sources/bmc/decode/thermal.ts';
import { Edges } from '../../../../src/sources/bmc/watch/bmc-event.ts';
import { GpuWatch } from '../../../../src/sources/bmc/watch/gpu-watch.ts';
import { at } from '../support.ts';

const UUID = '0a1b2c3d-1111-2222-3333-444455556666';
const gpu = (thermalThrottle: number | null, more: Partial<BmcGpu> = {}): BmcGpu => ({
  part: 'gpu',
  id: 'GPU_0',
  watts: null,
  limitWatts: null,
  celsius: null,
  powerThrottle: null,
  thermalThrottle,
  hardwareThrottle: null,
  reasons: [],
  uuid: UUID,
  ...more,
});

test('a count that grows by a tenth of the time is a slowdown of the GPU that the driver knows, with its reason', () => {
  const watch = new GpuWatch('n', new Edges());
  const step = (ms: number, one: BmcGpu) => watch.observe([at(ms, one)], ms);
  assert.deepEqual(step(0, gpu(50)), []);
  assert.deepEqual(step(60_000, gpu(50.5)), [], 'a moment');
  const [onset] = step(120_000, gpu(70, { reasons: ['SwThermalSlowdown'] }));
  assert.deepEqual([onset?.kind, onset?.state, onset?.component?.id], ['gpu.thermal_throttle', 'onset', `GPU-${UUID}`]);
  assert.equal(onset?.attributes?.reasons, 'SwThermalSlowdown');
  assert.deepEqual(step(180_000, gpu(90)), []);
  const [clear] = step(240_000, gpu(90));
  assert.equal(clear?.state, 'clear');
});

test('a count that begins again, or is missing, says nothing', () => {
  const watch = new GpuWatch('n', new Edges());
  for (const [i, value] of [100, 10, null, 80, 80].entries()) {
    assert.deepEqual(watch.observe([at(i * 60_000, gpu(value))], i * 60_000), [], `reading ${i}`);
  }
});

test("a GPU's durations and reasons out of its resources; NA is not a reason", () => {
  const metrics = {
    ThermalLimitThrottleDuration: 'PT1M2.5S',
    Oem: { Nvidia: { HardwareViolationThrottleDuration: 'PT3S', ThrottleReasons: ['NA'] } },
  };
  const read = decodeGpu({ Id: 'GPU_3', UUID: UUID.toUpperCase() }, null, metrics);
  assert.deepEqual([read?.thermalThrottle, read?.hardwareThrottle, read?.reasons, read?.uuid], [62.5, 3, [], UUID]);
  assert.equal(decodeGpu({ Id: 'x', UUID: 'REDACTED' }, null, metrics)?.uuid, null);
});

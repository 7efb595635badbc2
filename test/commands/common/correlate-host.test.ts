// A saved log is read whole: what happened to the bus address of a GPU happened to that GPU, though a later line names it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correlateHost } from '../../../src/commands/common/correlate-host.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { T0 } from '../../incidents/sample.ts';

const ADDRESS = '0000:41:00.0';
const UUID = 'GPU-5e7c1a2b-9d3f-4c11-8f10-2a6b1c0d9e88';

function input(
  kind: EventInput['kind'],
  component: EventInput['component'],
  timeMs: number,
  attributes = {},
): EventInput {
  return { kind, component, timeMs, timeDigits: 3, observedMs: timeMs, trust: 'kernel', state: 'point', source: 'kernel-log', attributes, evidence: [] }; // biome-ignore format: one record
}

const onBus = (attributes = {}) =>
  input('pcie.uncorrected_fatal', { type: 'pcie', id: ADDRESS, host: 'gx-07' }, T0, attributes);
const lost = input('gpu.lost', { type: 'gpu', id: ADDRESS, host: 'gx-07', aliases: [UUID] }, T0 + 2000);

const rootOf = (...inputs: EventInput[]) => correlateHost('gx-07', inputs).incidents.map(({ root }) => root.component);

test("an error on the bus before the GPU is lost is the GPU's, with the names that the log gives", () => {
  const [component] = rootOf(onBus(), lost);
  assert.deepEqual([component?.type, component?.id, component?.aliases], ['gpu', ADDRESS, [UUID]]);
});

test('the driver that reports the error says what the device is; of another it stays one on the bus', () => {
  assert.equal(rootOf(onBus({ driver: 'nvidia' }))[0]?.type, 'gpu');
  assert.equal(rootOf(onBus({ driver: 'nvme' }))[0]?.type, 'pcie');
  const other = { ...lost, component: { type: 'gpu', id: '0000:9b:00.0', host: 'gx-07' } } as const;
  assert.ok(rootOf(onBus(), other).some((component) => component?.type === 'pcie'));
});

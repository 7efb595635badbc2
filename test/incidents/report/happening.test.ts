// What several events of one kind say together: numbers and their unit always come from the same events.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { happeningText } from '../../../src/incidents/report/happening.ts';
import type { AttributeValue, FaultEvent } from '../../../src/model/event.ts';
import { makeEvent } from '../../../src/model/make-event.ts';

function brake(gpu: number, attributes: Record<string, AttributeValue>): FaultEvent {
  const component = { type: 'gpu', id: `0000:1${gpu}:00.0`, host: 'node-3' } as const;
  return makeEvent('node-3', { kind: 'gpu.power_brake', component, timeMs: 1_790_000_000_000, observedMs: 1_790_000_000_000, trust: 'driver', state: 'onset', source: 'gpu', attributes }); // biome-ignore format: one event
}
const slower = { also_quantity: 'sm_clock', also_before: 1.98e9, also_after: 1.095e9, also_unit: 'Hz' };

test('the second quantity keeps its name and unit where the first event of the group does not tell it', () => {
  const reported = 'power brake asserted; SM clock 1,980 → 1,095 MHz';
  assert.equal(happeningText('gpu.power_brake', [brake(0, slower), brake(1, {})]).replaceAll('\u00a0', ' '), reported);
  assert.equal(happeningText('gpu.power_brake', [brake(0, {}), brake(1, slower)]).replaceAll('\u00a0', ' '), reported);
});

test('numbers of another quantity are not put under the unit of the first', () => {
  const warmer = { also_quantity: 'temperature', also_before: 61, also_after: 80, also_unit: 'Cel' };
  const text = happeningText('gpu.power_brake', [brake(0, slower), brake(1, warmer)]).replaceAll('\u00a0', ' ');
  assert.equal(text, 'power brake asserted; SM clock 1,980 → 1,095 MHz');
});

test('a full file system is named, whatever its path holds', () => {
  const event = makeEvent('node-3', { kind: 'host.disk_full', component: { type: 'host', id: 'node-3' }, timeMs: 1_790_000_000_000, observedMs: 1_790_000_000_000, trust: 'system', state: 'onset', source: 'system', attributes: { path: '/da\u001bta', size_bytes: 1024 ** 4, available_bytes: 0 } }); // biome-ignore format: one event
  assert.equal(happeningText('host.disk_full', [event]), 'disk full: /da\\x1bta, 0 of 1 TiB left');
});

test('of several GPUs that are not equally hot the range is said, of equal ones the one temperature', () => {
  const hot = (gpu: number, temperature: number): FaultEvent => ({
    ...brake(gpu, { temperature }),
    kind: 'gpu.thermal_throttle',
  });
  assert.equal(
    happeningText('gpu.thermal_throttle', [hot(0, 88), hot(1, 93), hot(2, 90)]),
    'thermal slowdown: at 88 to 93 °C',
  );
  assert.equal(happeningText('gpu.thermal_throttle', [hot(0, 88), hot(1, 88)]), 'thermal slowdown: at 88 °C');
});

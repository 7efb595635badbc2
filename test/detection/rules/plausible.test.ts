// Readings that cannot be, and voltages that only come back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plausible, Returns } from '../../../src/detection/rules/plausible.ts';
import type { SampleBatch } from '../../../src/model/record.ts';
import type { DetectorEdge } from '../../../src/native.ts';

const PHASE = 'pdu_phase/pdu-b/1';

function batch(voltage: number, current: number): SampleBatch {
  const keys = [`${PHASE}#voltage`, `${PHASE}#current`];
  return { source: 'pdu', trust: 'facility', keys, timesMs: [1000, 1000], values: [voltage, current] };
}

function edge(
  detector: string,
  state: DetectorEdge['edge'],
  timeMs: number,
  value: number,
  reference: number,
): DetectorEdge {
  const previousMs = timeMs - 2000;
  return { detector, key: `${PHASE}#voltage`, edge: state, timeMs, previousMs, value, reference, extreme: value, detectedMs: timeMs }; // biome-ignore format: one row
}

test('no voltage on a phase that draws current is not a reading', () => {
  assert.deepEqual(plausible(batch(0, 12.5)).keys, [`${PHASE}#current`]);
});

test('no voltage and no current is a lost phase; without a current nothing is said against it', () => {
  assert.deepEqual(plausible(batch(0, 0)).keys, batch(0, 0).keys);
  const { keys, timesMs, values, ...rest } = batch(0, 0);
  const alone = { ...rest, keys: keys.slice(0, 1), timesMs: timesMs.slice(0, 1), values: values.slice(0, 1) };
  assert.deepEqual(plausible(alone).keys, alone.keys);
});

test('the end of a long sag is not a swell, though the median has followed the sag', () => {
  const returns = new Returns();
  assert.equal(returns.isReturn('power.voltage_sag', edge('sag', 'onset', 1000, 3, 121)), false);
  assert.equal(returns.isReturn('power.voltage_swell', edge('swell', 'onset', 41_000, 121, 3)), true);
  assert.equal(returns.isReturn('power.voltage_sag', edge('sag', 'clear', 41_000, 121, 121)), false);
  assert.equal(returns.isReturn('power.voltage_swell', edge('swell', 'clear', 60_000, 121, 3)), true);
});

test('a swell that follows a sag, or comes long after one, is reported', () => {
  const returns = new Returns();
  returns.isReturn('power.voltage_sag', edge('sag', 'onset', 1000, 100, 121));
  returns.isReturn('power.voltage_sag', edge('sag', 'clear', 5000, 121, 121));
  assert.equal(returns.isReturn('power.voltage_swell', edge('swell', 'onset', 9000, 140, 121)), false);
  assert.equal(returns.isReturn('power.voltage_swell', edge('swell', 'clear', 12_000, 121, 121)), false);
  assert.equal(returns.isReturn('power.voltage_swell', edge('swell', 'onset', 2_000_000, 121, 100)), false);
});

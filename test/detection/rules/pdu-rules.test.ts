// Detectors of power distribution units: what a branch carries of its rating is reported before its breaker opens.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf, times } from '../series.ts';

const STEP_MS = 5000;

function states(values: readonly number[], key = 'pdu_branch/pdu-b/2#current_share'): string[] {
  const rounds = values.map((value) => ({ [key]: value }));
  return eventsOf(rounds, { stepMs: STEP_MS }).map(
    ({ kind, component, severity, state }) => `${kind} ${component?.id} ${severity} ${state}`,
  );
}

test('a branch that stays over nine tenths of its rating is a warning, which ends well below', () => {
  const share = [...times(4, () => 0.7), ...times(8, () => 0.93), ...times(4, () => 0.87), ...times(8, () => 0.6)];
  assert.deepEqual(states(share), ['power.overload pdu-b/2 warning onset', 'power.overload pdu-b/2 warning clear']);
});

test('a job that comes and goes, and a branch that is well used, are nothing', () => {
  assert.deepEqual(states(times(24, (i) => (i % 6 === 0 ? 1.1 : 0.6))), []);
  assert.deepEqual(states(times(24, () => 0.85)), []);
});

test('a UPS and the supplies of a host are warned of before their limit, and not for a step of a job', () => {
  for (const [key, id] of [
    ['ups/ups-1#load', 'ups-1'],
    ['pdu_phase/ups-1/1#load', 'ups-1/1'],
    ['host/node-3#power_share', 'node-3'],
  ] as const) {
    const load = [...times(4, () => 0.7), ...times(8, () => 0.97), ...times(8, () => 0.6)];
    const expected = [`power.overload ${id} warning onset`, `power.overload ${id} warning clear`];
    assert.deepEqual(states(load, key), expected, key);
    const steps = times(24, (i) => (i % 6 === 0 ? 1.1 : 0.6));
    assert.deepEqual(states(steps, key), [], key);
  }
});

// Detectors of power distribution units: what a branch carries of its rating is reported before its breaker opens.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf, times } from '../series.ts';

const STEP_MS = 5000;

function states(values: readonly number[]): string[] {
  const rounds = values.map((value) => ({ 'pdu_branch/pdu-b/2#current_share': value }));
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

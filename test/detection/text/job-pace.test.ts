// Pace: how long before a line of a job's log its last step ended, and what its steps take.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace } from '../../../src/detection/text/job/pace.ts';

test('the last step and the usual one are known once steps were seen, and nothing before', () => {
  const pace = new Pace();
  assert.equal(pace.at(0), null);
  pace.step(1000, 500);
  assert.equal(pace.at(1500), null);
  for (let at = 1500; at <= 4000; at += 500) pace.step(at, 500);
  assert.deepEqual(pace.at(9000), { since_step_ms: 5000, step_ms: 500 });
});

test('one slow step is not the usual one, and a line of an older time says nothing', () => {
  const pace = new Pace();
  for (const [at, took] of [
    [1, 400],
    [2, 400],
    [3, 400],
    [4, 9000],
    [5, 400],
  ] as const)
    pace.step(at * 1000, took);
  assert.equal(pace.at(6000)?.step_ms, 400);
  assert.equal(pace.at(4000), null);
});

test('steps of several ranks at one time, and steps that do not say what they took, are no steps of their own', () => {
  const pace = new Pace();
  pace.step(1000, 500);
  pace.step(1000, 700);
  pace.step(2000, null);
  assert.equal(pace.at(3000), null);
});

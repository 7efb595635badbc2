// Steps in power, their size and ramp, and the rhythm of training, which is one event and not thousands.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LoadStep, LoadSteps } from '../../../src/detection/load/load-steps.ts';

const T0 = 1_700_000_000_000;

function play(watts: readonly number[], steps = new LoadSteps()): LoadStep[] {
  return watts.flatMap((value, i) => steps.take(T0 + i * 1000, value) ?? []);
}
const flat = (value: number, seconds: number, noise = 0) =>
  Array.from({ length: seconds }, (_, i) => value + (i % 2 === 0 ? noise : -noise));
const ramp = (from: number, to: number, seconds: number) =>
  Array.from({ length: seconds }, (_, i) => from + ((to - from) * (i + 1)) / (seconds + 1));

test('a job that starts is one step, with its size, and the second in which it began', () => {
  const [step, ...more] = play([...flat(800, 20, 10), ...flat(5600, 20, 40)]);
  assert.deepEqual(more, []);
  assert.ok(step && Math.abs(step.before - 800) <= 20 && Math.abs(step.after - 5600) <= 50);
  assert.deepEqual([step.earliestMs, step.latestMs, step.rampS, step.periodS], [T0 + 19_000, T0 + 20_000, 1, null]);
});

test('a slow start has its ramp, and its end is a step as well', () => {
  const steps = play([...flat(800, 20), ...ramp(800, 5600, 9), ...flat(5600, 30), ...flat(700, 10)]);
  assert.equal(steps.length, 2);
  assert.ok((steps[0]?.rampS ?? 0) >= 7 && (steps[0]?.rampS ?? 0) <= 10, `${steps[0]?.rampS} s`);
  assert.deepEqual([steps[1]?.before, steps[1]?.after], [5600, 700]);
});

test('noise, a drift, a spike of two seconds and a gap are none', () => {
  assert.deepEqual(play(flat(5000, 300, 200)), [], 'noise');
  assert.deepEqual(play(ramp(2000, 5000, 900)), [], 'a drift over minutes');
  assert.deepEqual(play([...flat(2000, 30), 6000, 6000, ...flat(2000, 30)]), [], 'a spike');
  const steps = new LoadSteps();
  for (let i = 0; i < 20; i += 1) steps.take(T0 + i * 1000, 800);
  for (let i = 0; i < 20; i += 1) assert.equal(steps.take(T0 + 600_000 + i * 1000, 5600), null, 'a gap');
});

test('the swing of training is one event with its period', () => {
  const swing = Array.from({ length: 600 }, (_, i) => (i % 8 < 5 ? 5600 : 2400));
  const steps = play([...flat(5600, 20), ...swing]);
  const rhythms = steps.filter(({ periodS }) => periodS !== null);
  assert.equal(rhythms.length, 1);
  assert.deepEqual([rhythms[0]?.periodS, rhythms[0]?.before, rhythms[0]?.after], [8, 2400, 5600]);
  assert.ok(steps.length <= 12, `${steps.length} events in ten minutes`);
});

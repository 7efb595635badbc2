// A step time that rises a little and stays so: as the whole run shows it, and only where it is clear.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LevelShift } from '../../../src/detection/job/level-shift.ts';
import { EMPTY_STEP } from '../../../src/detection/text/job/progress.ts';

const JOB = { type: 'job', id: 'bloom' } as const;

function shifts(ms: readonly number[], first = 100, every = 1): readonly unknown[] {
  const shift = new LevelShift();
  ms.forEach((step_time_ms, i) => {
    const iteration = first + i * every;
    const progress = {
      ...EMPTY_STEP,
      iteration,
      step_time_ms,
      step_time_from: 'printed',
      time: null,
      rank: null,
    } as const;
    shift.steps(JOB, [{ position: i, timeMs: 1000 * i, progress }]);
  });
  return shift.end().map(({ attributes }) => attributes?.iteration);
}

test('a few percent that stay are found at the first slower step', () => {
  assert.deepEqual(shifts([1000, 1003, 1001, 1002, 1050, 1055, 1052]), [104]);
  const long = Array.from({ length: 3000 }, (_, i) => (i < 2000 ? 500 : 530) + (i % 5));
  assert.deepEqual(shifts(long), [2100]);
});

test('jitter, one slow step, a step that is faster again, and too few steps are none', () => {
  for (const ms of [
    [5630, 5361, 5470, 5829, 5500, 5900],
    [1000, 1001, 1002, 1080],
    [1000, 1001, 1002, 1080, 1081, 1003],
    [1000, 1001, 1080, 1081],
    [1000, 1010, 1020, 1045, 1055],
    [],
  ])
    assert.deepEqual(shifts(ms), [], ms.join(' '));
});

test('steps of another run are not compared', () => {
  const shift = new LevelShift();
  const step = (iteration: number, step_time_ms: number) => {
    const progress = {
      ...EMPTY_STEP,
      iteration,
      step_time_ms,
      step_time_from: 'printed',
      time: null,
      rank: null,
    } as const;
    shift.steps(JOB, [{ position: iteration, timeMs: iteration, progress }]);
  };
  for (const [iteration, ms] of [[1, 1000], [2, 1001], [3, 1000], [400, 1100], [401, 1101], [402, 1100]] as const) step(iteration, ms); // biome-ignore format: one line
  assert.deepEqual(shift.end(), []);
});

test('the end of one log is judged once, and a daemon keeps the end of a long run', () => {
  const shift = new LevelShift(8);
  const run = Array.from({ length: 40 }, (_, i) => (i < 34 ? 1000 : 1050) + (i % 3));
  run.forEach((step_time_ms, i) => {
    const progress = { ...EMPTY_STEP, iteration: i, step_time_ms, step_time_from: 'printed', time: null, rank: null } as const; // biome-ignore format: one line
    shift.steps(JOB, [{ position: i, timeMs: 1000 * i, progress }]);
  });
  assert.deepEqual(shift.endOf('other'), []);
  assert.deepEqual(shift.endOf('bloom').map(({ attributes }) => attributes?.iteration), [34]); // biome-ignore format: one call
  assert.deepEqual([...shift.endOf('bloom'), ...shift.end()], []);
});

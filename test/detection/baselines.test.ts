// Baselines of a job's speed, word by word: frozen in an anomaly, re-armed after it, by step time and by tokens per second alike.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LoggedJob, loggedJob } from './logged-job.ts';

/** A step of torchtitan, which reports tokens per second and GPU and no step time. */
function tokens(job: LoggedJob, steps: number, perSecond: number): LoggedJob {
  for (let i = 0; i < steps; i += 1) job.titanStep(perSecond + (i % 5));
  return job;
}

test('what is abnormal never becomes normal, however long it lasts', (t) => {
  const job = loggedJob(t).run(40, 400).run(3_000, 700);
  assert.deepEqual(job.reported, ['onset 42']);
});

test('after an anomaly the baseline is the one of before, and the next anomaly is reported at once', (t) => {
  const job = loggedJob(t).run(40, 400).run(2_000, 700).run(10, 400).run(3, 700);
  assert.deepEqual(job.reported, ['onset 42', 'clear 2041', 'onset 2052']);
  assert.deepEqual(
    job.attributes.map(({ before }) => Math.round(Number(before) * 1000)),
    [401, 702, 401],
  );
});

test('one outlier moves neither the median nor the spread', (t) => {
  const job = loggedJob(t).run(40, 400).step(60_000).run(40, 400);
  assert.deepEqual(job.reported, []);
  job.run(3, 560);
  assert.deepEqual(job.reported, ['onset 83']);
});

test('a slow drift is followed, a jump on top of it is reported', (t) => {
  const job = loggedJob(t);
  for (let i = 0; i < 4_000; i += 1) job.step(400 + i / 10 + (i % 3));
  assert.deepEqual(job.reported, []);
  job.run(3, 1_200);
  assert.equal(job.reported.length, 1);
});

test('tokens per second that fall are reported like steps that take longer, and so is their end', (t) => {
  const job = tokens(tokens(tokens(loggedJob(t), 40, 4000), 5, 2000), 5, 4000);
  assert.deepEqual(job.reported, ['onset 42', 'clear 46']);
  const [fall] = job.attributes;
  assert.deepEqual(
    [fall?.quantity, fall?.before, fall?.after, fall?.unit],
    ['tokens per second and GPU', 4002, 2000, '1/s'],
  );
});

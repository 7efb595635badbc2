// One reader for every generation of Slurm: the same job is read alike from each of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gpusOn, sharesGpus } from '../../../../src/sources/slurm/read/gres.ts';
import { jobId } from '../../../../src/sources/slurm/read/job.ts';
import { errorsInJson, jobsFromJson } from '../../../../src/sources/slurm/read/job-json.ts';
import { jobsFromText } from '../../../../src/sources/slurm/read/job-text.ts';
import { outputPaths } from '../../../../src/sources/slurm/read/output-path.ts';
import { documentWith, GENERATIONS, SLUID, TEXT } from './generations.ts';

const read = (form: string) =>
  form === 'text' ? jobsFromText(TEXT)[0] : jobsFromJson(documentWith(GENERATIONS[form] ?? {}))?.[0];

for (const form of [...Object.keys(GENERATIONS), 'text']) {
  test(`${form}: id, user, state, exit code, GPUs, times and output of a job are read`, () => {
    const job = read(form);
    assert.ok(job !== undefined);
    assert.equal(jobId(job), '991_3');
    const { number, user, uid, account, partition, name, states, reason, exit, restarts, tasks, parts } = job;
    assert.deepEqual(
      { number, user, uid, account, partition, name, states, reason, exit, restarts, tasks, parts },
      {
        number: 993,
        user: 'ada',
        uid: 1001,
        account: 'vision',
        partition: 'h100',
        name: 'train',
        states: ['FAILED'],
        reason: 'NonZeroExitCode',
        exit: { code: 3, signal: 0 },
        restarts: 1,
        tasks: 16,
        parts: null,
      },
    );
    assert.deepEqual(
      [job.submittedMs, job.startedMs, job.endMs, job.preemptedMs],
      [1_795_000_000_000, 1_795_000_060_000, 1_795_000_660_000, null],
    );
    assert.deepEqual(outputPaths(job), ['/scratch/ada/train-991_3.out']);
    assert.deepEqual([gpusOn('gpu01', job), gpusOn('gpu02', job), gpusOn('gpu03', job)], [[0, 1, 2, 3], [4, 5, 6, 7], null]); // biome-ignore format: one line
    assert.ok(job.hasGpus);
  });
}

test('the id that sorts is read where each release has it', () => {
  for (const [form, sluid] of [['25.05, v0.0.43', null], ['25.11, v0.0.44', SLUID], ['26.05, v0.0.45', SLUID]] as const)
    assert.equal(read(form)?.sluid, sluid, form); // biome-ignore format: one line
  assert.equal(jobsFromJson(documentWith({ job_id: 1, sluid: SLUID }))?.[0]?.sluid, SLUID);
});

test('a status of wait(2) with a signal, and the parts of newer forms, mean the same', () => {
  const exitOf = (exit_code: unknown) => jobsFromJson(documentWith({ job_id: 1, exit_code }))?.[0]?.exit;
  assert.deepEqual(exitOf(9), { code: 0, signal: 9 });
  assert.deepEqual(exitOf({ set: true, infinite: false, number: 1792 }), { code: 7, signal: 0 });
  const signal = { id: { set: true, infinite: false, number: 9 }, name: 'KILL' };
  assert.deepEqual(exitOf({ return_code: { set: true, infinite: false, number: 0 }, signal }), { code: 0, signal: 9 });
  assert.deepEqual(exitOf({ return_code: 0, signal: { signal_id: 9 } }), { code: 0, signal: 9 });
  assert.equal(exitOf(4_294_967_294), null);
});

test('a job outside of an array has no task, whatever zero or null stands for that', () => {
  for (const none of [0, null, '', { set: false, infinite: false, number: 0 }, 4_294_967_294]) {
    const job = jobsFromJson(documentWith({ job_id: 7, array_job_id: 0, array_task_id: none }))?.[0];
    assert.equal(job?.array, null, JSON.stringify(none));
  }
  // Task 0 of an array is one.
  const first = jobsFromJson(documentWith({ job_id: 7, array_job_id: { set: true, number: 6 }, array_task_id: { set: true, number: 0 } }))?.[0]; // biome-ignore format: one line
  assert.equal(first === undefined ? null : jobId(first), '6_0');
});

test("any other text is null, and Slurm's errors are read", () => {
  assert.equal(jobsFromJson('slurm_load_jobs error: Unable to contact slurm controller'), null);
  assert.equal(jobsFromJson('{"jobs": 4}'), null);
  assert.deepEqual(jobsFromJson('{"jobs": [null, 4, {"job_id": "x"}, {"job_id": -1}]}'), []);
  const errors = [{ error: 'Invalid job id specified', error_number: 2017 }];
  assert.equal(errorsInJson(JSON.stringify({ jobs: [], errors })), 'Invalid job id specified');
});

test('a name that looks like further keys of the text form makes nothing up, and hides only its own job', () => {
  const evil =
    'x\n   UserId=root(0) GroupId=root(0) JobState=COMPLETED NodeList=gpu01 GRES=gpu:8(IDX:0-7) ArrayJobId=5 ArrayTaskId=1';
  const text = TEXT.replace('ArrayJobId=991 ArrayTaskId=3 ', '').replace('JobName=train', `JobName=${evil}`);
  const [job] = jobsFromText(text);
  assert.ok(job !== undefined);
  assert.equal(job.number, 993);
  assert.deepEqual([job.user, job.uid, job.states, job.array, job.failedNode], [null, null, [], null, null]);
  assert.equal(gpusOn('gpu01', job), null);
});

test('several records of one answer are told apart', () => {
  const jobs = jobsFromText(TEXT + TEXT.replaceAll('993', '994').replace('ArrayTaskId=3', 'ArrayTaskId=4'));
  assert.deepEqual(jobs.map(jobId), ['991_3', '991_4']);
});

test('a job with a shard of a GPU, or a part by MPS, has that GPU, and others may', () => {
  for (const gres of ['shard:1(IDX:2)', 'mps:50(IDX:2)', 'shard:a100:4(IDX:2)']) {
    const job = jobsFromJson(documentWith({ job_id: 1, nodes: 'n1', gres_detail: [gres], tres_alloc_str: `gres/${gres}` }))?.[0]; // biome-ignore format: one line
    assert.ok(job !== undefined);
    assert.deepEqual([gpusOn('n1', job), sharesGpus(job), job.hasGpus], [[2], true, true], gres);
  }
  const whole = jobsFromJson(documentWith({ job_id: 1, nodes: 'n1', gres_detail: ['gpu:1(IDX:2)'] }))?.[0];
  assert.ok(whole !== undefined && !sharesGpus(whole));
});

test('instances have indices that are not GPUs', () => {
  const job = jobsFromJson(documentWith({ job_id: 1, nodes: 'n1', gres_detail: ['gpu:1g.10gb:1(IDX:3)'] }))?.[0];
  assert.equal(job === undefined ? undefined : gpusOn('n1', job), null);
});

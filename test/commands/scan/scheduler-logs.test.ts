// Logs of a scheduler's daemons are not those of jobs: each line is of the job that it names, and says what the daemon knows, no more.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { jobOfLine } from '../../../src/detection/text/job/job-number.ts';
import { scannedLogs } from './scanned.ts';

const scanned = (t: TestContext, name: string, lines: readonly string[], ...more: string[]): Promise<string> =>
  scannedLogs(t, { [name]: lines }, ...more);

const hardware = (cpus: string, threads: string): string =>
  `[2026-11-30T05:10:00.004] error: Node configuration differs from hardware: CPUs=${cpus}(hw) Boards=1:1(hw) SocketsPerBoard=2:2(hw) CoresPerSocket=48:48(hw) ThreadsPerCore=${threads}(hw)`;
const STEPS = [
  '[2026-11-30T05:11:00.120] [7001.0] error: *** STEP 7001.0 ON gx-71 CANCELLED AT 2026-11-30T05:11:00 DUE TO TIME LIMIT ***',
  '[2026-11-30T05:20:00.120] [7002.0] error: Detected 1 oom_kill event in StepId=7002.0. Some of the step tasks have been OOM Killed.',
];

test('the log of slurmd is not of a job: its lines are of the jobs that they name, and of its host', async (t) => {
  const text = await scanned(t, 'slurmd.log', [hardware('192:96', '2:1'), ...STEPS]);
  assert.doesNotMatch(text, /jobs are called after|job slurmd/);
  assert.match(text, /Root cause {2}fewer parts than Slurm expects on gx-71\n/);
  assert.match(text, /Now +on gx-71, slurmd -C prints what it has: .* slurm\.conf/);
  const { events } = JSON.parse(await scanned(t, 'slurmd-gx-71.log', STEPS, '--json')) as {
    events: { component?: { id: string } }[];
  };
  assert.ok(JSON.stringify(events).includes('"7001"'), 'the step that was cancelled is of its job');
  assert.ok(!JSON.stringify(events).includes('"slurmd'), 'no job is called after the daemon');
});

test('a host with more than slurm.conf says lacks nothing', async (t) => {
  assert.match(await scanned(t, 'slurmd.log', [hardware('96:192', '1:2')]), /\nNo incident: /);
});

test('the log of slurmctld names nodes with less than slurm.conf says, and which take no work', async (t) => {
  const text = await scanned(t, 'slurmctld.log', [
    '[2026-11-30T06:00:00.001] error: Setting node gx-81 state to INVAL with reason:Low RealMemory (reported:770000 < 100.00% of configured:1030000)',
    '[2026-11-30T06:09:00.001] error: Setting node gx-82 state to INVAL with reason:gres/gpu:h200 count too low (6 < 8)',
    '[2026-11-30T06:10:00.001] sched: Allocate JobId=7003 NodeList=gx-83 #CPUs=96 Partition=gpu',
  ]);
  assert.match(text, /Root cause {2}fewer parts than Slurm expects on gx-81\n/);
  assert.match(text, /Root cause {2}GPU missing on gx-82\n/);
  assert.equal(text.match(/takes no new work already/g)?.length, 2);
});

test('of a step that did not end Slurm knows no more than that', async (t) => {
  for (const reason of [
    'Kill task failed',
    'Kill task failed (JobId=7004 StepId=0)',
    'Job step not running (JobId=7004 StepId=1)',
  ]) {
    const text = await scanned(t, 'slurmctld.log', [
      `[2026-11-30T06:20:00.001] update_node: node gx-84 reason set to: ${reason}`,
    ]);
    assert.match(text, /Root cause {2}job step did not end on gx-84\n/, reason);
    assert.match(text, /Now +on gx-84, ps -eo pid,stat,wchan:32,user,args .*UnkillableStepTimeout/);
    assert.doesNotMatch(text, /task blocked in the kernel/);
  }
});

test('a line of a daemon is of the job that it names', () => {
  assert.equal(jobOfLine('[2026-11-30T05:11:00.120] [7001.batch] done with step'), '7001');
  assert.equal(jobOfLine('[2026-11-30T05:11:00.120] _job_complete: JobId=7005_3 WEXITSTATUS 0'), '7005_3');
  assert.equal(jobOfLine('[2026-11-30T05:11:00.120] error: Node gx-1 not responding'), null);
});

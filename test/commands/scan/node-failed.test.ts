// A node of a job that failed, and the tasks that the scheduler then ends on all nodes: one incident, of the node.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const CANCELLED =
  'slurmstepd: error: *** STEP 4180.0 ON ai-71 CANCELLED AT 2026-11-27T09:12:44 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***';

test('srun names the node: what it reports of tasks after that is not another incident', async (t) => {
  const text = await scannedLogs(t, {
    'slurm-4180.out': [
      '2026-11-27 09:11:58 step 210 loss 2.02',
      'srun: error: Node failure on ai-72',
      'srun: Job step aborted: Waiting up to 32 seconds for job step to finish.',
      CANCELLED,
      'srun: error: ai-71: tasks 0-7: Killed',
      'srun: error: ai-72: task 9: Exited with exit code 1',
    ],
  });
  assert.match(text, /1 incident out of/);
  assert.match(text, /Root cause .*host down on ai-72/);
  assert.match(text, /Do +see whether ai-72 is up/);
});

test('only slurmstepd says it: the node that writes that is not the one that failed', async (t) => {
  const text = await scannedLogs(t, {
    'slurm-4180.out': [
      '2026-11-27 09:11:58 step 210 loss 2.02',
      CANCELLED,
      'srun: error: ai-71: tasks 0-7: Killed',
      'srun: error: ai-72: tasks 8-15: Killed',
    ],
  });
  assert.match(text, /1 incident out of/);
  assert.match(text, /job 4180 ended because a node of it failed \(ai-72\)/);
  assert.doesNotMatch(text, /rank killed/);
});

test('tasks that are killed without a word of a node, or that ran out of memory, are still reported', async (t) => {
  const killed = await scannedLogs(t, { 'slurm-4181.out': ['srun: error: ai-71: task 3: Killed'] });
  assert.match(killed, /rank killed/);
  const memory = await scannedLogs(t, {
    'slurm-4182.out': ['srun: error: Node failure on ai-72', 'srun: error: ai-71: task 3: Out Of Memory'],
  });
  assert.match(memory, /rank killed/);
});

test("of a job that scontrol shows, the time is its end's, and its nodes are those to look at", async (t) => {
  const job = (id: number, nodes: string): string[] => [
    `JobId=${id} JobName=tune`,
    '   UserId=ana(20110) GroupId=ml(2001) MCS_label=N/A',
    '   JobState=NODE_FAIL Reason=NodeDown Dependency=(null)',
    '   StartTime=2026-11-29T02:10:00 EndTime=2026-11-29T07:41:30 Deadline=N/A',
    `   NodeList=${nodes}`,
  ];
  const several = await scannedLogs(t, { 'job.txt': job(70321, 'gx-[11-12]') });
  assert.match(several, /seen [\d-]+ 07:41:30\n.*\(gx-11 or gx-12\)/s);
  assert.match(several, /Call +who runs gx-11 or gx-12/);
  const one = await scannedLogs(t, { 'job.txt': [...job(70322, 'gx-14'), '', ...job(70323, '(null)')] });
  assert.match(one, /job 70322 ended because a node of it failed \(gx-14\)/);
  assert.match(one, /scontrol show node gx-14 .* ping -c 3 gx-14/);
  assert.match(one, /job 70323 ended because a node of it failed/);
});

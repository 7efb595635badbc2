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

// Kills of kernels up to 4.19: the task that was chosen and the process that was ended for it are one kill, of the one that ended.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeKernelLine, kernelContext, releaseHeld } from '../../../src/detection/text/kernel.ts';
import { kernelRecord } from './lines.ts';

const CHOSEN = 'Memory cgroup out of memory: Kill process 24572 (java) score 0 or sacrifice child';
const ENDED = 'Killed process 28438 (java) total-vm:20255636kB, anon-rss:466160kB, file-rss:13684kB';

function killed(...lines: string[]): string[] {
  const context = kernelContext('node-1');
  const events = lines.flatMap((line, i) => decodeKernelLine(kernelRecord(line, i), context));
  return [...events, ...releaseHeld(context, Number.POSITIVE_INFINITY)].map(
    ({ component, attributes }) => `${component?.id} ${attributes?.constraint ?? ''}`,
  );
}

test('both lines are one kill, of the process that ended, and within the limit of its group', () => {
  assert.deepEqual(killed(CHOSEN, ENDED), ['28438 CONSTRAINT_MEMCG']);
});

test('each line alone is a kill', () => {
  assert.deepEqual(killed(CHOSEN), ['24572 CONSTRAINT_MEMCG']);
  assert.deepEqual(killed(ENDED), ['28438 ']);
});

test('two kills are two', () => {
  assert.deepEqual(killed(CHOSEN, ENDED, CHOSEN, ENDED).length, 2);
  assert.deepEqual(killed(CHOSEN, CHOSEN.replace('24572', '24573')).length, 2);
});

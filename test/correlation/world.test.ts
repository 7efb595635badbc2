// World: two explanations are drawn from the same as long as its number is the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from '../../src/correlation/belief/condition.ts';
import { failedSources, World } from '../../src/correlation/world.ts';

test('a source that is heard for the first time changes it, and only then; a flood of names fills no memory', () => {
  const world = new World();
  world.hear('gpu');
  world.hear('gpu');
  assert.deepEqual([world.changes, world.hasHeard('gpu'), world.hasHeard('nic')], [1, true, false]);
  for (let i = 0; i < 1000; i += 1) world.hear(`made-up-${i}`);
  assert.equal(world.changes, 256);
  assert.equal(world.hasHeard('made-up-999'), false);
});

test('what every explanation names changes it: our own sources and starts of jobs, no other kind', () => {
  const world = new World();
  for (const kind of ['agent.source_failed', 'power.feed_unreachable', 'job.started'] as const) world.changedBy(kind);
  assert.equal(world.changes, 3);
  world.changedBy('gpu.lost');
  assert.equal(world.changes, 3);
});

test('a source of ours counts as failed as long as that has no end', () => {
  const at = (endMs: number | null) => ({ endMs }) as Condition; // all that is looked at
  const [open, over] = [at(null), at(5)];
  assert.deepEqual(
    failedSources((kind) => (kind === 'agent.source_failed' ? [open, over] : [])),
    [open],
  );
});

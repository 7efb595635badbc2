// Job size: how many ranks a job has, as lines of launchers, libraries and programs say.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import catalog from '#catalog/job-sizes.json' with { type: 'json' };
import { JobSize } from '../../../src/detection/text/job/job-size.ts';

function sizeOf(...lines: readonly string[]): number | null {
  const size = new JobSize();
  for (const line of lines) size.take(line);
  return size.ranks;
}

for (const { from, example, is } of catalog.lines)
  test(`the example says its size: ${from}`, () => assert.equal(sizeOf(example), is));

test('the largest counts, for a communicator of a part of the job has a size of its own', () => {
  const line = (rank: number, size: number): string =>
    `node-2:812:901 [3] NCCL INFO comm 0x55d1 rank ${rank} nranks ${size} cudaDev 3`;
  assert.equal(sizeOf(line(0, 4), line(3, 16), line(1, 8)), 16);
});

test('other words, and numbers that no job has, say nothing', () => {
  assert.equal(
    sizeOf('local_world_size=8', 'WORLD_SIZE unset', 'hello world', 'world size: 99999999', 'new_world_size: 4'),
    null,
  );
});

// Ranks by the names of their dumps.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dumpedRanks } from '../../../../src/sources/flight-recorder/dumps/dumped-ranks.ts';

test('the number at the end is the rank, and what is none is left out', () => {
  const paths = ['/tmp/nccl_trace_rank_10', '/tmp/nccl_trace_rank_2', '/d/2', '/d/rank_02', '/d/notes', '/d/a123456'];
  assert.deepEqual(dumpedRanks(paths), [2, 10]);
  assert.deepEqual(dumpedRanks(Array.from({ length: 2000 }, (_, rank) => `/d/r_${rank}`)), []);
});

// Local ranks: which rank of a job a number in a line means, by the ranks that the configuration places here.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { globalRank } from '../../../src/identity/rank/local-ranks.ts';

test('a label is resolved by the ranks of this host, and never guessed', () => {
  const here = [8, 9, 10, 11];
  const cases: readonly (readonly [number, 'global' | 'local' | 'either', readonly number[] | null, number | null])[] = [
    [9, 'global', here, 9], [1, 'global', here, null], [1, 'local', here, 9], [7, 'local', here, null],
    [9, 'either', here, 9], [1, 'either', here, 9], [5, 'either', here, null],
    [1, 'either', [0, 1], 1], [2, 'either', [2, 4, 6], null], [4, 'either', [2, 4, 6], 4],
    [3, 'global', null, 3], [3, 'either', null, 3], [3, 'local', null, null],
  ]; // biome-ignore format: a table
  for (const [number, means, local, expected] of cases) {
    assert.equal(globalRank({ number, means }, local), expected, `${number} ${means} ${local}`);
  }
});

test('a task of srun is the rank of that number only where it cannot be a node', () => {
  const cases: readonly (readonly [number, readonly number[] | null, number | null])[] = [
    [9, [8, 9, 10, 11], 9], // a node of that number would hold other ranks
    [2, [8, 9, 10, 11], null], // the third of these nodes, or a rank of another one
    [0, [0, 1, 2, 3], null], // the first node, or its first rank
    [3, [0, 1, 2, 3], 3],
    [0, [0], 0], // one rank a node: both are the same
    [7, null, 7],
  ];
  for (const [number, local, expected] of cases)
    assert.equal(globalRank({ number, means: 'task' }, local), expected, `${number} ${local}`);
});

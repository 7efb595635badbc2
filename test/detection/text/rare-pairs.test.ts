// Rare pairs: no text that holds one of the words is passed over, and ordinary text is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RarePairs } from '../../../src/detection/text/rare-pairs.ts';
import { runs } from '../../runs.ts';

const WORDS = ['rror', 'Traceback', 'what():', "'loss'", 'rank  ', '] exits', 'out of memory', 'é NCCL'];
const pairs = new RarePairs(WORDS);

test('every text that holds a word is looked at, whatever is around it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(...WORDS), fc.string(), (before, word, after) => {
      assert.ok(pairs.mayBeIn(before + word + after));
    }),
    { seed: 1, numRuns: runs(300, 30_000) },
  );
});

test('lines of an ordinary log are passed over', () => {
  for (const line of [
    '',
    '2025-07-21 15:57:42,774 - root - INFO - data loader: fetched shard 12 of 9999 in 0.21 s',
    'step: 10  loss: 4.2  grad_norm: 1.2  tps: 7,282  mfu: 42.6%',
    'дата загружена',
  ])
    assert.ok(!pairs.mayBeIn(line), line);
});

test('a word without two ASCII characters side by side is refused', () => {
  assert.throws(() => new RarePairs(['━']), /"━" has no two ASCII characters/);
});

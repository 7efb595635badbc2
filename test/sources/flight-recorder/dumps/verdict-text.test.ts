// What a rank did in words that fit next to its name, with the place in its own code.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { didText, waitsText } from '../../../../src/sources/flight-recorder/dumps/verdict-text.ts';

const frame = (name: string, file: string, line: number) => ({ function: name, file, line });
const VERDICT = {
  type: 'not_joined',
  group: { name: '0', desc: 'default_pg', ranks: [0, 1, 2, 3] },
  sequence: 9,
  operation: 'all_reduce',
  culprits: [3],
  culprits_count: 1,
  waiting: [0, 1, 2],
  waiting_count: 3,
  confidence: 0.9,
  why: '',
  since: null,
  evidence: [],
  frames: [
    { rank: 0, of: 'unfinished operation', stack: [frame('log_loss', '/srv/train/loop.py', 223)] },
    {
      rank: 3,
      of: 'last operation',
      stack: [frame('wrapper', '/x/torch/distributed/c10d.py', 80), frame('tie', '/srv/train/loop.py', 193)],
    },
  ],
} as const satisfies Parameters<typeof didText>[0];

test('the rank is described by what it did not do and where its own code was, not by where another waits', () => {
  assert.equal(
    didText(VERDICT, 3),
    'did not enter all_reduce number 9 of the world group, last called from tie (/srv/train/loop.py:193)',
  );
  assert.equal(didText({ ...VERDICT, frames: [VERDICT.frames[0]] }, 3), 'did not enter all_reduce number 9 of the world group'); // biome-ignore format: one line
  assert.equal(
    didText({ ...VERDICT, type: 'late_completer', culprits: [0] }, 0),
    'did not finish what the peers finished in all_reduce number 9 of the world group, in log_loss (/srv/train/loop.py:223)',
  );
});

test('ranks of other hosts are named, groups by their description or else their name', () => {
  const group = { name: '12', desc: 'undefined', ranks: [2, 3] };
  assert.equal(
    didText({ ...VERDICT, group, frames: [] }, null),
    'rank 3 did not enter all_reduce number 9 of group 12',
  );
  assert.equal(waitsText({ ...VERDICT, group: { ...group, desc: 'tp' } }), 'in all_reduce number 9 of group tp');
});

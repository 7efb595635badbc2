// Prefixes of training lines: colours, times with and without zone, ranks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripAnsi } from '../../../src/detection/text/job/ansi.ts';
import { readNumber } from '../../../src/detection/text/job/number.ts';
import { lineTime, readPrefix } from '../../../src/detection/text/job/prefix.ts';
import { START_MS } from './lines.ts';

test('colours go, ordinary brackets stay', () => {
  assert.equal(stripAnsi('\u001b[1;32mok\u001b[0m [12s] [rank-7/8] [3/9]'), 'ok [12s] [rank-7/8] [3/9]');
  assert.equal(stripAnsi('[[32m20261127[0m][1m[x]'), '[20261127][x]');
  assert.equal(stripAnsi('\u001b]8;;http://x\u0007link\u001b]8;;\u001b\\ end\u001b'), 'link end');
  assert.equal(stripAnsi('[38;2;255;128;0mx [m] [;m] [1;2'), 'x [m] [;m] [1;2');
});

test('numbers of every spelling', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    [' 13372.8/13364.7', 13_372.8], ['30,768', 30_768], ['9.46GiB', 9.46], ['2.5E-03', 0.0025], ['-1.5', -1.5],
    ['nan', 'nan'], ['NaN |', 'nan'], ['-nan', 'nan'], ['inf', 'inf'], ['-Infinity', '-inf'], ['+inf', 'inf'],
    ['1e999', 'inf'], ['', null], ['x', null], ['.', null], ['nano', null],
  ]; // biome-ignore format: a table
  for (const [text, value] of cases) assert.equal(readNumber(text), value, text);
});

test('a rank is global or none', () => {
  assert.deepEqual([readPrefix('[rank-7/8] x').rank, readPrefix('[rank-7/8] x').worldSize], [7, 8]);
  assert.equal(readPrefix('[rank0]:[titan] x').rank, 0);
  assert.equal(readPrefix('[default7]: x').rank, null);
});

test('a label says whether its number is that of the job or of the host', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['[rank3]:[titan] step: 1', { number: 3, means: 'either' }], ['[rank-7/8] x', { number: 7, means: 'global' }],
    ['[2026-11-27 12:00:00,000] [INFO] [Rank 0] step=10', { number: 0, means: 'global' }],
    ['[rank: 5] x', { number: 5, means: 'global' }], ['GLOBAL_RANK: 3, MEMBER: 4/8', { number: 3, means: 'global' }],
    ['[default3]:Training epoch 0', { number: 3, means: 'local' }], ['i.train/0 [default7]: x', { number: 7, means: 'local' }],
    ['[default3] x', null], ['[epoch3]: x', null], ['local_rank: 3', null], ['x', null],
  ]; // biome-ignore format: a table
  for (const [text, label] of cases) assert.deepEqual(readPrefix(text).label, label, text);
});

test('a time without zone is the host’s or UTC, whichever is nearer to arrival', () => {
  const zone = process.env.TZ;
  try {
    process.env.TZ = 'Asia/Tokyo';
    const arrival = START_MS + 500;
    const utc = lineTime(readPrefix('[2026-11-27 12:00:00] x'), arrival);
    const local = lineTime(readPrefix('2026-11-27 21:00:00,250 - root'), arrival);
    assert.deepEqual(utc, { timeMs: START_MS, digits: 0, from: 'line' });
    assert.deepEqual(local, { timeMs: START_MS + 250, digits: 3, from: 'line' });
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

test('a time that states its zone is taken by it', () => {
  const prefix = readPrefix('2026-11-27T13:00:00.5+01:00 x');
  assert.deepEqual(lineTime(prefix, START_MS), { timeMs: START_MS + 500, digits: 1, from: 'line' });
});

test('a time far from arrival, or none, or an impossible one, is the arrival and says so', () => {
  for (const text of ['[2024-04-06 02:55:45] x', 'x', '[2026-99-27 12:00:00] x', '[20261127 99:00:00] x']) {
    assert.deepEqual(lineTime(readPrefix(text), START_MS), { timeMs: START_MS, digits: 3, from: 'arrival' }, text);
  }
});

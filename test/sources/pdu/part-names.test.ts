// What rows of tables are called: short where that is enough, and never two the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PartRule } from '../../../src/sources/pdu/catalogue.ts';
import { partNames } from '../../../src/sources/pdu/part-names.ts';

const names = (rule: PartRule, rows: readonly (string | readonly [string, number])[], firstUnit?: number) =>
  Object.fromEntries(
    partNames(
      rule,
      rows.map((row) => (typeof row === 'string' ? { index: row, number: null } : { index: row[0], number: row[1] })),
      firstUnit,
    ),
  );
const OUTLET: PartRule = { component: 'pdu_outlet' };

test('the unit of a chain is said of all but the first', () => {
  assert.deepEqual(names(OUTLET, ['1.1', '1.2', '2.1'], 1), { '1.1': '1', '1.2': '2', '2.1': '2.1' });
  assert.deepEqual(names(OUTLET, ['0.7', '1.7'], 0), { '0.7': '7', '1.7': '2.7' }, 'counted from one');
  assert.deepEqual(names({ component: 'pdu' }, ['0', '1'], 0), { '0': '1', '1': '2' });
});

test('what is before the last number is said where that alone is not unique', () => {
  assert.deepEqual(names(OUTLET, ['1.1.1', '1.1.2'], 1), { '1.1.1': '1', '1.1.2': '2' });
  assert.deepEqual(names(OUTLET, ['1.1.1', '1.2.1'], 1), { '1.1.1': '1.1', '1.2.1': '2.1' });
});

test('a row that its column names no part is none; two inputs do not share a phase', () => {
  const phase: PartRule = { component: 'pdu_phase', number: 2, names: { 1: '1', 3: '1', 4: '2' } };
  assert.deepEqual(names(phase, [['0.1.1', 2], ['0.1.2', 3], ['0.1.3', 4]], 0), { '0.1.2': '1', '0.1.3': '2' }); // biome-ignore format: a table
  assert.deepEqual(
    names(
      phase,
      [
        ['0.1.1', 1],
        ['0.2.1', 1],
      ],
      0,
    ),
    { '0.1.1': '1.1', '0.2.1': '2.1' },
  );
});

test('a number that a chain of one-number indexes shares gives way to the index', () => {
  const bank: PartRule = { component: 'pdu_branch', number: 3 };
  assert.deepEqual(names(bank, [['1', 1], ['2', 2], ['3', 1]]), { '1': '1', '2': '2', '3': '3' }); // biome-ignore format: a table
});

test('a scalar is the first, a prefix and a fixed name are taken as they are', () => {
  assert.deepEqual(names({ component: 'ups' }, ['0']), { '0': '1' });
  assert.deepEqual(names({ component: 'pdu_phase', prefix: 'L' }, ['1', '2']), { '1': 'L1', '2': 'L2' });
  assert.deepEqual(names({ component: 'pdu_phase', fixed: '2-3' }, ['1']), { '1': '2-3' });
});

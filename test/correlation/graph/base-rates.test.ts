// Base rates: the report's counts add up to what it counted, and each kind has one rate at most.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import catalog from '#catalog/base-rates.json' with { type: 'json' };
import { baseRate, shareText } from '../../../src/correlation/graph/base-rates.ts';
import { isKind } from '../../../src/model/kind.ts';

test('the rows and what has no kind here are all unexpected interruptions of the report', () => {
  const counted = catalog.rows.reduce((sum, { count }) => sum + count, 0);
  assert.equal(counted + 12, catalog.sources.llama3.of);
});

test('every kind is one of ours and stands in one row', () => {
  const kinds = catalog.rows.flatMap((row) => row.kinds);
  assert.deepEqual(kinds.filter((kind) => !isKind(kind)), []); // biome-ignore format: one call
  assert.equal(new Set(kinds).size, kinds.length);
});

test('a share is a count over all; what no report counts has none', () => {
  const lost = baseRate('gpu.lost');
  assert.equal(lost?.share, 148 / 419);
  assert.equal(lost === null ? '' : shareText(lost), '35.3 %');
  assert.equal(lost?.of, 'unexpected interruptions, Llama 3 405B');
  assert.equal(baseRate('power.voltage_sag'), null);
});

// Base rates: the report's counts add up to what it counted, and each kind has one rate at most.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import catalog from '#catalog/reports.json' with { type: 'json' };
import { baseRate, shareText } from '../../../src/correlation/graph/base-rates.ts';
import { KINDS } from '../../../src/model/kind.ts';

test('the counts and what has no kind here are all unexpected interruptions of the report', () => {
  const { counts, of } = catalog.reports.llama3;
  assert.equal(Object.values(counts).reduce((sum, count) => sum + count, 0) + 12, of);
});

test('every count is that of a kind here', () => {
  const used = new Set(KINDS.map((kind) => baseRate(kind)?.what));
  assert.deepEqual(Object.keys(catalog.reports.llama3.counts).filter((what) => !used.has(what)), []); // biome-ignore format: one call
});

test('a share is a count over all; what no report counts has none', () => {
  const lost = baseRate('gpu.lost');
  assert.equal(lost?.share, 148 / 419);
  assert.equal(lost === null ? '' : shareText(lost), '35.3 %');
  assert.equal(lost?.of, 'unexpected interruptions, Llama 3 405B');
  assert.equal(baseRate('power.voltage_sag'), null);
});

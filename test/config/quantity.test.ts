// Durations and sizes as people write them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatDuration, formatSize, parseDuration, parseSize } from '../../src/config/quantity.ts';

test('reads what is a duration and nothing else', () => {
  const cases: readonly [string, number | null][] = [
    ['500ms', 500],
    ['1.5s', 1500],
    ['10m', 600_000],
    ['24h', 86_400_000],
    ['90d', 7_776_000_000],
    ['0s', 0],
    ['2', null],
    ['2 s', null],
    ['-2s', null],
    ['2S', null],
    ['1e3s', null],
    ['s', null],
    ['', null],
    ['12345678901s', null],
  ];
  for (const [text, ms] of cases) assert.equal(parseDuration(text), ms, text);
});

test('what is formatted reads back as itself', () => {
  fc.assert(fc.property(fc.nat(999_999_999), (ms) => parseDuration(formatDuration(ms)) === ms));
  fc.assert(fc.property(fc.nat(999_999_999), (bytes) => parseSize(formatSize(bytes)) === bytes));
  assert.equal(formatDuration(120_000), '2m');
  assert.equal(formatSize(64 * 1024 * 1024), '64MiB');
});

// Sharing the file out among series, and finding its window again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mostOfEach, samplesWindow } from '../../src/incidents/samples-csv.ts';

test('what short series leave goes to the long ones, and all together stay within the budget', () => {
  assert.equal(mostOfEach([10, 20], 100), Number.POSITIVE_INFINITY);
  assert.equal(mostOfEach([10, 1000, 1000], 110), 50);
  assert.equal(mostOfEach([], 10), Number.POSITIVE_INFINITY);
  fc.assert(
    fc.property(fc.array(fc.nat(5000), { maxLength: 300 }), fc.nat(20_000), (lengths, budget) => {
      const most = mostOfEach(lengths, budget);
      assert.ok(lengths.reduce((sum, length) => sum + Math.min(length, most), 0) <= budget);
    }),
  );
});

test('the window is that of all rows, whatever their order; what is not such a file has none', () => {
  const rows = ['2026-11-27T14:32:00.000Z,gpu/b,power,3', '2026-11-27T14:31:00.000Z,gpu/a,power,1'];
  const text = `time,component,quantity,value\n${rows.join('\n')}\n`;
  assert.deepEqual(samplesWindow(text), { from: '2026-11-27T14:31:00.000Z', to: '2026-11-27T14:32:00.000Z' });
  for (const other of ['', 'garbage', 'time,component,quantity,value\n', '{"schema":"x"}'])
    assert.equal(samplesWindow(other), null);
});

// Unused: next to nothing for a minute and more, known as a whole; a burst, a restart or a gap starts over.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unused } from '../../../src/sources/nic/unused.ts';

const STEP_MS = 5000;

/** After one reading for each total of bytes, five seconds apart. */
function after(totals: readonly (number | null)[]): boolean {
  const unused = new Unused();
  for (const [i, bytes] of totals.entries()) unused.read(i * STEP_MS, bytes);
  return unused.is;
}
const quiet = (readings: number, from = 0) => Array.from({ length: readings }, (_, i) => from + 200 * i);

test('a minute of neighbour discovery does not count as use; half a minute is too short to know', () => {
  assert.equal(after(quiet(13)), true);
  assert.equal(after(quiet(7)), false);
});

test('traffic in the last minute is use, however little there is now', () => {
  assert.equal(after([...quiet(20), ...quiet(12, 9_000_000)]), false);
  assert.equal(after([...quiet(20), ...quiet(13, 9_000_000)]), true);
});

test('what is not known, or counts from the start again, is not unused', () => {
  assert.equal(after([]), false);
  assert.equal(after(Array.from({ length: 30 }, () => null)), false);
  assert.equal(after([...quiet(20), null, ...quiet(5)]), false);
  assert.equal(after([...quiet(20, 5000), 0]), false);
});

test('one long interval that others read counts as a whole', () => {
  const unused = new Unused();
  unused.read(0, 0);
  unused.read(600_000, 50_000);
  assert.equal(unused.is, true);
  unused.read(1_200_000, 50_000 + 60_000_000);
  assert.equal(unused.is, false);
});

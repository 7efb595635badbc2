// The black box's memory: five minutes of a full host are kept whole, and however much comes in, no more is held.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeCore } from './edges.ts';

const T0 = 1_764_000_000_000;
/** Of the native rings (History::kDefaultBudgetBytes), at 16 bytes a sample. */
const BUDGET_SAMPLES = (24 * 1024 * 1024) / 16;

function fill(series: number, everyMs: number, forMs: number): { whole: number; kept: number[] } {
  const core = makeCore({ historySeconds: 300, maxSeries: series, anchorMs: T0 });
  const ids = Uint32Array.from({ length: series }, (_, i) => core.series(`gpu/${i}#power`));
  const values = new Float64Array(series).fill(1);
  for (let at = 0; at <= forMs; at += everyMs) core.push(ids, new Float64Array(series).fill(T0 + at), values);
  const kept = core.seriesKeys().map((key) => core.history(key, 0, Number.MAX_SAFE_INTEGER).values.length);
  core.close();
  return { whole: 300_000 / everyMs + 1, kept };
}

test('five minutes of a hundred readings of eight GPUs, two a second, are kept whole', () => {
  const { whole, kept } = fill(800, 500, 400_000);
  assert.ok(kept.every((count) => count === whole));
});

test('ten times as much takes no more memory than the rings have', () => {
  const { kept } = fill(2000, 100, 150_000);
  assert.ok(kept.reduce((sum, count) => sum + count, 0) <= BUDGET_SAMPLES);
  assert.ok(kept.every((count) => count > 0));
});

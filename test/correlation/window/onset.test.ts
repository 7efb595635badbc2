// When a condition began, as its sources show together: what a clock that is ahead says is moved as a whole.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onsetOf } from '../../../src/correlation/window/onset.ts';
import type { FaultEvent } from '../../../src/model/event.ts';

const seen = (source: string, earliestMs: number, latestMs: number, observedMs: number): FaultEvent =>
  ({ source, interval: { earliestMs, latestMs }, observedMs }) as FaultEvent; // all that the onset goes by

for (const [name, events, expected] of [
  ['of none', [], [0, 0]],
  ['as reported', [seen('pdu', 8, 10, 11)], [8, 10]],
  ['by a clock that is ahead: as wide as it was, up to the arrival', [seen('pdu', 12, 14, 10)], [8, 10]],
  ['partly after the arrival', [seen('pdu', 8, 14, 10)], [4, 10]],
  ['narrowed by another source', [seen('pdu', 2, 10, 10), seen('bmc', 7, 12, 13)], [7, 10]],
  ['narrowed by another whose clock is ahead', [seen('pdu', 2, 10, 10), seen('bmc', 9, 15, 12)], [6, 10]],
] as const) {
  test(`an onset ${name}`, () => {
    const { earliestMs, latestMs } = onsetOf(events);
    assert.deepEqual([earliestMs, latestMs], expected);
  });
}

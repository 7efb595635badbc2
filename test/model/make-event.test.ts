// An event gets its kind's defaults and an id; a stamp from the future is not a time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeEvent } from '../../src/model/make-event.ts';
import type { EventInput } from '../../src/model/record.ts';

const NOW = Date.UTC(2026, 10, 28);
const INPUT: EventInput = {
  kind: 'gpu.lost',
  component: { type: 'gpu', id: '0000:9b:00.0' },
  timeMs: NOW - 5,
  observedMs: NOW,
  trust: 'kernel',
  source: 'kernel-log',
  discriminator: 7,
};

test('what is left out comes from the kind, and the same input has the same id', () => {
  const event = makeEvent('node-3', INPUT);
  assert.equal(event.severity, 'critical');
  assert.equal(event.state, 'point');
  assert.deepEqual(event.interval, { earliestMs: NOW - 5, latestMs: NOW - 5 });
  assert.equal(makeEvent('node-3', { ...INPUT }).id, event.id);
  assert.notEqual(makeEvent('node-4', INPUT).id, event.id);
  assert.notEqual(makeEvent('node-3', { ...INPUT, discriminator: 8 }).id, event.id);
});

test('a stamp of next month is kept as such, and the event is of the moment at which it was seen', () => {
  const stamp = NOW + 34 * 86_400_000;
  const event = makeEvent('node-3', { ...INPUT, timeMs: stamp, interval: { earliestMs: stamp, latestMs: stamp } });
  assert.equal(event.timeMs, NOW);
  assert.deepEqual(event.interval, { earliestMs: NOW, latestMs: NOW });
  assert.equal(event.attributes.stamped_at, '2027-01-01T00:00:00.000Z');
});

test('a clock that is a second ahead is left alone', () => {
  assert.equal(makeEvent('node-3', { ...INPUT, timeMs: NOW + 1_000 }).timeMs, NOW + 1_000);
});

for (const timeMs of [Number.NaN, Number.POSITIVE_INFINITY, 1e300]) {
  test(`a stamp of ${timeMs} is not a reason to fail`, () => {
    assert.equal(makeEvent('node-3', { ...INPUT, timeMs }).timeMs, NOW);
  });
}

// How long to wait before the next try, whatever the server asks for.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Backoff } from '../../../../src/sinks/delivery/send/backoff.ts';

const waits = (asked: number | null, tries: number) => {
  const backoff = new Backoff(() => 0.5);
  return Array.from({ length: tries }, () => backoff.next(asked));
};

test('a server that always says "come back before now" is asked more and more seldom', () => {
  const asked = waits(0, 12);
  assert.deepEqual(asked.slice(0, 3), [52.5, 52.5, 52.5]);
  const minutes = asked.slice(6).reduce((sum, each) => sum + each, 0) / 60_000;
  assert.ok(minutes > 2, `six tries took ${minutes} minutes`);
});

test('what it asks for beyond our own wait is kept, up to five minutes', () => {
  assert.deepEqual(waits(60_000, 3), [63_000, 63_000, 63_000]);
  assert.deepEqual(waits(315_360_000_000, 2), [315_000, 315_000]);
});

test('waits double up to half a minute and begin again; a server is given the time that it asks for', () => {
  const full = new Backoff(() => 1);
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7].map(() => full.next(null)),
    [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000],
  );
  full.reset();
  assert.equal(full.next(null), 1000);
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 50, max: 300_000, noNaN: true }),
      (random, asked) => {
        const wait = new Backoff(() => random).next(asked);
        assert.ok(wait >= asked && wait <= asked * 1.1 + 1e-6);
      },
    ),
  );
  assert.ok(new Backoff(() => 0).next(-5) > 0);
  assert.ok(new Backoff(() => 0).next(1e12) <= 300_000);
});

// Stamps of a wall clock that was set: which moment they mean, and where they mean one of two.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WallTimes } from '../../src/model/wall-times.ts';

const T = 1_790_000_000_000;
const HOUR = 3_600_000;

function stepped(...steps: readonly (readonly [atMs: number, byMs: number])[]): WallTimes {
  const wall = new WallTimes();
  for (const [atMs, byMs] of steps) wall.stepped(byMs, { earliestMs: atMs - 100, latestMs: atMs });
  return wall;
}

function times(wall: WallTimes, wallMs: number, observedMs: number): number[] {
  const { timeMs, interval } = wall.steady(wallMs, observedMs);
  return [timeMs, interval.earliestMs, interval.latestMs].map((each) => each - T);
}

test('without a step a stamp is what it says, of today or of last year', () => {
  const wall = new WallTimes();
  assert.equal(wall.aheadMs, 0);
  for (const ms of [T, T - 365 * 24 * HOUR, T + 60_000]) assert.equal(wall.steady(ms, T).timeMs, ms);
});

test('after a step forward there is one moment for every stamp, before and after it', () => {
  const wall = stepped([T, HOUR]);
  assert.deepEqual(times(wall, T - 5_000, T + 500), [-5_000, -5_000, -5_000]);
  assert.deepEqual(times(wall, T + HOUR + 2_000, T + 2_100), [2_000, 2_000, 2_000]);
});

test('after a step back a stamp that was shown twice means what was reported just now', () => {
  const wall = stepped([T, -HOUR]);
  assert.deepEqual(times(wall, T + 2_000 - HOUR, T + 2_100), [2_000, 2_000, 2_000]);
  // Written before the step, read after it.
  assert.deepEqual(times(wall, T - 300, T + 200), [-300, -300, -300]);
});

test('after a small step back both moments are in the interval', () => {
  const wall = stepped([T, -5_000]);
  assert.deepEqual(times(wall, T - 4_000, T + 1_200), [1_000, -4_000, 1_000]);
});

test('what a log said before the first step keeps its time', () => {
  assert.deepEqual(times(stepped([T, -5_000]), T - 60_000, T + 100), [-60_000, -60_000, -60_000]);
});

test('steps there and back leave nothing behind', () => {
  const wall = stepped([T, HOUR], [T + 60_000, -HOUR]);
  assert.equal(wall.aheadMs, 0);
  assert.deepEqual(times(wall, T + 30_000 + HOUR, T + 30_100), [30_000, 30_000, 30_000]);
  assert.deepEqual(times(wall, T + 90_000, T + 90_100), [90_000, 90_000, 90_000]);
});

test('many steps are bounded, and the newest stamps are right all the same', () => {
  const wall = new WallTimes();
  for (let i = 1; i <= 1000; i += 1) wall.stepped(1_000, { earliestMs: T + i * 60_000, latestMs: T + i * 60_000 });
  const atMs = T + 1000 * 60_000 + 30_000;
  assert.equal(wall.steady(atMs + wall.aheadMs, atMs + 50).timeMs, atMs);
  for (const by of [Number.NaN, Number.POSITIVE_INFINITY, 0]) wall.stepped(by, { earliestMs: T, latestMs: T });
  assert.equal(wall.aheadMs, 1_000_000);
});

test('whatever the steps: a line that is read at once means the moment at which it was written, or says both', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: -7_200_000, max: 7_200_000 })), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(steps, fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 900 }), (gaps, afterS, lateMs) => {
      const wall = new WallTimes();
      let atMs = T;
      for (const [gapS, byMs] of gaps) {
        atMs += gapS * 1_000;
        wall.stepped(byMs, { earliestMs: atMs - 100, latestMs: atMs });
      }
      const writtenMs = atMs + afterS * 1_000;
      const { interval } = wall.steady(writtenMs + wall.aheadMs, writtenMs + lateMs);
      assert.ok(interval.earliestMs <= writtenMs && interval.latestMs >= writtenMs);
    }),
  );
});

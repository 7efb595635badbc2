// Tests of the scenario clock.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock, RealClock } from '../../src/simulator/scenario-clock.ts';

test('callbacks run in order of their time, those of one time in the order they were made', () => {
  const clock = new ManualClock();
  const seen: string[] = [];
  clock.at(20, () => seen.push('b'));
  clock.at(10, () => seen.push('a'));
  clock.at(20, () => seen.push('c'));
  clock.advance(15);
  assert.deepEqual(seen, ['a']);
  clock.advance(15);
  assert.deepEqual(seen, ['a', 'b', 'c']);
});

test('a callback sees its own time and may set further ones within the same advance', () => {
  const clock = new ManualClock();
  const times: number[] = [];
  clock.at(10, () => {
    times.push(clock.now());
    clock.at(12, () => times.push(clock.now()));
  });
  clock.advance(100);
  assert.deepEqual(times, [10, 12]);
  assert.equal(clock.now(), 100);
});

test('every comes each period until it is cancelled', () => {
  const clock = new ManualClock();
  const times: number[] = [];
  const cancel = clock.every(10, () => times.push(clock.now()));
  clock.advance(35);
  cancel();
  clock.advance(50);
  assert.deepEqual(times, [10, 20, 30]);
});

test('every can be cancelled from its own callback', () => {
  const clock = new ManualClock();
  let count = 0;
  const cancel = clock.every(10, () => {
    count += 1;
    cancel();
  });
  clock.advance(100);
  assert.equal(count, 1);
});

test('a stopped clock calls nothing back, in life too', async () => {
  const manual = new ManualClock();
  const real = new RealClock();
  let called = 0;
  manual.at(1, () => called++);
  real.at(1, () => called++);
  real.every(1, () => called++);
  manual.stop();
  real.stop();
  real.at(0, () => called++);
  manual.advance(10);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(called, 0);
});

test('in life a time that has passed comes at once', async () => {
  const clock = new RealClock();
  await new Promise<void>((resolve) => clock.at(-5, resolve));
  clock.stop();
});

test('run waits for what a callback has under way, and time does not pass meanwhile', async () => {
  const clock = new ManualClock();
  const seen: string[] = [];
  clock.at(10, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(`slow at ${clock.now()}`);
  });
  clock.at(20, () => seen.push(`next at ${clock.now()}`));
  await clock.run(30);
  assert.deepEqual(seen, ['slow at 10', 'next at 20']);
  assert.equal(clock.now(), 30);
});

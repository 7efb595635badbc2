// Speed gate: through the real native detector — uneven jobs, starts and saves raise nothing; real slowdowns do, at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RandomStream, randomStream } from '../../../src/simulator/random.ts';
import { loggedJob as job } from '../logged-job.ts';

test('an even job that slows is reported with the second slow step, and its end with the first usual one', (t) => {
  const made = job(t);
  for (let i = 0; i < 30; i += 1) made.step(400 + (i % 3));
  made.step(560).step(565).step(570).step(401);
  assert.deepEqual(made.reported, ['onset 32', 'clear 34']);
  assert.ok(Number(made.attributes[0]?.spread) < 0.01);
});

test('a job whose steps differ by a fifth raises nothing in a day, and is reported when it slows for real', (t) => {
  const made = job(t);
  const random = randomStream(7, 'an uneven job');
  const noisy = () => 400 * (1 + 0.2 * normal(random));
  for (let i = 0; i < 20_000; i += 1) made.step(Math.max(noisy(), 40));
  assert.deepEqual(made.reported, []);
  for (let i = 0; i < 20; i += 1) made.step(noisy() + 1200);
  assert.match(String(made.reported), /^onset 2000\d$/);
});

test('an onset that was held back is reported when it grows, and its end only where it was reported', (t) => {
  const made = job(t);
  for (let i = 0; i < 40; i += 1) made.step(i % 2 === 0 ? 360 : 440);
  made.step(560).step(560);
  assert.deepEqual(made.reported, [], 'within four deviations');
  made.step(900).step(900);
  assert.deepEqual(made.reported, ['onset 44']);
  made.step(400);
  assert.deepEqual(made.reported, ['onset 44', 'clear 45']);
  made.step(560).step(560).step(400);
  assert.deepEqual(made.reported, ['onset 44', 'clear 45'], 'held back and over again');
});

test('the first steps after a start compile and warm up; one that stays slow is reported', (t) => {
  const made = job(t);
  for (let i = 0; i < 20; i += 1) made.step(400);
  made.line('[before the start of training step] training ...');
  made.step(9000).step(1500).step(700).step(401).step(400);
  assert.deepEqual(made.reported, []);
  made.line('[before the start of training step] training ...');
  made.step(9000).step(1500).step(700).step(700).step(700);
  assert.deepEqual(made.reported, ['onset 30']);
});

/** Box and Muller's. */
function normal(random: RandomStream): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

// Slow stretches with no word of anything: an incident only when they last, and at once where something goes with them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correlator, event, Reported, run, T0 } from './fixtures.ts';

const job = { trust: 'tenant', source: 'job-log' } as const;
const slow = (s: number, state: 'onset' | 'clear', seenS = s) =>
  event(s, 'job.throughput_drop', 'job/train', {
    ...job,
    state,
    wide: [s - 1, s],
    observedMs: T0 + seenS * 1000 + 50,
    attributes: { quantity: 'step time', before: 0.7, after: 1, unit: 's' },
  });

function play(...events: Parameters<typeof run>[1]): Reported {
  const made = correlator();
  const reported = new Reported();
  for (const one of events) reported.take(made.observe(one));
  return reported.take(made.advance(T0 + 60_000));
}

test('what is over after a few seconds opens no incident, however late the log is read', () => {
  assert.deepEqual(play(slow(0, 'onset'), slow(6, 'clear')).last, []);
  assert.deepEqual(play(slow(0, 'onset', 8), slow(6, 'clear', 14)).last, []);
});

test('what lasts is one, ten seconds after it began', () => {
  const made = correlator();
  const reported = new Reported();
  reported.take(made.observe(slow(0, 'onset')));
  reported.take(made.advance(T0 + 8_900));
  assert.deepEqual(reported.last, []);
  assert.equal(reported.take(made.advance(T0 + 9_100)).only().root.kind, 'job.throughput_drop');
  assert.equal(play(slow(0, 'onset'), slow(12, 'clear')).only().root.kind, 'job.throughput_drop');
});

test('with a cause, or again and again, it is one at once', () => {
  const made = correlator();
  const reported = new Reported();
  reported.take(made.observe(event(-2, 'gpu.thermal_throttle', 'gpu/0000:1b:00.0', { state: 'onset' })));
  reported.take(made.observe(slow(0, 'onset')));
  assert.ok(reported.last.some(({ chain }) => chain.some(({ kind }) => kind === 'job.throughput_drop')));
});

test('a log that ends in it ends with an incident', () => {
  assert.equal(run(correlator(), [slow(0, 'onset')]).only().root.kind, 'job.throughput_drop');
});

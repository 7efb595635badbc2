// Times and links that change while conditions are held: what is believed then is what they say now.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correlator, event, FEED_LINKS, GPUS, LATENESS, Reported, T0 } from './fixtures.ts';

const GPU = GPUS[0] ?? '';
const throttle = (s: number, state: 'onset' | 'clear') => event(s, 'gpu.thermal_throttle', GPU, { state });

/** Second at which what ended in the tenth is over. */
function overAt(changedAt: number, holdMs: number): number | null {
  const made = correlator([], { holdMs: 60_000 });
  const reported = new Reported();
  for (const one of [throttle(0, 'onset'), throttle(10, 'clear')]) reported.take(made.observe(one));
  for (let s = 11; s < 400; s += 1) {
    if (s === changedAt) made.wait({ latenessMs: LATENESS, holdMs });
    if (reported.take(made.advance(T0 + s * 1000)).last[0]?.ended === true) return s;
  }
  return null;
}

test('an incident is over after the time to hold that counts now, shorter or longer than it was', () => {
  assert.equal(overAt(999, 60_000), 100);
  assert.equal(overAt(20, 45_000), 85);
  assert.equal(overAt(20, 120_000), 160);
  // Past the new time already: at once.
  assert.equal(overAt(90, 31_000), 90);
});

test('what comes back within the time to hold is the same condition, by the time that counts now', () => {
  const made = correlator([], { holdMs: 60_000 });
  made.wait({ latenessMs: LATENESS, holdMs: 600_000 });
  const reported = new Reported();
  for (const s of [0, 400]) for (const one of [throttle(s, 'onset'), throttle(s + 5, 'clear')]) reported.take(made.observe(one)); // biome-ignore format: one line
  reported.take(made.advance(T0 + 500_000));
  assert.equal(reported.last.length, 1);
});

test('how late an event may come is what counts now', () => {
  const late = { ...throttle(0, 'onset'), observedMs: T0 + 100_000 };
  const seen = (latenessMs: number) => {
    const made = correlator();
    made.wait({ latenessMs, holdMs: 200_000 });
    return new Reported().take(made.observe(late)).take(made.advance(T0 + 101_000)).last.length;
  };
  assert.deepEqual([seen(30_000), seen(120_000)], [0, 1]);
});

test('a feed that is taken away explains nothing any more, and does again when it is back', () => {
  const made = correlator(FEED_LINKS);
  const reported = new Reported();
  const sag = event(0, 'power.outlet_off', 'pdu_outlet/pdu-b-rack-14/7', {
    state: 'onset',
    trust: 'facility',
    source: 'pdu',
  });
  const lost = event(1, 'psu.input_lost', 'psu/node-3/1', { state: 'onset', trust: 'bmc', source: 'bmc' });
  for (const one of [sag, lost]) reported.take(made.observe(one));
  const roots = (s: number) => reported.take(made.advance(T0 + s * 1000)).last.map(({ root }) => root.kind).sort(); // biome-ignore format: one line
  assert.deepEqual(roots(5), ['power.outlet_off']);
  const [feed] = FEED_LINKS;
  assert.ok(feed !== undefined);
  made.unlink(feed);
  assert.deepEqual(roots(10), ['power.outlet_off', 'psu.input_lost']);
  made.link(feed);
  assert.deepEqual(roots(15), ['power.outlet_off']);
});

// The calibration map: monotone, bounded, nothing where nothing was seen; and what is kept of it in the catalogue.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import catalog from '#catalog/calibration.json' with { type: 'json' };
import { calibrate, followed, through } from '../../../src/correlation/explain/calibration.ts';

const KNOTS = [
  { at: 0.5, reported: 0.6 },
  { at: 0.8, reported: 0.9 },
  { at: 0.95, reported: 0.98 },
];

test('it goes through its knots, straight between them, fades out below, and is level above', () => {
  assert.deepEqual([50, 65, 80, 95].map((at) => through(at, KNOTS)), [60, 75, 90, 98]); // biome-ignore format: one call
  assert.deepEqual([0, 20, 35, 41, 100, 117].map((at) => through(at, KNOTS)), [0, 20, 35, 45, 98, 98]); // biome-ignore format: one call
});

test('without knots nothing changes', () => {
  for (let at = 0; at <= 100; at += 1) assert.equal(through(at, []), at);
});

test('any monotone map gives whole hundredths that rise with the evidence', () => {
  const knots = fc
    .array(fc.tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 99 })), { maxLength: 6 })
    .map((pairs) => {
      const ats = [...new Set(pairs.map(([at]) => at))].sort((a, b) => a - b);
      const reports = pairs.map(([, reported]) => reported).sort((a, b) => a - b);
      return ats.map((at, i) => ({ at: at / 100, reported: (reports[i] ?? 99) / 100 }));
    });
  fc.assert(
    fc.property(knots, (drawn) => {
      let before = 0;
      for (let at = 0; at <= 100; at += 1) {
        const reported = through(at, drawn);
        assert.ok(Number.isInteger(reported) && reported >= before, `${at} → ${reported}`);
        before = reported;
      }
    }),
  );
});

test('what followed decides on the map: the work before hardware, the root at another place is nothing', () => {
  assert.equal(followed('gpu.lost', ['gpu.lost', 'gpu.recovery_action', 'job.rank_crashed']), 'work');
  assert.equal(followed('psu.failure', ['psu.failure', 'psu.redundancy_lost']), 'hardware');
  assert.equal(followed('gpu.lost', ['gpu.lost', 'gpu.lost']), 'nothing');
  assert.equal(followed('nic.port_down', ['nic.port_down']), 'harmless');
  assert.equal(followed('nic.port_down', ['nic.port_down', 'net.rdma_retry_exceeded']), 'work');
  assert.ok(calibrate(95, 'harmless') < calibrate(95, 'nothing'));
});

test('the maps that are shipped say how they were made, are monotone, and have scenarios behind each knot', () => {
  assert.match(catalog.made, /^scripts\/accuracy --fit/);
  for (const [what, { knots }] of Object.entries(catalog.maps)) {
    assert.ok(knots.length >= 1 && knots.length <= 8, what);
    for (const [i, knot] of knots.entries()) {
      assert.ok(knot.scenarios >= 6, `${what} ${knot.at}`);
      const before = knots[i - 1];
      if (before !== undefined) assert.ok(before.at < knot.at && before.reported <= knot.reported);
      // No further from what the evidence came to than the share right allows, pulled back.
      assert.ok(Math.abs(knot.reported - knot.at) <= Math.abs(knot.right - knot.at) + 0.1, `${what} ${knot.at}`);
      if (knot.right < 0.97) assert.ok(knot.reported < 0.9, `${what} ${knot.at}`);
    }
  }
});

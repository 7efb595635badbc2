// The calibration map: monotone, bounded, nothing where nothing was seen; and what is kept of it in the catalogue.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import map from '#catalog/calibration.json' with { type: 'json' };
import { calibrate } from '../../../src/correlation/explain/calibration.ts';

const KNOTS = [
  { at: 0.5, reported: 0.6 },
  { at: 0.8, reported: 0.9 },
  { at: 0.95, reported: 0.98 },
];

test('it goes through its knots, straight between them, and fades out beyond', () => {
  assert.deepEqual([50, 65, 80, 95].map((at) => calibrate(at, KNOTS)), [60, 75, 90, 98]); // biome-ignore format: one call
  assert.deepEqual([0, 20, 35, 41, 100].map((at) => calibrate(at, KNOTS)), [0, 20, 35, 45, 100]); // biome-ignore format: one call
});

test('without knots nothing changes', () => {
  for (let at = 0; at <= 100; at += 1) assert.equal(calibrate(at, []), at);
});

test('any monotone map gives whole hundredths that rise with the evidence and are never raised above the bound', () => {
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
        const reported = calibrate(at, drawn);
        assert.ok(Number.isInteger(reported) && reported >= before, `${at} → ${reported}`);
        assert.ok(reported <= Math.max(at, Math.round(100 * map.most)), `${at} → ${reported}`);
        before = reported;
      }
    }),
  );
});

test('the map that is shipped says how it was made, is monotone, and has scenarios behind each knot', () => {
  assert.match(map.made, /^scripts\/accuracy --fit/);
  assert.ok(map.most < 0.99);
  assert.ok(map.knots.length >= 3 && map.knots.length <= 6);
  for (const [i, knot] of map.knots.entries()) {
    assert.ok(knot.scenarios >= 4 && knot.claims >= 20, `${knot.at}`);
    const before = map.knots[i - 1];
    if (before !== undefined) assert.ok(before.at < knot.at && before.reported <= knot.reported);
    // No further from what the evidence came to than the share right allows, pulled back.
    assert.ok(Math.abs(knot.reported - knot.at) <= Math.abs(knot.right - knot.at) + 0.1, `${knot.at}`);
  }
});

// Every family of messages is read behind every carrier at least as often as matrix.json says, which only rises
// (node scripts/lib/carrier-matrix.mjs --write).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs } from '../../../runs.ts';
import { CARRIERS } from './carriers.ts';
import { FAMILIES } from './families.ts';
import floors from './matrix.json' with { type: 'json' };
import { type Matrix, measure } from './measure.ts';

const FLOORS: Matrix = floors;

test('messages are read behind what carries them', async () => {
  const { matrix, missed } = await measure(runs(6, Number.POSITIVE_INFINITY));
  const below = Object.keys(CARRIERS).flatMap((carrier) =>
    Object.keys(FAMILIES).flatMap((family) => {
      const [is = 0, floor = 101] = [matrix[carrier]?.[family], FLOORS[carrier]?.[family]];
      if (is >= floor) return [];
      const first = missed.find((each) => each.carrier === carrier && each.family === family);
      return [`${carrier} × ${family}: ${is} % of ${floor} %, ${JSON.stringify(first)}`];
    }),
  );
  assert.deepEqual(below, []);
});

test('each row of a family is read in its own log, and there is an example of each', () => {
  for (const [family, rows] of Object.entries(FAMILIES)) {
    assert.ok(rows.length > 0, family);
    for (const { said } of rows) assert.ok(said.trim() !== '', family);
  }
});

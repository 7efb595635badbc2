// Every family of messages is read behind every carrier at least as often as matrix.json says, which only rises
// (node scripts/lib/carrier-matrix.mjs --write). Two rows of a cell, and three in a hundred of a carrier, may be new ones that are not read there.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs } from '../../../runs.ts';
import { CARRIERS } from './carriers.ts';
import { FAMILIES } from './families.ts';
import floors from './matrix.json' with { type: 'json' };
import { FEWEST, type Matrix, measure } from './measure.ts';
import { kindsOf, scanner } from './scanned.ts';

const FLOORS: Matrix = floors.cells;
const OVERALL: Readonly<Record<string, number>> = floors.overall;
const NEW_OF_CARRIER = 3;
const NEW_OF_CELL = 2;

test('messages are read behind what carries them', async () => {
  const { matrix, overall, rows, missed } = await measure(runs(FEWEST, Number.POSITIVE_INFINITY));
  const below: string[] = [];
  for (const carrier of Object.keys(CARRIERS)) {
    const of = missed.filter((each) => each.carrier === carrier);
    const [all = 0, least = 101] = [overall[carrier], OVERALL[carrier]];
    if (all < least - NEW_OF_CARRIER) below.push(`${carrier}: ${all} % of ${least} %, ${JSON.stringify(of)}`);
    for (const family of Object.keys(FAMILIES)) {
      const [is = 0, floor = 101] = [matrix[carrier]?.[family], FLOORS[carrier]?.[family]];
      const allowed = (NEW_OF_CELL * 100) / Math.min(rows[family] ?? 1, FEWEST);
      const first = of.find((each) => each.family === family);
      if (is + allowed < floor) below.push(`${carrier} × ${family}: ${is} % of ${floor} %, ${JSON.stringify(first)}`);
    }
  }
  assert.deepEqual(below, []);
});

/** An end without a beginning, and what counts only of a pod of which nothing else was said. */
const SAY_NOTHING_ALONE = /Selected source |Back-off restarting failed container/;

test('each row of a family is read in its own log', async () => {
  const scan = scanner();
  const unread: string[] = [];
  for (const [family, rows] of Object.entries(FAMILIES)) {
    assert.ok(rows.length > 0, family);
    for (const { logged } of rows)
      if (!SAY_NOTHING_ALONE.test(logged) && kindsOf(await scan(logged)) === '') unread.push(`${family}: ${logged}`);
  }
  assert.deepEqual(unread, []);
});

// The fit of the calibration: what is few moves little, what is much is bounded, and runs of one scenario are one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wilson } from '../../../src/simulator/corpus/accuracy.ts';
import { fit as fitted } from '../../../src/simulator/corpus/fit-calibration.ts';
import type { Claim } from '../../../src/simulator/corpus/measure.ts';

/** The map of one kind of claims. */
const fit = (claims: readonly Claim[]) => fitted(claims).maps.work;

function runs(
  scenarios: number,
  seeds: number,
  evidence: number,
  right: (scenario: number) => boolean,
  given: Partial<Claim> = {},
): Claim[] {
  return Array.from({ length: scenarios * seeds }, (_, i): Claim => {
    const scenario = Math.floor(i / seeds);
    const own = {
      kind: 'gpu.lost',
      confidence: evidence,
      evidence,
      followed: 'work',
      capped: false,
      tenant: false,
    } as const;
    return { scenario: `${evidence}-${scenario}`, ...own, right: right(scenario), ...given };
  });
}

test('a knot is the share right of its scenarios, pulled towards no change by twenty of them', () => {
  const [knot] = fit(runs(16, 10, 0.7, (n) => n < 14)).knots;
  assert.deepEqual([knot?.at, knot?.right, knot?.scenarios, knot?.claims], [0.7, 0.875, 16, 160]);
  assert.ok(Math.abs((knot?.reported ?? 0) - (16 * 0.875 + 20 * 0.7) / 36) < 0.001);
});

test('a scenario counts once, however often it was played', () => {
  const often = fit([...runs(5, 100, 0.7, () => false), ...runs(5, 2, 0.71, () => true)]).knots;
  assert.equal(often[0]?.right, 0.5);
});

test('it says at most 98 % for being right each time', () => {
  assert.equal(fit(runs(500, 2, 0.9, () => true)).knots[0]?.reported, 0.98);
});

test('it says less than 90 % until the whole interval of what was right is above that, in a hundred scenarios', () => {
  assert.ok(wilson(95, 100)[0] < 0.9 && wilson(40, 40)[0] > 0.9);
  const most = (scenarios: number, wrong: number) => fit(runs(scenarios, 1, 0.96, (i) => i >= wrong)).knots[0]?.reported ?? 0; // biome-ignore format: one line
  assert.equal(most(99, 0), 0.89);
  assert.ok(most(100, 0) > 0.95);
  assert.equal(most(100, 5), 0.89);
});

test('what followed has a map of its own, and one does not change the other', () => {
  const work = runs(30, 1, 0.8, () => true);
  const { maps } = fitted([...work, ...runs(30, 1, 0.8, () => false, { followed: 'nothing' })]);
  assert.deepEqual(maps.work, fit(work));
  assert.equal(maps.nothing.knots[0]?.right, 0);
  assert.deepEqual([maps.hardware.knots, maps.harmless.knots], [[], []]);
});

test('knots that would cross take their mean', () => {
  const { knots } = fit([...runs(20, 2, 0.65, () => true), ...runs(20, 2, 0.85, (n) => n < 10)]);
  assert.equal(knots.length, 2);
  assert.equal(knots[0]?.reported, knots[1]?.reported);
});

test('too few claims or scenarios are joined to the ones below, and make no knot alone', () => {
  assert.deepEqual(fit(runs(3, 100, 0.7, () => true)).knots, []);
  const { knots } = fit([...runs(2, 10, 0.85, () => true), ...runs(6, 10, 0.75, () => true)]);
  assert.deepEqual(knots.map(({ scenarios }) => scenarios), [8]); // biome-ignore format: one call
});

test('a user’s word alone is not fitted on', () => {
  assert.deepEqual(fit(runs(30, 10, 0.7, () => true, { tenant: true })).knots, []);
});

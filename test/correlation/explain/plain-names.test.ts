// Numbers in explanations: written as Intl writes them, without loading it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { numberText } from '../../../src/correlation/explain/plain-names.ts';

test('four digits where there is a fraction, thousands apart, nothing too small, too large or not a number breaks it', () => {
  const values = [0, -0, 0.5, 61, 121.44, 999.96, 1000, 1640.4, -1095, 1e6, 1e-9, -1e-9, 1e21, Number.NaN, -1 / 0];
  assert.deepEqual(values.map(numberText), [
    '0', '0', '0.5', '61', '121.4', '1,000', '1,000', '1,640', '-1,095', '1,000,000', '0', '0', '1e+21', 'NaN', '-Infinity',
  ]); // biome-ignore format: a row each
});

test('any number that a sensor gives is written as Intl writes it', () => {
  const rounded = (value: number) => (Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4)));
  const sensible = fc.double({ min: -1e15, max: 1e15, noNaN: true }).filter((value) => Math.abs(value) >= 0.001);
  fc.assert(
    fc.property(
      fc.oneof(
        sensible,
        fc.integer(),
        fc.double({ min: 0.001, max: 2000, noNaN: true }),
        fc.double({ min: 999.9, max: 1000.1, noNaN: true }),
      ),
      (value) => {
        const intl = (rounded(value) + 0).toLocaleString('en-US', { maximumFractionDigits: 6 });
        assert.equal(numberText(value), intl);
      },
    ),
  );
});

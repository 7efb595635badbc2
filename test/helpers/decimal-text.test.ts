import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Digits, decimalText } from '../../src/helpers/decimal-text.ts';
import { runs } from '../runs.ts';

const FORMS: readonly (readonly [Intl.NumberFormatOptions, Digits])[] = [
  [{ maximumFractionDigits: 0 }, { most: 0 }],
  [{ maximumFractionDigits: 1 }, { most: 1 }],
  [{ maximumSignificantDigits: 2 }, { most: { significant: 2 } }],
  [
    { minimumFractionDigits: 2, maximumFractionDigits: 2 },
    { most: 2, least: 2 },
  ],
];

test('every number is written as Intl writes it', () => {
  const halves = fc.integer({ min: -4_000_000, max: 4_000_000 }).map((twentieths) => twentieths / 20);
  const sizes = fc
    .tuple(fc.double({ min: -10, max: 10, noNaN: true }), fc.integer({ min: -12, max: 13 }))
    .map(([value, power]) => value * 10 ** power);
  for (const [options, digits] of FORMS) {
    const format = new Intl.NumberFormat('en-US', { ...options, signDisplay: 'negative' });
    fc.assert(
      fc.property(fc.oneof(halves, sizes), (value) => {
        assert.equal(decimalText(value, digits).replace(/^-(?=[0.]*$)/, ''), format.format(value));
      }),
      { numRuns: runs(2_000, 200_000) },
    );
  }
});

test('thousands are apart, and a half is rounded away from nothing', () => {
  assert.equal(decimalText(1_979.5, { most: 0 }), '1,980');
  assert.equal(decimalText(-0.25, { most: 1 }), '-0.3');
  assert.equal(decimalText(999.95, { most: 1 }), '1,000');
  assert.equal(decimalText(0.0996, { most: { significant: 2 } }), '0.1');
  assert.equal(decimalText(8.5, { most: 2, least: 2 }), '8.50');
});

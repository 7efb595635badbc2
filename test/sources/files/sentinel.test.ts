// Sensor numbers: what stands for "I do not know" is not a reading.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isSentinel, parseCounter, parseInteger, powerW, temperatureC } from '../../../src/sources/files/sentinel.ts';

const NONE: readonly string[] = [
  '4294967295', '4294967295000', '4294967295000000', '65535', '65535000', '65535000000', '2147483632', '2147483633',
  '2147483634', '2147483635', '2147483647', '2147483647000000', '9223372036854775792', '9223372036854775795',
  '9223372036854775807', '18446744073709551615', '140737488355328', '-1000000', '4290000000000', '', 'N/A', '0x1f',
  '12.5', ' 12', '1e9', '123456789012345678901',
]; // biome-ignore format: a list

for (const text of NONE) {
  test(`"${text}" is not a power reading`, () => assert.equal(powerW(text), null));
}

test('power is in W, temperature in °C, and what nothing on earth has is dropped', () => {
  assert.equal(powerW('412500000'), 412.5);
  assert.equal(powerW('0'), 0);
  assert.equal(powerW(null), null);
  assert.equal(temperatureC('61500'), 61.5);
  assert.equal(temperatureC('-12000'), -12);
  for (const text of ['-273150', '255000', '4294967295', '-2147483648', '65535'])
    assert.equal(temperatureC(text), null, text);
});

test('a counter is whole and not negative; all bits set is a dead device', () => {
  assert.equal(parseCounter('17'), 17);
  for (const text of ['-1', '18446744073709551615', '1.5', 'x', null]) assert.equal(parseCounter(text), null);
});

test('whatever the file says, the answer is a number or nothing', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.bigInt().map(String), fc.double().map(String)), (text) => {
      const power = powerW(text);
      assert.ok(power === null || (power >= 0 && power <= 20_000));
      const degrees = temperatureC(text);
      assert.ok(degrees === null || (degrees >= -50 && degrees <= 200));
      const value = parseInteger(text);
      assert.ok(value === null || Number.isFinite(value));
    }),
  );
  assert.equal(isSentinel(Number.NaN), true);
});

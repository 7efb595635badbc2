import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recoveryActionOf } from '../../src/model/recovery-action.ts';

test('the number and the text that the driver writes of it ask for the same', () => {
  assert.equal(recoveryActionOf(4), 'drain_reset_gpu');
  assert.equal(recoveryActionOf('0x4'), 'drain_reset_gpu');
  assert.equal(recoveryActionOf('4'), 'drain_reset_gpu');
  assert.equal(recoveryActionOf(0), 'none');
});

test('what has no word here, or is not a recovery action, asks for nothing', () => {
  for (const value of [5, '0x5', 8, -1, 1.5, Number.NaN, '', ' ', '0x', 'reset_gpu', '0xffffffff', 'length'])
    assert.equal(recoveryActionOf(value), null, String(value));
});

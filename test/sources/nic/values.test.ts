// Words of sysfs about ports and links.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import * as values from '../../../src/sources/nic/values.ts';

test('state, rate, speed and width as the kernel writes them', () => {
  assert.equal(values.stateNumber('4: ACTIVE'), 4);
  assert.equal(values.stateNumber('ACTIVE'), null);
  assert.equal(values.linkRate('400 Gb/sec (4X NDR)'), 400e9);
  assert.equal(values.linkRate('2.5 Gb/sec (1X SDR)'), 2.5e9);
  assert.equal(values.linkRate('0 Gb/sec'), null);
  assert.equal(values.interfaceRate('400000'), 400e9);
  assert.equal(values.pcieSpeed('32.0 GT/s PCIe'), 32);
  assert.equal(values.pcieSpeed('2.5 GT/s'), 2.5);
  assert.equal(values.pcieWidth('16'), 16);
  assert.equal(values.wantedUp('0x1003'), true);
  assert.equal(values.wantedUp('0x1002'), false);
});

test('what stands for "unknown" is nothing', () => {
  for (const text of ['-1', '4294967295', '0', '', null]) assert.equal(values.interfaceRate(text), null);
  for (const text of ['Unknown', '', null]) assert.equal(values.pcieSpeed(text), null);
  for (const text of ['0', '255', '63', '', null]) assert.equal(values.pcieWidth(text), null);
  assert.equal(values.wantedUp('3'), null);
});

test('hostile text is a number or nothing', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((tail) => `4: ${tail}`),
      ),
      (text) => {
        for (const read of [
          values.stateNumber,
          values.linkRate,
          values.interfaceRate,
          values.pcieSpeed,
          values.pcieWidth,
        ]) {
          const value = read(text);
          assert.ok(value === null || Number.isFinite(value));
        }
      },
    ),
  );
});

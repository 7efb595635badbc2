// Parts against those that are known: the serial decides, then the slot, then the number.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareParts } from '../../../src/identity/parts/compare.ts';
import type { KnownPart, Part } from '../../../src/identity/parts/part.ts';

const part = (slot: string, serial: string | null): Part => ({ type: 'gpu', slot, serial, model: null });
const known = (slot: string, serial: string | null): KnownPart => ({ ...part(slot, serial), firstSeenMs: 1, missingSinceMs: null }); // biome-ignore format: one line
const slots = (parts: readonly Part[]) => parts.map(({ slot }) => slot);

test('one of several is gone', () => {
  const found = compareParts([known('a', '1'), known('b', '2'), known('c', '3')], [part('a', '1'), part('c', '3')]);
  assert.deepEqual([slots(found.missing), found.unnamed, found.swapped, found.added], [['b'], 0, [], []]);
});

test('another serial in the same slot is a swap, and nothing is missing', () => {
  const found = compareParts([known('a', '1'), known('b', '2')], [part('a', '1'), part('b', '9')]);
  assert.deepEqual([found.missing, found.added, found.moved], [[], [], []]);
  assert.deepEqual(found.swapped.map(({ before, after }) => [before.serial, after.serial]), [['2', '9']]); // biome-ignore format: one line
});

test('two that changed places moved, and are nothing else', () => {
  const found = compareParts([known('a', '1'), known('b', '2')], [part('a', '2'), part('b', '1')]);
  assert.deepEqual([found.missing, found.swapped, found.added, found.moved.length], [[], [], [], 2]);
});

test('a device in the middle is gone, and the ones behind it have other addresses', () => {
  const before = [known('a', '1'), known('b', '2'), known('c', '3')];
  const found = compareParts(before, [part('a', '1'), part('b', '3')]);
  assert.deepEqual([slots(found.missing), found.moved.length, found.swapped], [['b'], 1, []]);
  // Before the driver gives their names, what is at each address is believed to be what was there.
  assert.deepEqual(slots(compareParts(before, [part('a', null), part('b', null)]).missing), ['c']);
  // None of the addresses is as it was: how many are gone is known, and not which.
  const renamed = compareParts(before, [part('x', null), part('y', null)]);
  assert.deepEqual([renamed.missing, renamed.unnamed, renamed.added, renamed.swapped], [[], 1, [], []]);
});

test('a serial that is not read at present changes nothing', () => {
  const found = compareParts([known('a', '1'), known('b', null)], [part('a', null), part('b', '2')]);
  assert.deepEqual([found.missing, found.swapped, found.added, found.same.length], [[], [], [], 2]);
});

test('whatever is there: no part is counted twice, and as many are missing as there are fewer', () => {
  const parts = fc.uniqueArray(fc.record({ slot: fc.constantFrom(...'abcdefgh'), serial: fc.option(fc.constantFrom(...'123456789')) }), { selector: ({ slot }) => slot }); // biome-ignore format: one line
  fc.assert(
    fc.property(parts, parts, (before, now) => {
      const { missing, unnamed, added, same } = compareParts(
        before.map(({ slot, serial }) => known(slot, serial)),
        now.map(({ slot, serial }) => part(slot, serial)),
      );
      assert.equal(new Set([...missing, ...same.map((one) => one.known)]).size, missing.length + same.length);
      assert.equal(missing.length + unnamed - added.length, before.length - now.length);
    }),
  );
});

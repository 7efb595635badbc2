// Bounded maps: one that lets its oldest go, and one that takes nothing new once it is full.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasRoom } from '../../src/helpers/has-room.ts';
import { recall, remember } from '../../src/helpers/remember.ts';

test('the key that was set longest ago goes, not one that was set again', () => {
  const map = new Map<string, number>();
  for (const [key, value] of [['a', 1], ['b', 2], ['a', 3], ['c', 4]] as const) remember(map, key, value, 2); // biome-ignore format: one row
  assert.deepEqual([...map], [['a', 3], ['c', 4]]); // biome-ignore format: one row
});

test('what is recalled is young again, and what is not there is made once', () => {
  const map = new Map<string, number>();
  let made = 0;
  const make = () => ++made;
  assert.deepEqual(['a', 'b', 'a', 'c', 'a', 'b'].map((key) => recall(map, key, make, 2)), [1, 2, 1, 3, 1, 4]); // biome-ignore format: one row
  assert.deepEqual([...map.keys()], ['a', 'b']);
});

test('a full map has room for what it has, and for nothing else', () => {
  const map = new Map([['a', 1]]);
  assert.deepEqual([hasRoom(map, 'b', 2), hasRoom(map, 'a', 1), hasRoom(map, 'b', 1)], [true, true, false]);
  assert.equal(hasRoom(new Set([7]), 8, 1), false);
});

// Order and containment of object identifiers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { normalOid, oidFollows, oidSuffix } from '../../../src/sources/pdu/oid.ts';

test('an equal identifier does not follow: an agent that repeats itself must not be walked for ever', () => {
  assert.equal(oidFollows('1.3.6', '1.3.6'), false);
});

test('order is by number, not by text', () => {
  assert.equal(oidFollows('1.3.9', '1.3.10'), true);
  assert.equal(oidFollows('1.3.10', '1.3.9'), false);
  assert.equal(oidFollows('1.3', '1.3.0'), true);
  assert.equal(oidFollows('1.3.0', '1.3'), false);
});

test('of two different identifiers exactly one follows the other', () => {
  const oid = fc.array(fc.nat(), { minLength: 1, maxLength: 12 }).map((parts) => parts.join('.'));
  fc.assert(
    fc.property(oid, oid, (a, b) => {
      assert.equal(Number(oidFollows(a, b)) + Number(oidFollows(b, a)), a === b ? 0 : 1);
    }),
  );
});

test('a suffix starts at a whole number', () => {
  assert.equal(oidSuffix('1.3.6.1', '1.3.6.1.5.2'), '5.2');
  assert.equal(oidSuffix('1.3.6.1', '1.3.6.15'), null);
  assert.equal(oidSuffix('1.3.6.1', '1.3.6.1'), null);
});

test('the leading dot of some agents is dropped', () => {
  assert.equal(normalOid('.1.3.6'), '1.3.6');
});

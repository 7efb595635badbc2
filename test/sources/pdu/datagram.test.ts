// Looking at datagrams: real ones are told apart, garbage is null, nothing throws.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { datagramHead } from '../../../src/sources/pdu/datagram.ts';

// GET of sysDescr.0 over v2c with community "public".
const GET = Buffer.from(
  '302902010104067075626c6963a01c02042a5b6c7d020100020100300e300c06082b060102010101000500',
  'hex',
);

test('version and kind of a v2c request are read', () => {
  const head = datagramHead(GET);
  assert.equal(head?.version, 1);
  assert.equal(head?.pduTag, 0xa0);
  assert.equal(head?.v3, null);
});

test('every truncation and every change of one byte gives an answer', () => {
  for (let length = 0; length < GET.length; length += 1) assert.equal(datagramHead(GET.subarray(0, length)), null);
  fc.assert(
    fc.property(fc.nat(GET.length - 1), fc.nat(255), (at, byte) => {
      const changed = Buffer.from(GET);
      changed[at] = byte;
      const head = datagramHead(changed);
      assert.ok(head === null || Number.isInteger(head.version));
    }),
  );
});

test('any bytes give an answer', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const head = datagramHead(Buffer.from(bytes));
      assert.ok(head === null || Number.isInteger(head.version));
    }),
  );
});

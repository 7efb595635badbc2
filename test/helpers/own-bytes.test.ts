// What is kept for good keeps its own bytes alone, not all of the pool that small buffers are cut from.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownBytes } from '../../src/helpers/own-bytes.ts';
import { askedVarbind } from '../../src/sources/pdu/codec/oid-bytes.ts';

test('the bytes of a text are those that it always has, in memory of their size', () => {
  for (const text of ['', 'FLSP', 'ä €']) {
    const bytes = ownBytes(text);
    assert.deepEqual(bytes, Buffer.from(text));
    assert.equal(bytes.buffer.byteLength, bytes.length);
  }
});

test('an identifier that was encoded once keeps nothing but itself', () => {
  const varbind = askedVarbind('1.3.6.1.2.1.1.3.0');
  assert.equal(varbind?.buffer.byteLength, varbind?.length);
});

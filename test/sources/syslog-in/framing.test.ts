// Both framings of syslog over a stream, one after the other and cut anywhere; what is too long keeps its head.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Framing } from '../../../src/sources/syslog-in/framing.ts';

const counted = (text: string) => `${Buffer.byteLength(text)} ${text}`;

test('messages with their length, and a line each, however the bytes are cut', () => {
  const texts = ['<4>one', '<13>1 - two\nlines', '<5>drei ü', '<4>12 34', '<4>last'];
  const bytes = Buffer.from(
    `${counted(texts[0] ?? '')}${counted(texts[1] ?? '')}${texts[2]}\n${texts[3]}\0${texts[4]}`,
  );
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 12 }), (cuts) => {
      const framing = new Framing();
      const at = [0, ...[...new Set(cuts)].sort((a, b) => a - b), bytes.length];
      const got = at.slice(1).flatMap((end, i) => framing.push(bytes.subarray(at[i], end)));
      assert.deepEqual([...got, ...framing.end()], texts);
    }),
    { seed: 17, numRuns: 200 },
  );
});

test('a message over 64 KiB keeps its head in either framing, and the next one is whole', () => {
  for (const long of [counted(`<4>${'x'.repeat(200_000)}`), `<4>${'y'.repeat(200_000)}\n`]) {
    const framing = new Framing();
    const bytes = Buffer.from(`${long}<4>next\n`);
    const got: string[] = [];
    for (let at = 0; at < bytes.length; at += 1000) got.push(...framing.push(bytes.subarray(at, at + 1000)));
    assert.deepEqual(got.map((text) => text.length), [65_536, 7]); // biome-ignore format: one line
    assert.equal(framing.cut, 1);
  }
});

test('a length that never comes true, and digits that are none, hold 64 KiB at most', () => {
  const framing = new Framing();
  for (let i = 0; i < 100; i += 1) framing.push(Buffer.alloc(10_000, '9'));
  assert.ok(framing.end().every((text) => text.length <= 65_536));
  assert.deepEqual(new Framing().push(Buffer.from('0 x\n')), ['0 x'], 'a length of nothing is a line');
});

test('a chunk of short lines is looked through once, whichever end they have', (t) => {
  let looked = 0;
  const { indexOf } = Buffer.prototype;
  t.mock.method(Buffer.prototype, 'indexOf', function (this: Buffer, ...given: Parameters<typeof indexOf>) {
    const at = indexOf.apply(this, given);
    looked += at < 0 ? this.length : at + 1;
    return at;
  });
  for (const end of ['\n', '\0']) {
    const bytes = Buffer.from(`<4>a${end}`.repeat(4000));
    assert.equal(new Framing().push(bytes).length, 4000);
    assert.ok(looked <= 2 * bytes.length, `${looked} bytes for ${bytes.length}`);
    looked = 0;
  }
});

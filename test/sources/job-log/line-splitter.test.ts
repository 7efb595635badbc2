// Bytes to lines: any cut, endless lines, holes and overprints; every line keeps its true offset.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineSplitter } from '../../../src/sources/job-log/line-splitter.ts';

test('however the bytes are cut, lines and offsets are the same', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll(/[\n\r\0]/g, ''));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), fc.array(fc.nat({ max: 30 }), { maxLength: 40 }), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      const splitter = new LineSplitter(100);
      const seen = [];
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        const end = Math.min(at + cut, bytes.length);
        const chunk = Buffer.from(bytes.subarray(at, end));
        seen.push(...splitter.push(chunk));
        chunk.fill(0x78); // the reader may use its memory again
        at = end;
      }
      let offset = 100;
      const expected = lines.map((text) => {
        const entry = { text, offset };
        offset += Buffer.byteLength(text) + 1;
        return entry;
      });
      assert.deepEqual(seen, expected);
      assert.equal(splitter.offset, 100 + bytes.length);
    }),
  );
});

test('a last line without its end waits', () => {
  const splitter = new LineSplitter(0);
  assert.deepEqual(splitter.push(Buffer.from('half')), []);
  assert.deepEqual(splitter.push(Buffer.from(' done\nx')), [{ text: 'half done', offset: 0 }]);
});

test('a line over 64 KiB gives its head once; the rest is skipped and counted, the next line is whole', () => {
  const splitter = new LineSplitter(0);
  const lines = Array.from({ length: 50 }, () => splitter.push(Buffer.alloc(10_000, 'a'))).flat();
  lines.push(...splitter.push(Buffer.from('a\nnext\n')));
  assert.deepEqual(
    lines.map(({ text, offset }) => [text.length, offset]),
    [
      [65_536, 0],
      [4, 500_002],
    ],
  );
  assert.equal(splitter.cutLines, 1);
});

test('a line of exactly 64 KiB is whole', () => {
  const splitter = new LineSplitter(0);
  const [line] = splitter.push(Buffer.from(`${'a'.repeat(65_536)}\n`));
  assert.equal(line?.text.length, 65_536);
  assert.equal(splitter.cutLines, 0);
});

test('the first part of a line that began before the reading is left out', () => {
  const splitter = new LineSplitter(50, true);
  assert.deepEqual(splitter.push(Buffer.from('tail\nwhole\n')), [{ text: 'whole', offset: 55 }]);
});

test('a hole of zero bytes before a line is passed over, however long', () => {
  const splitter = new LineSplitter(0);
  const lines = [Buffer.alloc(200_000), Buffer.from('\0\0line\n')].flatMap((chunk) => splitter.push(chunk));
  assert.deepEqual(
    lines.map(({ text }) => text),
    ['line'],
  );
});

test('of a line that was printed over, the last print counts', () => {
  const splitter = new LineSplitter(0);
  const lines = splitter.push(Buffer.from('10%\r50%\rstep: 3\r\nplain\r\n'));
  assert.deepEqual(
    lines.map(({ text }) => text),
    ['step: 3', 'plain'],
  );
});

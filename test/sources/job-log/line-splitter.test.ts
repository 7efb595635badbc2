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

const texts = (splitter: LineSplitter, ...chunks: readonly string[]): string[][] =>
  chunks.map((chunk) => splitter.push(Buffer.from(chunk)).map(({ text }) => text));

test('of a line that was printed over, the last print counts, and the one before it', () => {
  assert.deepEqual(texts(new LineSplitter(0), '10%\r50%\rstep: 3\r\nplain\r\n'), [['50%', 'step: 3', 'plain']]);
});

test('a bar that never ends its line is handed over as it is, once for each chunk', () => {
  const bar = (n: number): string => `\r ${n}%| | ${n}/100 [00:01<00:09, 1.0s/it]`;
  const seen = texts(new LineSplitter(0), bar(1), bar(2) + bar(3), '', bar(4).slice(0, 20), bar(4).slice(20) + bar(5));
  assert.deepEqual(seen, [
    [bar(1).slice(1)],
    [bar(2).slice(1), bar(3).slice(1)],
    [],
    [],
    [bar(4).slice(1), bar(5).slice(1)],
  ]);
});

test('what wipes a bar away is nothing, and what is written in its place comes after it', () => {
  const splitter = new LineSplitter(0);
  const seen = texts(
    splitter,
    "\r 1%| | 1/9 [00:01, 1.0s/it]\r          \r{'loss': 1}\n",
    '\r 2%| | 2/9 [00:01, 1.0s/it]',
  );
  assert.deepEqual(seen, [[' 1%| | 1/9 [00:01, 1.0s/it]', "{'loss': 1}"], [' 2%| | 2/9 [00:01, 1.0s/it]']]);
});

test('a return before the newline ends the line once, wherever the bytes are cut', () => {
  assert.deepEqual(texts(new LineSplitter(0), 'a\r', '\nb\r\n', 'c', '\r', '\n'), [['a'], ['b'], [], ['c'], []]);
});

test('a day of prints over one line keeps only what is there', () => {
  const splitter = new LineSplitter(0);
  for (let i = 0; i < 20_000; i += 1) splitter.push(Buffer.from(`\r${i}`));
  assert.deepEqual(
    splitter.push(Buffer.from('\n')).map(({ text }) => text),
    ['19999'],
  );
  assert.equal(splitter.cutLines, 0);
});

test('however prints are cut, each is a whole one of the line, in order, at its own offset, and the last is there', () => {
  const print = fc.string({ unit: fc.constantFrom('a', 'b', ']', ' '), maxLength: 6 });
  const line = fc.array(print, { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.array(fc.nat({ max: 9 }), { maxLength: 40 }), (lines, cuts) => {
      const written = lines.map((prints) => `${prints.join('\r')}\n`).join('');
      const splitter = new LineSplitter(0);
      const seen = [];
      let at = 0;
      for (const cut of [...cuts, written.length]) {
        seen.push(...splitter.push(Buffer.from(written.slice(at, at + cut))));
        at += cut;
      }
      for (const { text, offset } of seen) assert.equal(written.slice(offset, offset + text.length), text);
      assert.deepEqual(
        seen.map(({ offset }) => offset),
        seen.map(({ offset }) => offset).toSorted((a, b) => a - b),
      );
      for (const prints of lines) {
        const shown = prints.findLast((text) => text.trim() !== '') ?? '';
        assert.ok(shown === '' || seen.some(({ text }) => text === shown), `${shown} of ${JSON.stringify(prints)}`);
      }
    }),
  );
});

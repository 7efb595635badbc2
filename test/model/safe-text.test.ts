// Safe text: nothing that a terminal obeys, hides or reorders is left, in text and in JSON, and JSON reads back the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { safeJson, safeLines, safeText } from '../../src/model/safe-text.ts';

const POINTS = [
  ...Array.from({ length: 0x20 }, (_, i) => i),
  ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i),
  0xad,
  0x61c,
  0x180e,
  0x200b,
  0x200c,
  0x200d,
  0x200e,
  0x200f,
  0x2028,
  0x2029,
  0x202a,
  0x202b,
  0x202c,
  0x202d,
  0x202e,
  0x2060,
  0x2066,
  0x2067,
  0x2068,
  0x2069,
  0xfeff,
  0xe0001,
  0xe0041,
  0xe000,
  0xd800,
  0xdfff,
];

test('every unsafe character becomes an escape, in text and within JSON', () => {
  for (const point of POINTS) {
    const character = String.fromCodePoint(point);
    const text = `a${character}b`;
    assert.match(safeText(text), /^a\\(x[0-9a-f]{2}|u\{[0-9a-f]+\})b$/, point.toString(16));
    const json = safeJson(JSON.stringify({ [text]: [text] }));
    assert.match(json, /^[\x20-\x7e]*$/, point.toString(16));
    assert.deepEqual(JSON.parse(json), { [text]: [text] });
  }
});

test('ordinary text of any language stays, and so does the layout of indented JSON', () => {
  const text = 'Größe ≥ 90 °C · 電源 ▼ 電圧低下 🔥';
  assert.equal(safeText(text), text);
  const document = { a: [text, 1] };
  assert.equal(safeJson(JSON.stringify(document, null, 2)), JSON.stringify(document, null, 2));
  assert.equal(safeLines('a\nb\u202e\n'), 'a\nb\\u{202e}\n');
});

// Held words: what a search of the text finds, whatever the texts and the words.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeldWord } from '../../../src/detection/text/held-words.ts';
import { drawer } from './words/known-lines.ts';

test('a word is in a text where a search finds it, for texts asked in turn', () => {
  const draw = drawer(3);
  const drawn = (most: number) => Array.from({ length: draw(most) }, () => 'abc: ─é\u{1f600}'.charAt(draw(9))).join('');
  const words = Array.from({ length: 60 }, () => drawn(5));
  const held = words.map((word) => new HeldWord(word));
  let found = 0;
  for (let i = 0; i < 2000; i += 1) {
    const text = drawn(30);
    for (const [at, word] of words.entries()) {
      assert.equal(held[at]?.isIn(text), text.includes(word), `${JSON.stringify(word)} in ${JSON.stringify(text)}`);
      if (text.includes(word)) found += 1;
    }
  }
  assert.ok(found > 1000);
});

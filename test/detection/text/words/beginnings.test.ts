// Words within words are found as a look at each pair of them finds them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Beginnings } from '../../../../src/detection/text/words/beginnings.ts';
import { JOB_WORDS } from '../../../../src/detection/text/words/job-words.ts';
import { KERNEL_WORDS } from '../../../../src/detection/text/words/kernel-words.ts';

const SHORT = ['a', 'b', 'ab', 'ba', 'aba', 'bab', 'c', 'xc', 'xy', 'yx', 'xyx', 'Fehler ', 'ehl', '━━', '━'];

for (const [name, words] of [
  ['short ones', SHORT],
  ['those of jobs', JOB_WORDS.words],
  ['those of the kernel', [...KERNEL_WORDS.words, 'I/O error, dev', 'EXT4-fs error']],
] as const) {
  test(`of ${name}, each that has another one is found, and no other`, () => {
    const beginnings = new Beginnings(words);
    for (const word of words) {
      const another = words.some((other) => other !== word && word.includes(other));
      assert.equal(beginnings.hasOther(word), another, word);
    }
  });
}

// Shell word: a path is one word of a line, whoever named the file, and shows nothing that is not in it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { shellWord } from '../../src/helpers/shell-word.ts';

/** What a shell makes of the word. */
function read(word: string): string {
  return spawnSync('bash', ['-c', `printf %s ${word}`], { encoding: 'utf8' }).stdout;
}

test('a path is one word of a shell line', () => {
  assert.equal(shellWord('/tmp/faultline-demo-a1'), '/tmp/faultline-demo-a1');
  assert.equal(shellWord("/tmp/it's here"), "'/tmp/it'\\''s here'");
});

test('a name that begins with a dash is not taken for an option', () => {
  assert.equal(shellWord('-n.log'), './-n.log');
  assert.equal(shellWord('-o $(id)'), "'./-o $(id)'");
});

test('of a name that a terminal would obey, the shell makes the same, and the terminal sees none of it', () => {
  for (const name of [
    "a\n$(id)'\\1.log",
    '\x1b]0;x\x07\u009b31m7',
    'gx-\u202e07\u2028\u200b',
    'ü\t`id`',
    '\u{e0041}9',
  ]) {
    const word = shellWord(name);
    assert.doesNotMatch(word, /[\p{C}\p{Zl}\p{Zp}]/u);
    assert.equal(read(word), name);
  }
});

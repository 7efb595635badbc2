// Which files the output of a step goes to, by the command line of the srun that started it.

import { basename } from 'node:path';

export interface SrunOutput {
  /** As its user wrote it, with %t and kin; null where the step prints through srun. */
  readonly output: string | null;
  readonly errors: string | null;
  /** What --chdir names. */
  readonly folder: string | null;
}

/** Of srun's options those that take no word of their own: slurm_opt.c of 26.05 and 22.05. All others take one. */
const WORDLESS = new Set(
  (
    'async bcast cache-dir-shared compress consolidate-segments contiguous debugger-test disable-status exact exclusive external-launcher ' +
    'help hold immediate interactive kill-on-bad-exit label multi-prog nice no-allocate no-kill oom-kill-step overcommit overlap ' +
    'oversubscribe parsable preserve-env propagate pty quiet quit-on-interrupt reboot resv-ports send-libs spread-job ' +
    'spread-segments stepmgr test-only unbuffered usage use-min-nodes verbose version wait-for-children whole x11'
  ).split(' '),
);
/** Short options without a word, and those whose word must follow without a blank. */
const WORDLESS_LETTERS = /[EHOQVXZhlsuv]/;
const ATTACHED_LETTERS = /[IKk]/;
const MAX_WORDS = 256;
/** What is not a file: all ranks through srun, nothing, or the rank that alone prints. */
const NO_FILE = /^(?:-|all.*|none|\d+)$/i;

/** Null where it is not srun. `words`: of the command line. */
export function srunOutput(words: readonly string[]): SrunOutput | null {
  if (basename(words[0] ?? '') !== 'srun') return null;
  const found = { output: null as string | null, errors: null as string | null, folder: null as string | null };
  const take = (option: string, value: string | undefined): void => {
    if (value === undefined || value === '') return;
    if (option === 'chdir' || option === 'D') found.folder = value;
    if (option === 'output' || option === 'o') found.output = NO_FILE.test(value) ? null : value;
    if (option === 'error' || option === 'e') found.errors = NO_FILE.test(value) ? null : value;
  };
  for (let i = 1; i < Math.min(words.length, MAX_WORDS); i += 1) {
    const word = words[i] ?? '';
    // The program and its own options follow.
    if (word === '--' || !word.startsWith('-') || word === '-') break;
    if (word.startsWith('--')) {
      const at = word.indexOf('=');
      if (at > 0) take(word.slice(2, at), word.slice(at + 1));
      else if (!WORDLESS.has(word.slice(2))) take(word.slice(2), words[++i]);
      continue;
    }
    for (let at = 1; at < word.length; at += 1) {
      const letter = word.charAt(at);
      if (WORDLESS_LETTERS.test(letter)) continue;
      const attached = word.slice(at + 1);
      if (attached !== '') take(letter, attached);
      else if (!ATTACHED_LETTERS.test(letter)) take(letter, words[++i]);
      break;
    }
  }
  return found;
}

// Kernel words: what every line of the kernel has that a decoder takes, by catalog/kernel-words.json.

import catalog from '#catalog/kernel-words.json' with { type: 'json' };
import { DEVICE_WORDS } from '../kernel/device-line.ts';
import { SUBSYSTEM_WORDS } from '../kernel/subsystem-line.ts';
import { UNLISTED_WORDS } from '../kernel/unlisted-line.ts';
import { PROGRAM_WORDS } from '../programs/program-rows.ts';
import { joined, type WordSet } from './word-set.ts';

interface Row {
  readonly of: string;
  readonly words: readonly string[];
  readonly any_case?: readonly string[];
}

/** Of the decoders. */
export const KERNEL_WORDS: WordSet = joined(setOf(catalog.rows), {
  words: [...PROGRAM_WORDS, ...DEVICE_WORDS, ...SUBSYSTEM_WORDS, ...UNLISTED_WORDS],
  anyCase: [],
});
/** Of sources, which look for answers to their own reads. */
export const ECHO_WORDS: WordSet = setOf(catalog.others);

function setOf(rows: readonly Row[]): WordSet {
  return { words: rows.flatMap(({ words }) => words), anyCase: rows.flatMap(({ any_case: words = [] }) => words) };
}

// WordSet: words of which a line has one where any rule may take it; the scanner finds the lines that do.

import { type NativeWordScanner, native } from '../../../native.ts';
import { Beginnings } from './beginnings.ts';

export interface WordSet {
  readonly words: readonly string[];
  /** Upper case and lower case of ASCII letters alike. */
  readonly anyCase: readonly string[];
}

export function joined(...sets: readonly WordSet[]): WordSet {
  const anyCase = fewest(sets.flatMap(({ anyCase: words }) => words.map((word) => word.toLowerCase())));
  const inAnyCase = new RegExp(anyCase.map(escaped).join('|') || '(?!)', 'i');
  const words = fewest(sets.flatMap(({ words: some }) => some)).filter((word) => !inAnyCase.test(word));
  return { words, anyCase };
}

/** `colours`: a word counts as well where the colours of a terminal are within it. */
export function scannerOf({ words, anyCase }: WordSet, colours: boolean): NativeWordScanner {
  return new (native().WordScanner)({ words, anyCase, colours });
}

function escaped(word: string): string {
  return word.replace(/[^\w\s]/g, '\\$&');
}

/** Without those that hold another one: any line with them has that one, too. */
function fewest(words: readonly string[]): string[] {
  const shorter = new Beginnings();
  return [...new Set(words)]
    .sort((a, b) => a.length - b.length)
    .filter((word) => {
      if (shorter.hasOther(word)) return false;
      shorter.add(word);
      return true;
    });
}

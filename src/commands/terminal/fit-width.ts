// Fit: breaks lines that are wider than the terminal where words end, so that it breaks none of them itself; a command that is longer stays whole.

import { stripVTControlCharacters } from 'node:util';
import { longestWord, wrap } from '../../incidents/report/layout.ts';

/** Lines after the first begin under the second column, where that leaves this share of the width. */
const LEAST_SHARE = 0.33;
const DEEPER = 2;

export function fit(text: string, width: number): string {
  if (text.length <= width) return text;
  return text
    .split('\n')
    .map((line) => fitLine(line, width))
    .join('\n');
}

function fitLine(line: string, width: number): string {
  const bare = stripVTControlCharacters(line);
  if (bare.length <= width) return line;
  const indent = Math.max(bare.search(/\S/), 0);
  const second = columnOf(bare, width);
  const head = bare.slice(0, second ?? indent);
  const text = bare.slice(head.length).trim();
  const column = second ?? indent + DEEPER;
  const longest = longestWord(text);
  // Colour is left out of a line that has to be broken: a break inside an escape would show it.
  if (longest > width - column && longest <= width - DEEPER) {
    // A word that the column would break, an address or a path, gets the room that it needs.
    const under = ' '.repeat(width - longest);
    const lines = wrap(text, longest, 'keep').map((part) => under + part);
    return [...(second === null ? [] : [head.trimEnd()]), ...lines].join('\n');
  }
  return wrap(text, width - column, 'keep')
    .map((part, i) => (i === 0 ? head : ' '.repeat(column)) + part)
    .join('\n');
}

/** Where the last column of a table line begins, if it leaves room enough. */
function columnOf(line: string, width: number): number | null {
  const gaps = [...line.matchAll(/\S {2,}(?=\S)/g)].map((gap) => gap.index + gap[0].length);
  return gaps.findLast((column) => width - column >= width * LEAST_SHARE) ?? null;
}

// Lines that tests and catalogue know, and lines that differ from them by little: what a set of words is held against.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FRAMEWORKS } from '../../../../src/detection/text/job/framework.ts';

const FOLDER = join(import.meta.dirname, '..');
/** A text between quotes on one line of a source. */
const QUOTED = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\$]|\\.)*)`/g;

/** Every text of the tests of decoders whose file begins so, line by line. */
export function linesOfTests(begin: string): string[] {
  const names = readdirSync(FOLDER).filter((name) => name.startsWith(begin) && name.endsWith('.ts'));
  const texts = names.flatMap((name) => {
    const source = readFileSync(join(FOLDER, name), 'utf8');
    return [...source.matchAll(QUOTED)].map(([, single, double, open]) => unescaped(single ?? double ?? open ?? ''));
  });
  return [...new Set(texts.flatMap((text) => text.split('\n')))].filter((line) => line.length > 3);
}

function unescaped(text: string): string {
  return text
    .replace(/\\u001b|\\x1b/g, '\u001b')
    .replace(/\\n/g, '\n')
    .replace(/\\(.)/g, '$1');
}

/** The example of each fault, and what servers print of their load. */
export function examples(): string[] {
  return FRAMEWORKS.flatMap(([, { faults = [], server }]) => [
    ...faults.map(({ example }) => example),
    ...(server === undefined ? [] : [server.load.example]),
  ]);
}

/** The same numbers at each run. */
export function drawer(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** One of the lines with a piece left out, doubled, turned around in case, cut off or put in from another one. */
export function mutated(lines: readonly string[], draw: (below: number) => number): string {
  const line = lines[draw(lines.length)] ?? '';
  const other = lines[draw(lines.length)] ?? '';
  const [from, length] = [draw(line.length + 1), 1 + draw(6)];
  const [before, piece, after] = [line.slice(0, from), line.slice(from, from + length), line.slice(from + length)];
  const made = [
    before + after,
    before + piece + piece + after,
    before + (piece === piece.toUpperCase() ? piece.toLowerCase() : piece.toUpperCase()) + after,
    before,
    before + other.slice(draw(other.length + 1)),
    `${before}\u001b[31m${piece}\u001b[0m${after}`,
    `${before}[32m${piece}[0m${after}`,
    `${before}${['7', ' ', ':', 'x'][draw(4)]}${after}`,
  ];
  return made[draw(made.length)] ?? line;
}

/** The lines of `lines` that the scanner finds in all of them together. */
export function foundOf(
  scanner: { scan(block: Uint8Array, found: Uint32Array): number },
  lines: readonly string[],
): Set<number> {
  const block = Buffer.from(lines.map((line) => line.replaceAll('\n', ' ')).join('\n'));
  const found = new Uint32Array(2 + 4 * lines.length);
  const count = scanner.scan(block, found);
  return new Set(Array.from({ length: count }, (_, i) => found[5 + 4 * i] ?? -1));
}

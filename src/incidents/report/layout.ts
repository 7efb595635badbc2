// Layout: text in columns of a fixed width, and colour that says nothing the words do not.

import { styleText } from 'node:util';
import type { Severity } from '../../model/severity.ts';
import { COMMAND_SPACE, tieCommands } from './shell-commands.ts';

const NO_BREAK = '\u00a0';

/** Words that one line must hold, for `wrap`. */
export function together(text: string): string {
  return text.replaceAll(' ', NO_BREAK);
}

/** A number and its unit: they are read as one. */
const MEASURE =
  /(\d[\d.,]*(?:…[\d.,]*\d)?) (?=(?:%|°C|[kMG]?(?:Hz|VA?|W|A|J|B)|[KMGT]iB|bytes?|ms|s|min|h|days?|rpm|times|GPU-hours|[A-Z]{3})(?![\w°]))/g;
/** Where a word that is longer than a line may end: behind these, and not inside a number. */
const BREAKS = /[/_:,;=#?&.-](?!\d)/g;

/** `121.4 → 108.2 V` in one piece. */
function tied(text: string): string {
  return text.replace(MEASURE, `$1${NO_BREAK}`).replace(/(?<=\d) → (?=[\d−-])/g, `${NO_BREAK}→${NO_BREAK}`);
}

/** What a column that is too narrow for a command does: a line of a table is held to its width, any other rather to the command. */
export type TooLong = 'break' | 'keep';

/**
 * Breaks at spaces into lines of at most `width`; a word that is longer is broken where its parts end, a command only where it may be.
 * Words of up to `most` have a line of their own rather.
 */
export function wrap(text: string, width: number, commands: TooLong = 'break', most = 0): string[] {
  const room = Math.max(width, 8);
  const lines: string[] = [];
  let line = '';
  for (const word of tied(tieCommands(text)).split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= room) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    if (commands === 'keep' && (word.includes(COMMAND_SPACE) || word.length <= most)) continue;
    while (line.length > room) {
      const end = breakOf(line, room);
      lines.push(line.slice(0, end));
      line = line.slice(end).replace(/^[\u00a0\0]+/, '');
    }
  }
  return [...lines, line].map((each) => each.replaceAll(NO_BREAK, ' ').replaceAll(COMMAND_SPACE, ' ').trimEnd());
}

/** What is held together is broken at its spaces first, where it is longer than a line. */
function breakOf(word: string, room: number): number {
  const space = Math.max(word.lastIndexOf(NO_BREAK, room), word.lastIndexOf(COMMAND_SPACE, room));
  if (space > 0) return space;
  const places = [...word.slice(0, room).matchAll(BREAKS)].map(({ index }) => index + 1);
  return places.findLast((place) => place > room / 3) ?? room;
}

/** The longest word, or command, that stays whole where the line is wide enough for it. */
export function longestWord(text: string): number {
  return Math.max(
    ...tieCommands(text)
      .split(/[ \u00a0]/)
      .map((word) => word.length),
  );
}

const UNDER = 2;

/** `label` padded to `indent`, the text next to it; only a line whose word or command needs the room begins further left. */
export function labelled(label: string, text: string, indent: number, width: number): string[] {
  const lines = wrap(text, width - indent, 'keep', width - UNDER);
  const startOf = (line: string) => (line.length <= width - indent ? indent : Math.min(UNDER, indent));
  const [first = ''] = lines;
  const own = label !== '' && startOf(first) < indent ? [label] : [];
  return [
    ...own,
    ...lines.map((line, index) => (index === 0 && own.length === 0 ? label : '').padEnd(startOf(line)) + line),
  ];
}

/** Cells of one row, each wrapped in its own column. */
export function row(cells: readonly string[], widths: readonly number[], gap: string): string[] {
  const wrapped = cells.map((cell, column) => wrap(cell, widths[column] ?? 8));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) =>
    wrapped
      .map((lines, column) => (lines[index] ?? '').padEnd(widths[column] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}

type Style = Parameters<typeof styleText>[0];
const SEVERITY_STYLE: Readonly<Record<Severity, Style>> = {
  info: 'dim',
  warning: 'yellow',
  error: 'red',
  critical: ['bold', 'red'],
};

export function paint(text: string, style: Style, colour: boolean): string {
  return colour && text !== '' ? styleText(style, text, { validateStream: false }) : text;
}

export function paintSeverity(severity: Severity, colour: boolean): string {
  return paint(severity, SEVERITY_STYLE[severity], colour);
}

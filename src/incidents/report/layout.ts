// Layout: text in columns of a fixed width, and colour that says nothing the words do not.

import { styleText } from 'node:util';
import type { Severity } from '../../model/severity.ts';

const NO_BREAK = '\u00a0';

/** Words that one line must hold, for `wrap`. */
export function together(text: string): string {
  return text.replaceAll(' ', NO_BREAK);
}

/** Breaks at spaces into lines of at most `width`; a word that is longer is broken itself. */
export function wrap(text: string, width: number): string[] {
  const room = Math.max(width, 8);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= room) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (line.length > room) {
      lines.push(line.slice(0, room));
      line = line.slice(room);
    }
  }
  return [...lines, line].map((each) => each.replaceAll(NO_BREAK, ' ').trimEnd());
}

/** `label` padded to `indent`, the text beside it; lines after the first begin under the text. */
export function labelled(label: string, text: string, indent: number, width: number): string[] {
  return wrap(text, width - indent).map((line, index) => (index === 0 ? label : '').padEnd(indent) + line);
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

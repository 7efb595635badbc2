// View: the sections laid out for a screen of some columns and lines: what matters most gets its lines first.

import { paint } from '../../incidents/report/layout.ts';
import type { Severity } from '../../model/severity.ts';
import type { Section } from './sections.ts';

export interface Layout {
  readonly width: number;
  /** Lines of the screen; null where it has no end, as in a file. */
  readonly height: number | null;
  readonly colour: boolean;
  /** The key of the only section that is shown; null for all. */
  readonly only: string | null;
  /** Rows that are scrolled away at the top of that section. */
  readonly skip: number;
}

const GAP = 2;
/** Lines that a section gets before any gets more, with its heads. */
const LEAST = 3;

export function viewOf(head: string, sections: readonly Section[], foot: string, layout: Layout): string[] {
  const shown = sections.filter(({ key }) => layout.only === null || key === layout.only);
  const room = layout.height === null ? Number.POSITIVE_INFINITY : Math.max(layout.height - 2, 1);
  const rooms = sharedRoom(
    shown.map(({ rows }) => (rows.length === 0 ? 1 : rows.length + 2)),
    room,
  );
  const lines = shown.flatMap((section, i) => linesOf(section, rooms[i] ?? 0, layout));
  const top = paint(cut(head, layout.width), 'bold', layout.colour);
  const body = layout.height === null ? lines : lines.slice(0, room);
  return [
    top,
    ...body,
    ...(foot === '' ? [] : [...filled(body, room, layout), paint(cut(foot, layout.width), 'dim', layout.colour)]),
  ];
}

function filled(body: readonly string[], room: number, { height }: Layout): string[] {
  return height === null ? [] : Array.from({ length: Math.max(room - body.length, 0) }, () => '');
}

/** Each as much as it wants where that fits; else a few lines for each, and the rest from the first on. */
function sharedRoom(wanted: readonly number[], room: number): number[] {
  const given = wanted.map((want) => Math.min(want, LEAST));
  let left = room - given.reduce((sum, each) => sum + each, 0);
  for (const [i, want] of wanted.entries()) {
    const more = Math.min(want - (given[i] ?? 0), Math.max(left, 0));
    given[i] = (given[i] ?? 0) + more;
    left -= more;
  }
  return given;
}

function linesOf({ key, name, columns, rows, empty }: Section, room: number, layout: Layout): string[] {
  const { width, colour, skip, only } = layout;
  const title = layout.height === null ? name : `${name} [${key}]`;
  if (room <= 0) return [];
  if (rows.length === 0) return [cut(`${title}: ${empty}`, width)];
  const from = only === null ? 0 : Math.min(skip, Math.max(rows.length - 1, 0));
  const fits = Math.max(room - 2, 0);
  const visible = rows.slice(from, from + fits);
  const hidden = rows.length - visible.length;
  const head = hidden === 0 ? title : `${title}: ${from + 1} to ${from + visible.length} of ${rows.length}`;
  const widths = widthsOf([columns, ...visible.map(({ cells }) => cells)], width);
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => cut(cell, widths[i] ?? 0).padEnd(widths[i] ?? 0))
      .filter((_, i) => (widths[i] ?? 0) > 0)
      .join(' '.repeat(GAP))
      .trimEnd();
  return [
    paint(cut(head, width), 'underline', colour),
    paint(line(columns), 'dim', colour),
    ...visible.map(({ cells, severity }) =>
      severity === null ? line(cells) : paintLine(line(cells), severity, colour),
    ),
  ].slice(0, room);
}

function paintLine(line: string, severity: Severity, colour: boolean): string {
  if (!colour) return line;
  const style = { info: 'dim', warning: 'yellow', error: 'red', critical: 'red' } as const;
  return paint(line, style[severity], true);
}

/** As wide as their widest cell; where that is too much the last columns are cut, and those that would be useless left out. */
function widthsOf(table: readonly (readonly string[])[], width: number): number[] {
  const wanted = (table[0] ?? []).map((_, i) =>
    table.reduce((most, cells) => Math.max(most, cells[i]?.length ?? 0), 0),
  );
  let left = width;
  return wanted.map((want, i) => {
    const own = Math.min(want, Math.max(left, 0));
    const useful = own === want || own >= 8 || i === 0 ? own : 0;
    left -= useful + (useful > 0 ? GAP : 0);
    return useful;
  });
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(width - 1, 0))}…`;
}

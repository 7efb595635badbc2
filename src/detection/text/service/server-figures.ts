// Server figures: single numbers that inference servers and their benchmarks print, by catalog/job: one line, one series.

import { FRAMEWORKS } from '../job/framework.ts';

const MAX_LINE = 256;
const NUMBER = /^\s{0,48}(\d{1,9}(?:,\d{3}){0,3}(?:\.\d{1,12})?)\s{0,4}([a-z]{0,16}(?:\/s)?)/i;
const FIGURES = FRAMEWORKS.flatMap(([, { server }]) => server?.figures ?? []);

export interface ServerFigure {
  /** Of a series of the service. */
  readonly quantity: string;
  /** In SI units. */
  readonly value: number;
}

/** None for nearly every line. */
export function parseServerFigures(line: string): ServerFigure[] {
  const head = line.slice(0, MAX_LINE);
  const found: ServerFigure[] = [];
  for (const { after, units, quantity } of FIGURES) {
    const at = head.indexOf(after);
    if (at < 0 || found.some((figure) => figure.quantity === quantity)) continue;
    const number = NUMBER.exec(head.slice(at + after.length));
    const factor = number === null ? undefined : (units[number[2] ?? ''] ?? units['']);
    const value = Number(number?.[1]?.replaceAll(',', '')) * (factor ?? Number.NaN);
    if (Number.isFinite(value)) found.push({ quantity, value });
  }
  return found;
}

// Evidence groups: pieces of evidence that differ in numbers alone are one, with the first and the last of them; of readings those around the change.

import type { Evidence } from '../../model/event.ts';
import { parseSeriesKey } from '../../model/reading.ts';
import { numberText, quantityText } from './quantity.ts';
import { unitOf } from './unit.ts';
import { clockText } from './when.ts';

export interface EvidenceGroup {
  readonly source: string;
  readonly first: Evidence;
  /** Null where it is the first. */
  readonly last: Evidence | null;
  readonly count: number;
}

type Readings = Extract<Evidence, { readonly series: string }>;

/** What is read as a mask of bits. */
const MASK = /(?:^|_)reasons$/;
/** Of a text that is longer the start decides. */
const LOOKED_AT = 2000;
/** An address on the bus, a number in hexadecimal, any other number. */
const NUMBERS =
  /\b(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b|0x[0-9a-f_]+|\b(?=[a-f]*\d)[0-9a-f]{4,16}\b|\d+/gi;

/** Pieces of one source that are alike, in the order of their first pieces. */
export function alikePieces(all: readonly Evidence[]): (readonly [Evidence, ...Evidence[]])[] {
  const groups = new Map<string, [Evidence, ...Evidence[]]>();
  for (const piece of all) {
    const key = `${piece.source}\u0001${alikeBy(piece)}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [piece]);
    else known.push(piece);
  }
  return [...groups.values()];
}

/** In the order of their first pieces. */
export function evidenceGroups(all: readonly Evidence[]): EvidenceGroup[] {
  return alikePieces(all).map((pieces) => {
    const [first] = pieces;
    return {
      source: first.source,
      first,
      last: pieces.length === 1 ? null : (pieces.at(-1) ?? null),
      count: pieces.length,
    };
  });
}

/** A text without its numbers; of readings the quantity and the type of what has it. */
function alikeBy(piece: Evidence): string {
  if ('text' in piece) return piece.text.slice(0, LOOKED_AT).replace(NUMBERS, '#');
  const { component, quantity } = parseSeriesKey(piece.series);
  return `${quantity} ${component.slice(0, component.indexOf('/'))}`;
}

/** Readings with their unit, bit masks as drivers' documents write them, a line each, at most so many: those around the greatest change, which they are the proof of. */
export function readingLines({ series, values }: Readings, timeZone: string, most: number): string[] {
  const { quantity } = parseSeriesKey(series);
  const unit = unitOf(quantity);
  const valueText = (value: number): string =>
    MASK.test(quantity) && Number.isSafeInteger(value) ? `0x${value.toString(16)}` : quantityText(value, unit);
  const from = startOf(values, most);
  const shown = values.slice(from, from + most);
  const lines = shown.map(([timeMs, value]) => `${clockText(timeMs, timeZone, true)}  ${valueText(value)}`);
  return shown.length === values.length
    ? lines
    : [`${shown.length} of ${numberText(values.length)} readings:`, ...lines];
}

function startOf(values: Readings['values'], most: number): number {
  if (values.length <= most) return 0;
  let [at, greatest] = [values.length, 0];
  for (let i = 1; i < values.length; i += 1) {
    const change = Math.abs((values[i]?.[1] ?? 0) - (values[i - 1]?.[1] ?? 0));
    if (change > greatest) [at, greatest] = [i, change];
  }
  return Math.min(Math.max(at - Math.floor(most / 2), 0), values.length - most);
}

// Pictures: which series of a black box are worth drawing, in which order, and how much a quantity changed.

import { median } from '../../helpers/median.ts';
import { componentText, parseComponent } from '../../model/component.ts';
import { nameText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import type { SampleSeries } from '../read-samples.ts';
import { quantityText, rangeText } from './quantity.ts';
import { unitOf } from './unit.ts';

export interface Line {
  readonly name: string;
  readonly series: SampleSeries;
  /** Median before the incident began; null where nothing was read. */
  readonly before: number | null;
  /** From then on, the lowest, the median and the highest; null where nothing was read. */
  readonly after: { readonly low: number; readonly median: number; readonly high: number } | null;
}

export interface Picture {
  /** `SM clock` */
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly Line[];
  /** Series of the quantity that are not drawn. */
  readonly left: number;
}

const LINES = 8;
const PICTURES = 12;
/** Counters, bit masks, our own costs: a line of them shows nothing. They stay in the file. */
const NO_PICTURE = /(?:reasons|energy|errors|count|iteration|sequence)$|^(?!step_).*_time$/;
/** What people look at first; everything else by how much it changed. */
const FIRST = [
  'voltage',
  'input_voltage',
  'power',
  'sm_clock',
  'temperature',
  'step_time',
  'throughput',
  'power_limit',
];

/** One picture a quantity; of each the lines that changed most, those of the root before others. */
export function picturesOf(incident: Incident, all: readonly SampleSeries[]): { pictures: Picture[]; left: number } {
  const names = new Map(
    incident.chain.flatMap(({ component }) =>
      component === null ? [] : [[componentText(component), nameText(component)] as const],
    ),
  );
  const rootAt = incident.root.component === null ? '' : componentText(incident.root.component);
  const startMs = incident.chain.reduce((least, link) => Math.min(least, link.interval.earliestMs), incident.openedMs);
  const byQuantity = new Map<string, Line[]>();
  for (const series of all) {
    if (NO_PICTURE.test(series.quantity)) continue;
    const name = names.get(series.component) ?? nameOf(series.component);
    const line = { name, series, ...change(series, startMs) };
    // One picture for each type of component: a phase carries ten times the power of a GPU.
    const key = `${series.quantity} ${series.component.slice(0, series.component.indexOf('/'))}`;
    const lines = byQuantity.get(key) ?? [];
    lines.push(line);
    byQuantity.set(key, lines);
  }
  const pictures = [...byQuantity].map(([key, lines]) => {
    const [quantity = '', type = ''] = [key.slice(0, key.lastIndexOf(' ')), key.slice(key.lastIndexOf(' ') + 1)];
    const moved = lines.map(shareOf);
    const order = lines
      .map((line, i) => ({ line, rank: (line.series.component === rootAt ? 1e6 : 0) + (moved[i] ?? 0) }))
      .sort((a, b) => b.rank - a.rank)
      .map(({ line }) => line);
    const drawn = order.slice(0, LINES);
    const most = moved.reduce((a, b) => Math.max(a, b), 0);
    const picture: Picture = {
      title: `${titleOf(quantity)} of ${spoken(type)}`,
      unit: unitOf(quantity),
      lines: drawn,
      left: lines.length - drawn.length,
    };
    const first = FIRST.indexOf(quantity);
    return { picture, quantity, rank: first >= 0 ? 1e6 - first : most };
  });
  const sorted = pictures.sort((a, b) => b.rank - a.rank);
  // In one order whatever the numbers: what people look at first, then by name.
  const drawn = sorted.slice(0, PICTURES).sort((a, b) => rankOf(a.quantity) - rankOf(b.quantity) || (a.picture.title < b.picture.title ? -1 : 1)); // biome-ignore format: one order
  return { pictures: drawn.map(({ picture }) => picture), left: Math.max(sorted.length - PICTURES, 0) };
}

function rankOf(quantity: string): number {
  const first = FIRST.indexOf(quantity);
  return first < 0 ? FIRST.length : first;
}

function nameOf(text: string): string {
  const component = parseComponent(text);
  return component === null ? plain(text, 64) : nameText(component);
}

function titleOf(quantity: string): string {
  const words = spoken(quantity);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `sm_clock` as `SM clock`, `pdu_phase` as `PDU phase`. */
function spoken(name: string): string {
  return plain(name, 48)
    .replaceAll('_', ' ')
    .replace(/\b(?:sm|gpu|cpu|hbm|nvlink|pdu|psu|nic|ups)\b/g, (word) =>
      word === 'nvlink' ? 'NVLink' : word.toUpperCase(),
    );
}

function change({ timesMs, values }: SampleSeries, startMs: number): Pick<Line, 'before' | 'after'> {
  const before = median(values.filter((_, i) => (timesMs[i] ?? 0) < startMs));
  const after = values.filter((_, i) => (timesMs[i] ?? 0) >= startMs);
  const middle = median(after);
  if (middle === null) return { before, after: null };
  const [low, high] = [after.reduce((a, b) => Math.min(a, b)), after.reduce((a, b) => Math.max(a, b))];
  return { before, after: { low, median: middle, high } };
}

/** How far it went from where it was, as a share of the larger. */
function shareOf({ before, after }: Line): number {
  if (before === null || after === null) return 0;
  const furthest = Math.max(Math.abs(after.low - before), Math.abs(after.high - before));
  return furthest / Math.max(Math.abs(before), Math.abs(after.low), Math.abs(after.high), Number.MIN_VALUE);
}

/** `121.4 V before, 108.2…121.6 V from then on`. */
export function changedText({ before, after }: Line, unit: string): string {
  const first = before === null ? 'not read' : quantityText(before, unit);
  const then = after === null ? 'not read' : rangeText(after.low, after.high, unit);
  return `${first} before, ${then} from then on`;
}

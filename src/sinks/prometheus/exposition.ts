// Exposition: families as text, in Prometheus' format 0.0.4 or OpenMetrics 1.0; escaped, without doubles, in a stable order.

import { safeLines } from '../../model/safe-text.ts';
import type { Family, FamilySample, Labels } from './metric-family.ts';
import { TextBytes } from './text-bytes.ts';

export type Format = 'text' | 'openmetrics';

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** UTF-16 units of one label value; a longer one is cut, so that no user's text can blow up an answer. */
export const MAX_LABEL_VALUE = 256;

/** Samples of families are written in the order of their labels, which is that of the answer before for nearly all. */
const MOST_ORDERS = 2048;
let orders = new Map<string, { readonly texts: readonly string[]; readonly order: readonly number[] }>();

/**
 * The whole answer, of some `expected` bytes; where there is `room` that nothing reads any more, it is written there. A family whose name came before and a sample whose labels came before are left out: one
 * double would cost the scraper the whole answer.
 */
export function exposition(
  families: readonly Family[],
  format: Format,
  expected = 0,
  room: Buffer | null = null,
): Buffer {
  const bytes = new TextBytes(expected, room);
  let last = '';
  for (const family of [...families].sort((a, b) => compare(a.name, b.name))) {
    if (family.name === last || family.samples.length === 0) continue;
    last = family.name;
    writeFamily(family, format, bytes);
  }
  if (format === 'openmetrics') bytes.text('# EOF\n');
  return bytes.end();
}

function writeFamily(family: Family, format: Format, bytes: TextBytes): void {
  const { head, type, base } = namesOf(family, format);
  if (family.help !== '') bytes.text(`# HELP ${head} ${escapeHelp(family.help, format)}\n`);
  bytes.text(`# TYPE ${head} ${type}\n`);
  if (format === 'openmetrics' && family.unit !== '' && head.endsWith(`_${family.unit}`)) {
    bytes.text(`# UNIT ${head} ${family.unit}\n`);
  }
  // Sorted by what is written, doubles lie side by side. The lines of one histogram differ in nothing that is sorted by
  // and stay in the order in which they came: buckets by their bound, sum, count.
  const { samples } = family;
  const texts = samples.map(({ labels }) => labelText(labels));
  const order = orderOf(family.name, texts);
  let [before, bound, text]: [FamilySample | undefined, string, string] = [undefined, '', ''];
  let [suffix, plain, opening]: [string | undefined, string, string] = [undefined, '', ''];
  for (const at of order) {
    const [sample, ownText] = [samples[at], texts[at] ?? ''];
    if (sample === undefined) continue;
    const ownBound = boundText(sample, format);
    const isSame = before?.suffix === sample.suffix && text === ownText && bound === ownBound;
    [before, bound, text] = [sample, ownBound, ownText];
    if (isSame) continue;
    if (sample.suffix !== suffix) {
      suffix = sample.suffix;
      [plain, opening] = [`${base}${suffix} `, `${base}${suffix}{`];
    }
    // Piece by piece: most texts are kept from one answer to the next, and are only copied.
    const value = numberText(sample.value);
    if (text === '' && bound === '') bytes.text(`${plain}${value}\n`);
    else {
      bytes.text(opening);
      bytes.text(text);
      bytes.text(`${text !== '' && bound !== '' ? ',' : ''}${bound}} ${value}\n`);
    }
  }
}

/** Places in `texts`, by text; texts that are the same stay in the order in which they are. */
function orderOf(family: string, texts: readonly string[]): readonly number[] {
  const known = orders.get(family);
  if (known !== undefined && isSameList(known.texts, texts)) return known.order;
  if (orders.size >= MOST_ORDERS) orders = new Map();
  const order = texts.map((_, at) => at).sort((a, b) => compare(texts[a] ?? '', texts[b] ?? ''));
  orders.set(family, { texts, order });
  return order;
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}

function namesOf(family: Family, format: Format): { head: string; type: string; base: string } {
  const { name, type } = family;
  if (format === 'text') {
    const plain = type === 'info' ? 'gauge' : type === 'unknown' ? 'untyped' : type;
    return { head: name, type: plain, base: name };
  }
  if (type === 'counter' && name.endsWith('_total')) return { head: name.slice(0, -'_total'.length), type, base: name };
  if (type === 'info' && name.endsWith('_info')) return { head: name.slice(0, -'_info'.length), type, base: name };
  // OpenMetrics knows no counter without _total; the sample keeps the name that dashboards ask for.
  return { head: name, type: type === 'counter' || type === 'info' ? 'unknown' : type, base: name };
}

/** Label lists are made once a series and written at every scrape. */
const written = new WeakMap<Labels, string>();

/** All but the bound of a bucket. */
function labelText(labels: Labels): string {
  const known = written.get(labels);
  if (known !== undefined) return known;
  const rest = labels.filter(([name]) => name !== 'le');
  const text = rest.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(',');
  written.set(labels, text);
  return text;
}

function boundText({ suffix, labels }: FamilySample, format: Format): string {
  const bound = suffix === '_bucket' ? (labels.find(([name]) => name === 'le')?.[1] ?? '') : '';
  if (bound === '') return '';
  return `le="${format === 'openmetrics' && /^-?[0-9]+$/.test(bound) ? `${bound}.0` : bound}"`;
}

export function escapeLabel(value: string): string {
  const bounded = value.length > MAX_LABEL_VALUE ? `${value.slice(0, MAX_LABEL_VALUE - 1)}…` : value;
  // The format has no escape for what a terminal obeys; it becomes one in words before the backslashes are doubled.
  return safeLines(bounded.toWellFormed()).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function escapeHelp(text: string, format: Format): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return format === 'openmetrics' ? escaped.replaceAll('"', '\\"') : escaped;
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  if (value === -Infinity) return '-Inf';
  return String(value);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

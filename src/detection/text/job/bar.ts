// Progress bars: tqdm's "Epoch 0:  12%|█▏   | 12/100 [00:10<01:20,  1.10it/s, loss=2.3]", and rich's in Lightning.

import { Cursor } from '../cursor.ts';
import { readFinite } from './number.ts';

/** Descriptions and bars are short: what is before the percents is looked at no further back. */
const MAX_DESCRIPTION = 96;
const MAX_BAR = 512;

/** "%|███▌  | 837/888 [9:42:50<34:08, 40.17s/it]" and another message. */
const BEHIND_BAR = /^%\|[^|]{0,200}\| {1,8}\d{1,9}\/\d{1,9} \[[^\]]{0,240}\](\S.*)$/;

export interface Bar {
  /** What is before the bar, without the colon: "Epoch 0", "Training Progress", "". */
  readonly description: string;
  readonly done: number;
  /** Null where tqdm does not know the end ("12it [00:10, 1.1it/s]", "12/?"). */
  readonly total: number | null;
  /** ms for one, as tqdm smooths it; null where it prints none yet, or a `?`. */
  readonly eachMs: number | null;
  /** What is counted: "it", "ba", "examples". */
  readonly unit: string | null;
  /** All that is in the brackets and behind them. */
  readonly rest: string;
}

const RATE = /(?<![\w.])(\d{1,9}(?:\.\d{1,6})?)(?:([a-z]{1,12})\/s|s\/([a-z]{1,12}))(?![a-z/])/;
/** "12/100 [", "12/? [": the bar is right before it. */
const COUNT = /^\s{0,4}(\d{1,9})\/(\d{1,9}|\?) \[/;
/** "Epoch 3/9  ━━━━━╸━━━━ 12/100 0:00:10 • 0:01:20 1.10it/s v_num: 0 train_loss: 2.31". */
const RICH = /^\s{0,4}(Epoch \d{1,6})\/-?\d{1,6}\s{1,4}[━╸╺ ]{1,200}(\d{1,9})\/(\d{1,9}|--)\s/;

/** The last bar that starts in the line; null where there is none. */
export function parseBar(line: string): Bar | null {
  return tqdm(line) ?? rich(line);
}

/** Where the parts of tqdm's bar are in a line. */
export interface BarParts {
  /** The sign of its percents. */
  readonly percent: number;
  /** Behind what is drawn. */
  readonly close: number;
  readonly done: readonly [from: number, to: number];
  readonly total: readonly [from: number, to: number];
  /** Behind the bracket of its times. */
  readonly rest: number;
}

export function barParts(line: string): BarParts | null {
  const percent = line.lastIndexOf('%|');
  if (percent < 0) return null;
  const close = line.indexOf('|', percent + 2);
  if (close < 0 || close - percent > MAX_BAR) return null;
  const counted = COUNT.exec(line.slice(close + 1, close + 40));
  if (counted === null) return null;
  const [all, done = '', total = ''] = counted;
  const rest = close + 1 + all.length;
  const slash = rest - ' ['.length - total.length - 1;
  return {
    percent,
    close,
    done: [slash - done.length, slash],
    total: [slash + 1, slash + 1 + total.length],
    rest,
  };
}

function tqdm(line: string): Bar | null {
  const parts = barParts(line);
  if (parts === null) return null;
  const { percent, done, total } = parts;
  const rest = line.slice(parts.rest);
  return {
    description: descriptionOf(line, percent),
    ...numbers(line.slice(...done), line.slice(...total)),
    ...rateOf(timed(rest)),
    rest,
  };
}

function rich(line: string): Bar | null {
  if (!line.includes('━')) return null;
  const found = RICH.exec(line);
  if (found === null) return null;
  const rest = line.slice(found[0].length);
  return { description: found[1] ?? '', ...numbers(found[2], found[3]), ...rateOf(rest.slice(0, MAX_BAR)), rest };
}

function numbers(done: string | undefined, total: string | undefined): Pick<Bar, 'done' | 'total'> {
  return { done: Number(done), total: readFinite(total) };
}

/** Between the times and the first field: only there a rate is printed. */
function timed(rest: string): string {
  const cursor = new Cursor(rest);
  const inside = cursor.until(']', MAX_BAR) ?? rest.slice(0, MAX_BAR);
  return inside.split('=', 1)[0] ?? '';
}

/** Where the number of its rate is; null where it prints none. */
export function rateAt(line: string, { rest }: BarParts): number | null {
  const found = RATE.exec(timed(line.slice(rest)));
  return found === null ? null : rest + found.index;
}

function rateOf(text: string): Pick<Bar, 'eachMs' | 'unit'> {
  const found = RATE.exec(text);
  const value = Number(found?.[1]);
  if (found === null || !(value > 0)) return { eachMs: null, unit: unitOf(text) };
  return found[2] === undefined
    ? { eachMs: value * 1000, unit: found[3] ?? null }
    : { eachMs: 1000 / value, unit: found[2] };
}

/** "?it/s" of the first print. */
function unitOf(text: string): string | null {
  return /\?([a-z]{1,12})\/s/.exec(text)?.[1] ?? null;
}

/** The words right before "  12%|": back to the last bracket that a prefix or another bar ended with. */
function descriptionOf(line: string, percent: number): string {
  let from = percent;
  while (from > 0 && percent - from < 4 && ' 0123456789'.includes(line[from - 1] ?? '')) from -= 1;
  const before = line.slice(Math.max(0, from - MAX_DESCRIPTION), from);
  const cut = Math.max(before.lastIndexOf(']'), before.lastIndexOf(')'), before.lastIndexOf('\r'));
  return before
    .slice(cut + 1)
    .replace(/^:/, '')
    .trim()
    .replace(/^\d{1,5}: ?/, '')
    .replace(/(?:\s*:)+$/, '')
    .replace(/\s+/g, ' ');
}

/** A bar ends without a newline, so that what was printed next is in its line. */
export function behindBar(text: string): string | null {
  const close = text.lastIndexOf(']') === text.length - 1 ? -1 : text.lastIndexOf('%|');
  const found = close < 0 ? null : BEHIND_BAR.exec(text.slice(close));
  return found?.[1] ?? null;
}

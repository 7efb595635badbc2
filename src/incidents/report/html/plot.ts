// Plot: one quantity of the black box over time, a line a component, with what happened marked on it.

import { thin } from '../../thin.ts';
import { changedText, type Picture } from '../pictures.ts';
import { quantityText } from '../quantity.ts';
import { clockText } from '../when.ts';
import { html } from './escape.ts';
import type { Mark } from './marks.ts';
import { wide } from './page.ts';
import { linear, type Scale, timeTicks, valueTicks } from './scale.ts';
import { at, svg, text } from './svg.ts';

const [WIDTH, HEIGHT] = [760, 250];
const [LEFT, RIGHT, TOP, BOTTOM] = [78, 12, 24, 26];
const POINTS = 300;
const MARKS = 16;
/** A gap this many times as wide as nearly all others is not bridged; a burst reads five times as often as usual. */
const GAP = 3;
const NEARLY_ALL = 0.98;
/** Half a label of the time axis. */
const LABEL = 30;

/** One after the other, over the same time, so that they can be compared. */
export function plotsOf(pictures: readonly Picture[], marks: readonly Mark[], timeZone: string): string {
  const ranges = pictures.map(rangeOf);
  const fromMs = ranges.reduce((least, range) => Math.min(least, range?.fromMs ?? least), Number.POSITIVE_INFINITY);
  const toMs = ranges.reduce((most, range) => Math.max(most, range?.toMs ?? most), Number.NEGATIVE_INFINITY);
  return pictures
    .map((picture, i) => {
      const range = ranges[i] ?? null;
      return range === null ? '' : plotOf(picture, { ...range, fromMs, toMs }, marks, timeZone, `plot-${i}`);
    })
    .join('\n');
}

function plotOf(picture: Picture, range: Range, marks: readonly Mark[], timeZone: string, id: string): string {
  const x = linear(range.fromMs, range.toMs, LEFT, WIDTH - RIGHT);
  const y = linear(range.low, range.high, HEIGHT - BOTTOM, TOP);
  const grid = valueTicks(range.low, range.high).map(
    (value) =>
      `<line class="rule" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at(y.at(value))}" y2="${at(y.at(value))}"/>${text(LEFT - 6, y.at(value) + 4, quantityText(value, picture.unit), 'soft end')}`,
  );
  const times = timeTicks(range.fromMs, range.toMs)
    .filter((ms) => x.at(ms) <= WIDTH - LABEL)
    .map((ms) => text(x.at(ms), HEIGHT - 8, clockText(ms, timeZone), 'soft mid'));
  const lines = picture.lines.map(({ series }, i) => {
    const points = pathOf(series.timesMs, series.values, x, y);
    return `<path class="line s${i}" d="${points}"/>`;
  });
  const words = picture.lines.map((line) => `${line.name}: ${changedText(line, picture.unit)}`).join('; ');
  const drawing = svg(
    'plot',
    WIDTH,
    HEIGHT,
    { id, title: `${picture.title} around the incident`, words },
    marked(marks, x) + grid.join('') + times.join('') + lines.join(''),
  );
  const key = picture.lines.map(
    (line, i) =>
      `<li><svg viewBox="0 0 36 10" aria-hidden="true"><path class="line s${i}" d="M0 5H36"/></svg>${html(`${line.name}: ${changedText(line, picture.unit)}`)}</li>`,
  );
  const left =
    picture.left === 0 ? '' : `<p>${picture.left} more that changed less are in the file of the samples.</p>`;
  return `<figure><figcaption>${html(picture.title)}</figcaption>${wide(`Plot of ${picture.title}`, drawing)}<ul class="key">${key.join('')}</ul>${left}</figure>`;
}

interface Range {
  readonly fromMs: number;
  readonly toMs: number;
  readonly low: number;
  readonly high: number;
}

function rangeOf({ lines }: Picture): Range | null {
  let [fromMs, toMs, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { series } of lines) {
    for (const [i, value] of series.values.entries()) {
      const timeMs = series.timesMs[i] ?? Number.NaN;
      if (Number.isNaN(timeMs)) continue;
      fromMs = Math.min(fromMs, timeMs);
      toMs = Math.max(toMs, timeMs);
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (!Number.isFinite(low) || !Number.isFinite(fromMs)) return null;
  const room = high === low ? Math.max(Math.abs(high) * 0.1, 1e-9) : (high - low) * 0.08;
  return { fromMs, toMs, low: low >= 0 ? Math.max(low - room, 0) : low - room, high: high + room };
}

function pathOf(timesMs: readonly number[], values: readonly number[], x: Scale, y: Scale): string {
  const kept = thin(Float64Array.from(timesMs), Float64Array.from(values), POINTS);
  const gaps = kept.slice(1).map((i, n) => (timesMs[i] ?? 0) - (timesMs[kept[n] ?? 0] ?? 0));
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor((gaps.length - 1) * NEARLY_ALL)] ?? 0;
  return kept
    .map((i, n) => {
      const isGap = n === 0 || (gaps[n - 1] ?? 0) > Math.max(usual * GAP, 1);
      return `${isGap ? 'M' : 'L'}${at(x.at(timesMs[i] ?? 0))} ${at(y.at(values[i] ?? 0))}`;
    })
    .join('');
}

/** The bounds of all as bands, where they overlap as one; the best time of each as a line with its number. */
function marked(marks: readonly Mark[], x: Scale): string {
  const shown = marks.filter(({ latestMs, earliestMs }) => latestMs >= x.from && earliestMs <= x.to).slice(0, MARKS);
  const bands = joined(shown)
    .map(([fromMs, toMs]) => [x.at(Math.max(fromMs, x.from)), x.at(Math.min(toMs, x.to))] as const)
    .filter(([from, to]) => to - from >= 2)
    .map(
      ([from, to]) =>
        `<rect class="band" x="${at(from)}" y="${TOP}" width="${at(to - from)}" height="${HEIGHT - TOP - BOTTOM}"/>`,
    );
  let last = Number.NEGATIVE_INFINITY;
  const lines = shown.map(({ number, timeMs }) => {
    const best = x.at(Math.min(Math.max(timeMs, x.from), x.to));
    // Numbers that would cover each other: the first is shown.
    const label = best - last < 14 ? '' : text(best, TOP - 6, String(number), 'marked mid');
    if (label !== '') last = best;
    return `<line class="mark" x1="${at(best)}" x2="${at(best)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>${label}`;
  });
  return [...bands, ...lines].join('');
}

function joined(marks: readonly Mark[]): [number, number][] {
  const spans: [number, number][] = [];
  for (const { earliestMs, latestMs } of [...marks].sort((a, b) => a.earliestMs - b.earliestMs)) {
    const last = spans.at(-1);
    if (last !== undefined && earliestMs <= last[1]) last[1] = Math.max(last[1], latestMs);
    else spans.push([earliestMs, latestMs]);
  }
  return spans;
}

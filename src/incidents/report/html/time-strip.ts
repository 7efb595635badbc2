// Time strip: what happened when, a row each, with the bounds that the clocks leave.

import { clockText, durationText } from '../when.ts';
import { html } from './escape.ts';
import type { Mark } from './marks.ts';
import { wide } from './page.ts';
import { linear, timeTicks } from './scale.ts';
import { at, cut, fitting, svg, text } from './svg.ts';

const WIDTH = 760;
const [LEFT, RIGHT, TOP, ROW] = [376, 16, 26, 22];
const ROWS = 40;
/** Half as wide as a time of day. */
const HALF_CLOCK = 28;

export function timeStrip(all: readonly Mark[], timeZone: string): string {
  const marks = all.slice(0, ROWS);
  const fromMs = marks.reduce((least, mark) => Math.min(least, mark.earliestMs), Number.POSITIVE_INFINITY);
  const toMs = marks.reduce((most, mark) => Math.max(most, mark.latestMs), Number.NEGATIVE_INFINITY);
  if (marks.length === 0) return '';
  const room = Math.max((toMs - fromMs) * 0.03, 250);
  const x = linear(fromMs - room, toMs + room, LEFT, WIDTH - RIGHT);
  const height = TOP + marks.length * ROW + 6;
  const ticks = timeTicks(x.from, x.to, 6);
  // Five times of one second would read alike.
  const tenths = ticks.some((ms) => ms % 1000 !== 0);
  const grid = ticks.map(
    (ms) =>
      `<line class="rule" x1="${at(x.at(ms))}" x2="${at(x.at(ms))}" y1="${TOP - 4}" y2="${at(height - 4)}"/>${text(Math.min(x.at(ms), WIDTH - HALF_CLOCK), 14, clockText(ms, timeZone, tenths), 'soft mid')}`,
  );
  const rows = marks.map(({ number, isRoot, timeMs, earliestMs, latestMs, who, what }, i) => {
    const y = TOP + i * ROW;
    const [from, to, best] = [x.at(earliestMs), x.at(latestMs), x.at(timeMs)];
    const kind = isRoot ? 'span root' : 'span';
    const label = text(0, y + 14, cut(`${number}  ${who}: ${what}`, fitting(LEFT - 8, isRoot)), isRoot ? 'strong' : '');
    return `${label}<rect class="band" x="${at(from)}" y="${at(y + 3)}" width="${at(Math.max(to - from, 1))}" height="14" rx="3"/><rect class="${kind}" x="${at(best - 2)}" y="${at(y + 2)}" width="4" height="16" rx="2"/>`;
  });
  const words = `${marks.length} rows from ${clockText(fromMs, timeZone)} to ${clockText(toMs, timeZone)}, ${durationText(toMs - fromMs)}; the table below has each of them`;
  const left = all.length > ROWS ? `<p>${html(`The first ${ROWS} of ${all.length}; the table has all.`)}</p>` : '';
  return (
    wide(
      'Picture of the timeline',
      svg(
        'strip',
        WIDTH,
        height,
        { id: 'strip', title: 'When each thing happened', words },
        grid.join('') + rows.join(''),
      ),
    ) + left
  );
}

// Bars: how many incidents opened in each piece of a period, the severe ones filled.

import type { Incident } from '../../../../model/incident.ts';
import { compareSeverity } from '../../../../model/severity.ts';
import { clockText, dayText } from '../../when.ts';
import { html } from '../escape.ts';
import { wide } from '../page.ts';
import { linear, valueTicks } from '../scale.ts';
import { at, svg, text } from '../svg.ts';

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [760, 200, 40, 12, 26];
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
const MOST = 48;

interface Period {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly timeZone: string;
}

export function barsOf(incidents: readonly Incident[], { sinceMs, untilMs, timeZone }: Period): string {
  const span = Math.max(untilMs - sinceMs, 1);
  const piece = span <= 2 * DAY_MS ? HOUR_MS : DAY_MS * Math.ceil(span / DAY_MS / MOST);
  const count = Math.max(Math.ceil(span / piece), 1);
  const bars = Array.from({ length: count }, () => ({ severe: 0, other: 0 }));
  for (const { openedMs, severity } of incidents) {
    // What was open before the period began is counted at its beginning.
    const bar = bars[Math.min(Math.max(Math.floor((openedMs - sinceMs) / piece), 0), count - 1)];
    if (bar === undefined) continue;
    if (compareSeverity(severity, 'error') >= 0) bar.severe += 1;
    else bar.other += 1;
  }
  const most = bars.reduce((high, { severe, other }) => Math.max(high, severe + other), 1);
  const y = linear(0, most, HEIGHT - BOTTOM, TOP);
  const width = (WIDTH - LEFT) / count;
  const grid = valueTicks(0, most)
    .filter(Number.isInteger)
    .map(
      (value) =>
        `<line class="rule" x1="${LEFT}" x2="${WIDTH}" y1="${at(y.at(value))}" y2="${at(y.at(value))}"/>${text(LEFT - 6, y.at(value) + 4, String(value), 'soft end')}`,
    );
  const drawn = bars.map(({ severe, other }, i) => {
    const x = LEFT + i * width + width * 0.1;
    const rect = (from: number, to: number, kind: string): string =>
      from === to
        ? ''
        : `<rect class="${kind}" x="${at(x)}" y="${at(y.at(to))}" width="${at(width * 0.8)}" height="${at(y.at(from) - y.at(to))}"/>`;
    return rect(0, severe, 'span root') + rect(severe, severe + other, 'span');
  });
  const every = Math.ceil(count / 8);
  const name = (ms: number): string =>
    piece < DAY_MS ? clockText(ms, timeZone).slice(0, 5) : dayText(ms, timeZone).slice(5);
  const names = bars.map((_, i) =>
    i % every === 0 ? text(LEFT + (i + 0.5) * width, HEIGHT - 8, name(sinceMs + i * piece), 'soft mid') : '',
  );
  const unit = piece < DAY_MS ? 'hour' : piece === DAY_MS ? '24 hours' : `${piece / DAY_MS} days`;
  const words = bars
    .flatMap(({ severe, other }, i) =>
      severe + other === 0 ? [] : [`${name(sinceMs + i * piece)}: ${severe + other}`],
    )
    .join(', ');
  const title = `Incidents opened, for each ${unit}`;
  const picture = svg(
    'plot',
    WIDTH,
    HEIGHT,
    { id: 'bars', title, words: words === '' ? 'none' : words },
    grid.join('') + drawn.join('') + names.join(''),
  );
  return `<figure><figcaption>${html(title)}</figcaption>${wide('Picture of when', picture)}</figure><p>Below, red: error and critical. Above, blue: info and warning.</p>`;
}

// Bars: how many incidents opened in each piece of a period, the severe ones filled.

import type { Incident } from '../../../../model/incident.ts';
import { compareSeverity } from '../../../../model/severity.ts';
import { html } from '../escape.ts';
import { wide } from '../page.ts';
import { linear, valueTicks } from '../scale.ts';
import { at, svg, text } from '../svg.ts';
import { type Period, piecesOf } from './pieces.ts';

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [760, 200, 40, 12, 26];

export function barsOf(incidents: readonly Incident[], period: Period): string {
  const pieces = piecesOf(period);
  const count = pieces.names.length;
  const bars = Array.from({ length: count }, () => ({ severe: 0, other: 0 }));
  for (const { openedMs, severity } of incidents) {
    const bar = bars[pieces.of(openedMs)];
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
  const names = pieces.names.map((name, i) =>
    i % every === 0 ? text(LEFT + (i + 0.5) * width, HEIGHT - 8, name, 'soft mid') : '',
  );
  const words = bars
    .flatMap(({ severe, other }, i) => (severe + other === 0 ? [] : [`${pieces.names[i]}: ${severe + other}`]))
    .join(', ');
  const title = `Incidents opened, for each ${pieces.unit}, ${period.timeZone}`;
  const picture = svg(
    'plot',
    WIDTH,
    HEIGHT,
    { id: 'bars', title, words: words === '' ? 'none' : words },
    grid.join('') + drawn.join('') + names.join(''),
  );
  return `<figure><figcaption>${html(title)}</figcaption>${wide('Picture of when', picture)}</figure><p>Below, red: error and critical. Above, blue: info and warning.</p>`;
}

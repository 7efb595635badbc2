// Small plots side by side as one SVG: curves with both axes logarithmic, and memory over an hour.

import { exponentOf } from './statistics.mjs';

const [WIDTH, HEIGHT, COLUMNS] = [300, 210, 3];
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 12, 34, 34];
const STYLE = 'font-family="sans-serif" font-size="10" fill="#333"';

/** `curves`: {what, x, unit, points}; `hour`: [minutes, RSS, PSS of all] in MiB, or none. */
export function panelsOf(curves, hour) {
  const panels = curves.map((curve) => logarithmic(curve));
  if (hour.length > 0) panels.push(overTime(hour));
  const rows = Math.ceil(panels.length / COLUMNS);
  const [width, height] = [WIDTH * COLUMNS, HEIGHT * rows];
  const placed = panels.map((panel, i) => `<g transform="translate(${WIDTH * (i % COLUMNS)} ${HEIGHT * Math.floor(i / COLUMNS)})">\n${panel}\n</g>`); // biome-ignore format: one line
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ${STYLE}>
<title>How work and memory grow</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${placed.join('\n')}
</svg>
`;
}

function logarithmic({ what, x: sizes, unit, points }) {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => Math.max(y, 1e-9))];
  const x = scale(Math.log(Math.min(...xs)), Math.log(Math.max(...xs)), LEFT, WIDTH - RIGHT);
  const [low, high] = decades(Math.min(...ys), Math.max(...ys));
  const y = scale(Math.log(low), Math.log(high), HEIGHT - BOTTOM, TOP);
  const at = ([size, value]) => `${x(Math.log(size)).toFixed(1)} ${y(Math.log(Math.max(value, 1e-9))).toFixed(1)}`;
  const lines = [];
  for (let tick = low; tick <= high * 1.001; tick *= 10) {
    const to = y(Math.log(tick)).toFixed(1);
    lines.push(`<path d="M${LEFT} ${to}H${WIDTH - RIGHT}" stroke="#ddd"/>`, text(LEFT - 4, Number(to) + 3, short(tick), 'end')); // biome-ignore format: one line
  }
  const ends = [...new Set([points[0], points[points.length >> 1], points.at(-1)])];
  return [
    text(LEFT, 14, what, 'start', 'font-weight="bold"'),
    text(LEFT, 27, `${unit}; exponent ${exponentOf(points).slope.toFixed(2)}, of the last three ${exponentOf(points.slice(-3)).slope.toFixed(2)}`, 'start'), // biome-ignore format: one line
    ...lines,
    ...ends.map(([size]) => text(x(Math.log(size)), HEIGHT - BOTTOM + 12, size.toLocaleString('en'), 'middle')),
    text((LEFT + WIDTH) / 2, HEIGHT - 6, sizes, 'middle'),
    dashed(points, at, low, high),
    `<path d="M${points.map(at).join('L')}" fill="none" stroke="#1f6feb"/>`,
    ...points.map((point) => `<circle cx="${at(point).replace(' ', '" cy="')}" r="3" fill="#1f6feb"/>`),
  ].join('\n');
}

/** Of slope one through the last point, as far as the panel goes. */
function dashed(points, at, low, high) {
  const [lastX, lastY] = points.at(-1);
  const linear = (size) => (lastY * size) / lastX;
  const from = Math.max(points[0][0], (low / lastY) * lastX);
  return linear(from) > high ? '' : `<path d="M${at([from, linear(from)])}L${at([lastX, lastY])}" stroke="#999" stroke-dasharray="4 3"/>`; // biome-ignore format: one line
}

function overTime(hour) {
  const x = scale(0, hour.at(-1)[0], LEFT, WIDTH - RIGHT);
  const most = Math.ceil(Math.max(...hour.map(([, rss]) => rss)) / 20) * 20;
  const y = scale(0, most, HEIGHT - BOTTOM, TOP);
  const line = (i, colour) => `<path d="M${hour.map((one) => `${x(one[0]).toFixed(1)} ${y(one[i]).toFixed(1)}`).join('L')}" fill="none" stroke="${colour}"/>`; // biome-ignore format: one line
  const ticks = Array.from({ length: most / 20 + 1 }, (_, i) => i * 20);
  return [
    text(LEFT, 14, 'Memory of the whole daemon', 'start', 'font-weight="bold"'),
    text(LEFT, 27, 'MiB: RSS (blue), PSS with its children (orange)', 'start'),
    ...ticks.flatMap((tick) => [
      `<path d="M${LEFT} ${y(tick).toFixed(1)}H${WIDTH - RIGHT}" stroke="#ddd"/>`,
      text(LEFT - 4, y(tick) + 3, `${tick}`, 'end'),
    ]),
    ...[0, 20, 40, 60].filter((minute) => minute <= hour.at(-1)[0] + 1).map((minute) => text(x(minute), HEIGHT - BOTTOM + 12, `${minute}`, 'middle')), // biome-ignore format: one line
    text((LEFT + WIDTH) / 2, HEIGHT - 6, 'minutes', 'middle'),
    line(1, '#1f6feb'),
    line(2, '#e36209'),
  ].join('\n');
}

function scale(from, to, start, end) {
  return (value) => start + ((value - from) / (to - from || 1)) * (end - start);
}

function decades(low, high) {
  return [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high * 1.0001))];
}

function short(tick) {
  return tick >= 1 ? Math.round(tick).toLocaleString('en') : tick.toPrecision(1);
}

function text(x, y, what, anchor, more = '') {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" ${more}>${what.replaceAll('`', '')}</text>`;
}

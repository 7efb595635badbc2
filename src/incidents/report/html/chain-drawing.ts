// Chain drawing: what caused what, drawn over the feed path: power at the top, work at the bottom, arrows from cause to effect.

import { componentText, parseComponent } from '../../../model/component.ts';
import { nameText } from '../../../model/component-name.ts';
import type { Incident } from '../../../model/incident.ts';
import { clockText, laterText } from '../when.ts';
import { html } from './escape.ts';
import { BOX, laneOf, type Place, placed, WIDTH } from './lanes.ts';
import type { Mark } from './marks.ts';
import { wide } from './page.ts';
import { at, cut, fitting, svg, text } from './svg.ts';

const BOXES = 24;
const INSIDE = fitting(BOX.width - 16);
const INSIDE_BOLD = fitting(BOX.width - 16, true);

interface Cause {
  readonly from: number;
  readonly to: number;
  readonly unsure: boolean;
}

/** Which of the marks caused which, by their places in the list. */
function causesOf(marks: readonly Mark[]): Cause[] {
  const byEvent = new Map(marks.flatMap(({ group }, i) => group.links.map((link) => [link.eventId, i] as const)));
  const causes = new Map<string, Cause>();
  for (const [to, { group }] of marks.entries()) {
    for (const { causedBy, orderUnknown } of group.links) {
      for (const cause of causedBy) {
        const from = byEvent.get(cause);
        if (from !== undefined && from !== to) causes.set(`${from} ${to}`, { from, to, unsure: orderUnknown });
      }
    }
  }
  return [...causes.values()];
}

export function chainDrawing(incident: Incident, all: readonly Mark[], timeZone: string): string {
  const marks = all.slice(0, BOXES);
  const causes = causesOf(marks);
  const way = wayOf(incident, marks);
  const lanes = [
    ...marks.map(({ group: { links } }) => laneOf(links[0]?.component ?? null, links[0]?.kind ?? incident.root.kind)),
    ...way.extra.map((component) => laneOf(component, incident.root.kind)),
  ];
  const { places, bands, height } = placed(lanes);
  const bandsDrawn = bands.map(
    ({ y, height: tall }) =>
      `<rect class="lane" x="1" y="${at(y + 1)}" width="${WIDTH - 2}" height="${at(tall)}" rx="6"/>`,
  );
  const names = bands.map(({ name, y }) => text(WIDTH - 10, y + 17, name, 'soft end'));
  const between = (from: number | undefined, to: number | undefined, kind: string): string => {
    const [a, b] = [places[from ?? -1], places[to ?? -1]];
    return a === undefined || b === undefined ? '' : curve(a, b, kind);
  };
  const path = way.steps.slice(1).map((to, i) => between(way.steps[i], to, 'way'));
  const arrows = causes.map(({ from, to, unsure }) => between(from, to, unsure ? 'cause unsure' : 'cause'));
  const boxes = marks.map((mark, i) => box(places[i], mark, incident, timeZone));
  const stations = way.extra.map((component, i) =>
    station(places[marks.length + i], nameText(component, incident.host)),
  );
  const drawing = svg(
    'chain',
    WIDTH,
    height + 2,
    {
      id: 'chain-picture',
      title: 'What caused what, over the feed path',
      words: 'The list below says the same in words',
    },
    [...bandsDrawn, ...names, ...path, ...arrows, ...boxes, ...stations].join(''),
  );
  const more = all.length > BOXES ? `<p>${html(`The first ${BOXES} of ${all.length} are drawn.`)}</p>` : '';
  const dashed = marks.some(({ orderUnknown }) => orderUnknown)
    ? '<p>A dashed arrow: the clocks alone cannot tell which came first.</p>'
    : '';
  return wide('Drawing of the chain', drawing) + more + dashed + inWords(marks, causes, incident);
}

/** The feed path as places in the list of boxes: those of the chain, and further ones for stations that nothing happened at. */
function wayOf(incident: Incident, marks: readonly Mark[]) {
  const known = new Map(
    marks
      .flatMap(({ group }, i) =>
        group.links.flatMap(({ component }) => (component === null ? [] : [[componentText(component), i] as const])),
      )
      .reverse(),
  );
  const components = (incident.feedPath ?? []).flatMap((station) => parseComponent(station) ?? []);
  const extra = components.filter((component) => !known.has(componentText(component)));
  const steps = components.map(
    (component) => known.get(componentText(component)) ?? marks.length + extra.indexOf(component),
  );
  return { extra, steps };
}

function box(place: Place | undefined, mark: Mark, incident: Incident, timeZone: string): string {
  if (place === undefined) return '';
  const { x, y } = place;
  const when = mark.isRoot
    ? `${incident.rootKnown ? 'root cause' : 'seen first'}, ${clockText(mark.timeMs, timeZone, mark.digits > 0)}`
    : `${mark.orderUnknown ? 'order not known, ' : ''}${clockText(mark.timeMs, timeZone, mark.digits > 0)}`;
  return [
    `<g><title>${html(`${mark.who}: ${mark.what}`)}</title>`,
    `<rect class="box${mark.isRoot ? ' root' : ''}" x="${at(x)}" y="${at(y)}" width="${BOX.width}" height="${BOX.height}" rx="6"/>`,
    text(x + 9, y + 19, cut(`${mark.number}  ${mark.who}`, INSIDE_BOLD), 'strong'),
    text(x + 9, y + 37, cut(mark.what, INSIDE)),
    text(x + 9, y + 54, cut(when, INSIDE), 'soft'),
    '</g>',
  ].join('');
}

function station(place: Place | undefined, name: string): string {
  if (place === undefined) return '';
  const { x, y } = place;
  return `<rect class="box way" x="${at(x)}" y="${at(y)}" width="${BOX.width}" height="${BOX.height}" rx="6"/>${text(x + 9, y + 25, cut(name, INSIDE))}${text(x + 9, y + 45, 'on the feed path', 'soft')}`;
}

/** From the lower edge of the upper box to the upper edge of the lower one; from side to side in the same row. */
function curve(a: Place, b: Place, kind: string): string {
  const arrow = kind.startsWith('cause');
  if (a.y === b.y) {
    const right = b.x > a.x;
    const [x1, x2, y] = [a.x + (right ? BOX.width : 0), b.x + (right ? 0 : BOX.width), a.y + BOX.height / 2];
    const head = arrow ? (right ? -8 : 8) : 0;
    const near = Math.abs(b.x - a.x) < BOX.width * 1.5;
    // Past a box between them the way goes over its top.
    const d = near
      ? `M${at(x1)} ${at(y)}H${at(x2 + head)}`
      : `M${at(a.x + BOX.width / 2)} ${at(a.y)}C${at(a.x + BOX.width / 2)} ${at(a.y - 22)} ${at(b.x + BOX.width / 2)} ${at(b.y - 22)} ${at(b.x + BOX.width / 2)} ${at(b.y - 8)}`;
    const tip = near ? point(x2, y, head, 0) : point(b.x + BOX.width / 2, b.y, 0, -8);
    return `<path class="${kind}" d="${d}"/>${arrow ? tip : ''}`;
  }
  const down = b.y > a.y;
  const [x1, x2] = [a.x + BOX.width / 2, b.x + BOX.width / 2];
  const [y1, y2] = [a.y + (down ? BOX.height : 0), b.y + (down ? 0 : BOX.height)];
  const head = arrow ? (down ? -8 : 8) : 0;
  const bend = (y2 + head - y1) / 2;
  return `<path class="${kind}" d="M${at(x1)} ${at(y1)}C${at(x1)} ${at(y1 + bend)} ${at(x2)} ${at(y2 + head - bend)} ${at(x2)} ${at(y2 + head)}"/>${arrow ? point(x2, y2, 0, head) : ''}`;
}

/** The head of an arrow whose tip is there, seen from where it comes from. */
function point(x: number, y: number, dx: number, dy: number): string {
  const [sx, sy] = dx === 0 ? [5, 0] : [0, 5];
  return `<path class="head" d="M${at(x)} ${at(y)}L${at(x + dx + sx)} ${at(y + dy + sy)}L${at(x + dx - sx)} ${at(y + dy - sy)}Z"/>`;
}

function inWords(marks: readonly Mark[], causes: readonly Cause[], { rootKnown }: Incident): string {
  const items = marks.map((mark, i) => {
    const own = causes.filter(({ to }) => to === i).map(({ from }) => marks[from]);
    const by = own.flatMap((cause) => {
      if (cause === undefined) return [];
      const lag = mark.timeMs - cause.timeMs;
      return [mark.orderUnknown || lag < 0 ? `${cause.number}` : `${cause.number}, ${laterText(lag)}`];
    });
    const why = mark.isRoot
      ? rootKnown
        ? ' — the root cause'
        : ' — seen first'
      : by.length === 0
        ? ''
        : ` — caused by ${by.join('; ')}`;
    return `<li>${html(`${mark.who}: ${mark.what}${why}`)}</li>`;
  });
  return `<details><summary>The chain in words</summary><ol>${items.join('\n')}</ol></details>`;
}

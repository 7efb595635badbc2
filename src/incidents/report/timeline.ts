// Timeline: the chain of an incident as rows — when, who, what, seen how — with equal links of siblings as one.

import { indexText, nameOf, nameText } from '../../model/component-name.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { ChainLink, Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { decisiveText, isNewText } from './decisive.ts';
import { changeOf, happeningText, sourceText } from './happening.ts';
import { labelled, row, wrap } from './layout.ts';
import { durationText, otherDay, spanText } from './when.ts';

const ROWS = 40;
/** Equal links of siblings further apart than this are told apart. */
const TOGETHER_MS = 10_000;
const POLL_GAP_MS = 1000;
/** Columns that the note on how a thing was seen may claim from what was seen. */
const NOTE = 22;
/** Columns need more than this. */
const NARROW = 80;
const STACKED = 6;

interface Group {
  readonly links: ChainLink[];
  readonly events: FaultEvent[];
}

function siblings(a: ChainLink, b: ChainLink): boolean {
  if (a.component === null || b.component === null) return false;
  const [one, other] = [nameOf(a.component), nameOf(b.component)];
  return (
    a.kind === b.kind &&
    a.severity === b.severity &&
    one.index !== '' &&
    one.group === other.group &&
    Math.abs(a.timeMs - b.timeMs) <= TOGETHER_MS
  );
}

function grouped(incident: Incident): Group[] {
  const events = new Map(incident.events.map((event) => [event.id, event]));
  const groups: Group[] = [];
  for (const link of incident.chain) {
    const event = events.get(link.eventId);
    const own = event === undefined ? [] : [event];
    const group = groups.find(({ links: [first] }) => first !== undefined && siblings(first, link));
    if (group === undefined) groups.push({ links: [link], events: own });
    else {
      group.links.push(link);
      group.events.push(...own);
    }
  }
  return groups;
}

function who({ links }: Group): string {
  const [first] = links;
  if (first === undefined || first.component === null) return nameText(null);
  if (links.length === 1) return nameText(first.component);
  const indices = links.flatMap(({ component }) => (component === null ? [] : [nameOf(component).index]));
  return `${nameOf(first.component).group} ${indexText(indices)}`;
}

/** How it was seen: `SNMP, within 2 s`, `NVML, reason 0x80`. */
function how({ links, events }: Group): string {
  const sources = [...new Set(events.map((event) => sourceText(event.source)))];
  const gap = Math.max(...links.map(({ interval }) => interval.latestMs - interval.earliestMs));
  const parts = [...sources.slice(0, 3)];
  const reasons = events[0]?.attributes.reasons;
  if (typeof reasons === 'string') parts.push(`reason ${plain(reasons, 20)}`);
  if (gap > POLL_GAP_MS) parts.push(`within ${durationText(Math.round(gap / 1000) * 1000)}`);
  return parts.join(', ');
}

/** What the mark before a row means; empty where no row has it. */
export function orderLegend(incident: Incident): string {
  return incident.chain.some((link) => link.orderUnknown) ? '   (~ the clocks alone cannot tell the order)' : '';
}

/** A second quantity is reported once per device: a slowdown after a brake does not fall from the same clock again. */
function isNews(said: Set<string>, device: string, change: string | null): boolean {
  const words = `${device}: ${change}`;
  if (said.has(words)) return false;
  said.add(words);
  return true;
}

export function timelineRows(incident: Incident, width: number, timeZone: string): string[] {
  const groups = grouped(incident);
  const saidOf = new Set<string>();
  const shown = new Set<string>();
  const quotes: (string | null)[] = [];
  const cells = groups.slice(0, ROWS).map((group) => {
    const { links, events } = group;
    const earliestMs = Math.min(...links.map((link) => link.interval.earliestMs));
    const latestMs = Math.max(...links.map((link) => link.interval.latestMs));
    const timeMs = Math.min(...links.map((link) => link.timeMs));
    const digits = Math.max(...links.map((link) => link.timeDigits));
    const kind = links[0]?.kind ?? incident.root.kind;
    const happening = happeningText(kind, events, isNews(saidOf, who(group), changeOf(events, 'also_')));
    const quote = decisiveText(events);
    quotes.push(quote !== null && isNewText(quote, `${who(group)} ${happening}`, shown) ? quote : null);
    const day = otherDay(timeMs, incident.openedMs, timeZone);
    return [day + spanText(timeMs, digits, { earliestMs, latestMs }, timeZone), who(group), happening, how(group)];
  });
  const longest = (column: number): number => Math.max(...cells.map((each) => each[column]?.length ?? 0), 0);
  const time = longest(0);
  const name = Math.min(longest(1), Math.floor(width * 0.26));
  const rest = width - 3 - time - 3 - name - 3;
  const what = Math.max(Math.min(longest(2), rest - 3 - Math.min(longest(3), NOTE)), 8);
  const widths = [time, name, what, Math.max(rest - what - 3, 8)];
  const more = groups.length > ROWS ? [`   and ${groups.length - ROWS} more: --format json shows all`] : [];
  const isUnknown = (index: number): boolean => groups[index]?.links.some((link) => link.orderUnknown) === true;
  if (width < NARROW) {
    const rows = cells.flatMap((each, index) => [
      ...stacked(each, isUnknown(index) ? ' ~ ' : '   ', width),
      ...quoted(quotes[index] ?? null, STACKED, width),
    ]);
    return [...rows, ...more.flatMap((line) => wrap(line.trim(), width - 3).map((part) => `   ${part}`))];
  }
  const rows = cells.flatMap((each, index) => [
    ...row(each, widths, '   ').map((line, i) => `${isUnknown(index) && i === 0 ? ' ~ ' : '   '}${line}`),
    ...quoted(quotes[index] ?? null, 3 + time + 3, width),
  ]);
  return [...rows, ...more];
}

/** The line that a step was known by, under it. */
function quoted(quote: string | null, indent: number, width: number): string[] {
  if (quote === null) return [];
  return wrap(`"${quote}"`, width - indent).map((line) => ' '.repeat(indent) + line);
}

/** Two lines or more in place of columns that would break every word. */
function stacked(
  [time = '', name = '', what = '', seen = '']: readonly string[],
  mark: string,
  width: number,
): string[] {
  const head = labelled(`${mark}${time}`, name, mark.length + time.length + 2, width);
  const below = wrap(seen === '' ? what : `${what} · ${seen}`, width - STACKED);
  return [...head, ...below.map((line) => ' '.repeat(STACKED) + line)];
}

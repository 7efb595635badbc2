// Timeline: the chain of an incident as rows — when, who, what, seen how — with equal links of siblings as one.

import type { Incident } from '../../model/incident.ts';
import { codeWords } from './code-words.ts';
import { decisiveText, isNewText } from './decisive.ts';
import { groupsOf, how, whenOf, who } from './groups.ts';
import { changeOf, happeningText } from './happening.ts';
import { labelled, row, wrap } from './layout.ts';
import { otherDay, spanText } from './when.ts';

const ROWS = 40;
/** Columns that the note on how a thing was seen may claim from what was seen. */
const NOTE = 22;
/** Columns need more than this. */
const NARROW = 80;
const STACKED = 6;

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
  const groups = groupsOf(incident);
  const saidOf = new Set<string>();
  const shown = new Set<string>();
  const quotes: (string | null)[] = [];
  const cells = groups.slice(0, ROWS).map((group) => {
    const { links, events } = group;
    const { timeMs, digits, earliestMs, latestMs } = whenOf(group);
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

/** The line that a step was known by, under it, and what its numbers mean. */
function quoted(quote: string | null, indent: number, width: number): string[] {
  if (quote === null) return [];
  const meant = codeWords(quote);
  const lines = [...wrap(`"${quote}"`, width - indent), ...(meant === null ? [] : wrap(`(${meant})`, width - indent))];
  return lines.map((line) => ' '.repeat(indent) + line);
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

// Markdown: an incident for a ticket or a chat, the same as the HTML report without its pictures.

import { nameText } from '../../../model/component-name.ts';
import type { Evidence } from '../../../model/event.ts';
import type { Incident } from '../../../model/incident.ts';
import { kindInfo } from '../../../model/kind.ts';
import { plain } from '../../../model/plain.ts';
import { evidenceGroups, readingLines } from '../evidence-groups.ts';
import { type Group, groupsOf, how, whenOf, who } from '../groups.ts';
import { happeningText } from '../happening.ts';
import { badgesOf, titleOf } from '../head.ts';
import { lifeRows } from '../life.ts';
import { picturesOf } from '../pictures.ts';
import { numberText, percentText, quantityText, rangeText } from '../quantity.ts';
import type { ReportInput } from '../report-input.ts';
import { evidenceText, sourceText } from '../source-text.ts';
import { againOf, headlineOf, hostOf, placesOf, summaryOf } from '../summary.ts';
import { clockText, dayText, laterText, spanText } from '../when.ts';
import { block, code, sentence, words } from './words.ts';

/** What a ticket takes: rows of the timeline at once and in all, other rows, characters of one piece of evidence and of all. */
const SEEN_ROWS = 12;
const ROWS = 60;
const LISTED = 40;
/** Of one quantity: those that changed most. */
const LINES = 3;
const READINGS = 6;
const LONGEST = 2000;
const ALL = 40_000;

/** The whole report, with a newline at its end. */
export function renderMarkdown(input: ReportInput): string {
  const { incident, timeZone } = input;
  const opened = `${dayText(incident.openedMs, timeZone)} ${clockText(incident.openedMs, timeZone)} ${timeZone}`;
  const groups = groupsOf(incident);
  const sections = [
    `## ${words(headlineOf(input))}`,
    `**${words(titleOf(input))}** on ${words(hostOf(input))}, ${words(opened)} · ${badgesOf(input).map(words).join(' · ')}`,
    summaryOf(input)
      .map(({ label, text }) => `- **${words(label)}:** ${label === 'Runbook' ? code(text) : sentence(text)}`)
      .join('\n'),
    `### Timeline\n\n${timeline(groups, incident, timeZone)}`,
    life(incident, timeZone),
    folded('What was measured', measured(input)),
    folded('Why it is this sure', sure(incident)),
    folded('What else it could be', others(incident)),
    folded(`Evidence: ${evidenceText(incident.evidence)}`, evidence(incident.evidence, timeZone)),
    folded(
      'See it again',
      [
        ...againOf(input).map(({ label, text }) => `- ${code(label)}: ${words(text)}`),
        ...placesOf(input).map(({ label, text }) => `- ${words(label)}: ${code(text)}`),
      ].join('\n'),
    ),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** What follows the first screen, closed where the ticket can; empty where there is nothing in it. */
function folded(title: string, text: string): string {
  return text === '' ? '' : `<details><summary>${words(title)}</summary>\n\n${text}\n\n</details>`;
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map((row) => line(row.map(words)))].join('\n');
}

function timeline(groups: readonly Group[], incident: Incident, timeZone: string): string {
  const numbers = new Map(groups.flatMap(({ links }, i) => links.map((link) => [link.eventId, i + 1] as const)));
  const rows = groups.slice(0, ROWS).map((group, i) => {
    const { timeMs, digits, ...interval } = whenOf(group);
    const [first] = group.links;
    const causes = [...new Set(group.links.flatMap(({ causedBy }) => causedBy.flatMap((id) => numbers.get(id) ?? [])))];
    const lag = first?.lagMs === null || first === undefined ? '' : `, ${laterText(first.lagMs)}`;
    const isRoot = group.links.some(({ eventId }) => eventId === incident.root.eventId);
    const cause = isRoot
      ? incident.rootKnown
        ? 'root cause'
        : 'seen first'
      : causes.filter((number) => number !== i + 1).join(', ') + (first?.orderUnknown ? ', order not known' : lag);
    const what = happeningText(first?.kind ?? incident.root.kind, group.events);
    return [`${i + 1}`, spanText(timeMs, digits, interval, timeZone), who(group), what, how(group), cause];
  });
  const more = groups.length > ROWS ? `\n\nand ${groups.length - ROWS} more rows: \`--format json\` has all` : '';
  const columns = ['No.', 'When', 'Who', 'What', 'Seen by', 'Caused by'];
  const [seen, rest] = [rows.slice(0, SEEN_ROWS), rows.slice(SEEN_ROWS)];
  const further = rest.length === 0 ? '' : `\n\n${folded(`${rest.length} further rows`, table(columns, rest) + more)}`;
  return table(columns, seen) + further;
}

function life(incident: Incident, timeZone: string): string {
  const rows = lifeRows(incident, timeZone).map(({ stage, when, time, outcome, what }) => [stage, when, time, outcome, what]); // biome-ignore format: one line
  return rows.length === 0 ? '' : `### What was done about it\n\n${table(['Stage', 'When', 'Time', 'Outcome', 'What'], rows)}`; // biome-ignore format: one line
}

function measured({ incident, samples }: ReportInput): string {
  if (samples === null) return '';
  const { pictures } = picturesOf(incident, samples.series);
  const of = (value: number | null, unit: string): string => (value === null ? '' : quantityText(value, unit));
  const rows = pictures.flatMap(({ title, unit, lines }) =>
    lines
      .slice(0, LINES)
      .toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
      .map(({ name, before, after }) => [
        title,
        name,
        of(before, unit),
        after === null ? '' : rangeText(after.low, after.high, unit),
      ]),
  );
  if (rows.length === 0) return '';
  return table(['Quantity', 'Of', 'Before', 'From then on'], rows.slice(0, LISTED));
}

function sure({ confidenceParts }: Incident): string {
  return confidenceParts
    .slice(0, LISTED)
    .map(({ why, delta }) => `- ${delta > 0 ? 'for' : delta < 0 ? 'against' : 'note'}: ${words(plain(why))}`)
    .join('\n');
}

function others({ alternatives, ruledOut, rootKnown }: Incident): string {
  const rivals = alternatives
    .slice(0, LISTED)
    .map(({ root, confidence, why }) => [
      kindInfo(root.kind).title,
      root.component === null ? '' : nameText(root.component),
      percentText(confidence),
      plain(why),
    ]);
  const not = ruledOut
    .slice(0, LISTED)
    .map(({ what, why }) => `- not ${words(plain(what))}${why === '' ? '' : `: ${words(plain(why))}`}`);
  const first =
    rivals.length === 0 ? '' : table(['Cause', 'Where', 'Sure', rootKnown ? 'Why it lost' : 'Why it may be'], rivals);
  return [first, not.join('\n')].filter((part) => part !== '').join('\n\n');
}

/** A block for all pieces that differ in numbers alone: the first and the last of them. */
function evidence(all: readonly Evidence[], timeZone: string): string {
  let room = ALL;
  let left = 0;
  const items: string[] = [];
  for (const { source, first, last, count } of evidenceGroups(all)) {
    if (room <= 0) {
      left += count;
      continue;
    }
    const lines = [first, ...(last === null ? [] : [last])].map((piece) => pieceText(piece, timeZone));
    const text = lines.join('\n');
    room -= text.length;
    const alike = count < 3 ? '' : `, ${count} alike: the first and the last`;
    items.push(`${words(sourceText(source))}${alike}:\n\n${block(text)}`);
  }
  return (
    [...items, ...(left === 0 ? [] : [`and ${left} more: \`--format json\` has all`])].join('\n\n') || 'None was kept.'
  );
}

/** With its time, and with what it is of where that is a reading. */
function pieceText(piece: Evidence, timeZone: string): string {
  if (!('text' in piece)) return [plain(piece.series, 160), ...readingLines(piece, timeZone, READINGS)].join('\n');
  const taken = piece.text.slice(0, LONGEST);
  const cut =
    taken.length === piece.text.length ? '' : `\n(cut here: ${numberText(piece.text.length)} characters in all)`;
  return `${clockText(piece.timeMs, timeZone, true)}  ${taken}${cut}`;
}

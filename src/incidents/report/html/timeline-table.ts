// Timeline table: every event of an incident with its bounds, who, what, how it was seen and how sure its link is.

import { nameText } from '../../../model/component-name.ts';
import type { FaultEvent } from '../../../model/event.ts';
import type { ChainLink, Incident } from '../../../model/incident.ts';
import { happeningText } from '../happening.ts';
import { percentText } from '../quantity.ts';
import { sourceText } from '../source-text.ts';
import { clockText, dayText, durationText, otherDay } from '../when.ts';
import { html } from './escape.ts';
import { table, wide } from './page.ts';

/** All rows together; what is left is counted. */
const BYTES = 2_600_000;
const COLUMNS = ['Time', 'Between', 'Who', 'What', 'Seen by', 'After its cause', 'Sure'];

export function timelineTable(incident: Incident, timeZone: string): string {
  const events = new Map(incident.events.map((event) => [event.id, event]));
  const rows: string[][] = [];
  let bytes = 0;
  for (const link of incident.chain) {
    const row = rowOf(link, events.get(link.eventId), incident, timeZone);
    bytes += row.reduce((sum, cell) => sum + cell.length + 9, 20);
    if (bytes > BYTES) break;
    rows.push(row);
  }
  const left = incident.chain.length - rows.length;
  const more = left === 0 ? '' : `<p>${left} more events are in the document that --format json gives.</p>`;
  const caption = `${dayText(incident.openedMs, timeZone)}, ${timeZone}. Between: the bounds that polls and clocks leave.`;
  return wide('Table of the timeline', table(caption, COLUMNS, rows)) + more;
}

function rowOf(link: ChainLink, event: FaultEvent | undefined, incident: Incident, timeZone: string): string[] {
  const { timeMs, timeDigits, interval, kind, component, lagMs, orderUnknown, confidence } = link;
  const isRoot = link.eventId === incident.root.eventId;
  const own = event === undefined ? [] : [event];
  const bounds =
    interval.latestMs - interval.earliestMs < 1
      ? 'exact'
      : `${clockText(interval.earliestMs, timeZone, true)} … ${clockText(interval.latestMs, timeZone, true)}`;
  const after = orderUnknown ? 'order not known' : lagMs === null ? (isRoot ? 'root' : '') : durationText(lagMs);
  return [
    html(otherDay(timeMs, incident.openedMs, timeZone) + clockText(timeMs, timeZone, timeDigits > 0)),
    html(bounds),
    html(nameText(component)),
    html(happeningText(kind, own)),
    html(event === undefined ? '' : sourceText(event.source)),
    html(after),
    html(percentText(confidence)),
  ];
}

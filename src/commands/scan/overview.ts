// Overview: of many incidents a line each, the gravest first, before the first of them.

import { labelled, wrap } from '../../incidents/report/layout.ts';
import { placeText } from '../../incidents/report/place.ts';
import { shortId } from '../../incidents/report/sentences.ts';
import { clockText, dayText } from '../../incidents/report/when.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { compareSeverity } from '../../model/severity.ts';
import { SCAN_ZONE } from './zone.ts';

/** As many reports as a person reads from the top. */
const READ_AS_THEY_ARE = 5;
const LISTED = 20;

export function byGravity(incidents: readonly Incident[]): Incident[] {
  return incidents.toSorted(
    (a, b) =>
      compareSeverity(b.severity, a.severity) ||
      Number(isOfProgram(a)) - Number(isOfProgram(b)) ||
      b.confidence - a.confidence ||
      a.openedMs - b.openedMs,
  );
}

/** A program that is wrong ends one job; what is wrong with a device or host ends the next one as well. */
function isOfProgram({ action: { kind } }: Incident): boolean {
  return kind === 'debug_app' || kind === 'restart_app';
}

/** Empty where there are few. */
export function overview(incidents: readonly Incident[], width: number): string[] {
  if (incidents.length <= READ_AS_THEY_ARE) return [];
  const rows = byGravity(incidents).slice(0, LISTED).flatMap((incident) => rowOf(incident, width)); // biome-ignore format: one line
  const more = incidents.length > LISTED ? [`  and ${incidents.length - LISTED} more, below`] : [];
  const all = `${incidents.length} incidents, the gravest first; --incident ID gives one alone:`;
  return [[...wrap(all, width), ...rows, ...more].join('\n')];
}

function rowOf(incident: Incident, width: number): string[] {
  const { id, severity, openedMs, title } = incident;
  const when = `${dayText(openedMs, SCAN_ZONE)} ${clockText(openedMs, SCAN_ZONE)}`;
  const head = `  ${shortId(id)}  ${severity.padEnd('critical'.length)}  ${when}  `;
  return labelled(head, `${plain(title, 200)}${placeText(incident)}`, head.length, width);
}

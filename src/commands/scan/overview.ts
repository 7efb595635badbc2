// Overview: how many incidents there are and which of them to act on first, in one line before the first of them; of many a line each.

import { isDoneWith } from '../../incidents/report/done-with.ts';
import { labelled, wrap } from '../../incidents/report/layout.ts';
import { shortId } from '../../incidents/report/sentences.ts';
import { clockText, dayText } from '../../incidents/report/when.ts';
import type { Incident } from '../../model/incident.ts';
import { compareSeverity } from '../../model/severity.ts';
import { headlineOf } from './headline.ts';
import { SCAN_ZONE } from './zone.ts';

/** As many reports as a person reads from the top. */
const READ_AS_THEY_ARE = 5;
const LISTED = 20;
const INDENT = '  ';

/** What a line says is over comes last, however grave it was; of equals what more than a user's word says, then what the last line leaves open, comes first. */
export function byGravity(incidents: readonly Incident[]): Incident[] {
  return incidents.toSorted(
    (a, b) =>
      Number(isDoneWith(a, null)) - Number(isDoneWith(b, null)) ||
      compareSeverity(b.severity, a.severity) ||
      Number(a.unconfirmed !== null) - Number(b.unconfirmed !== null) ||
      Number(!a.rootKnown) - Number(!b.rootKnown) ||
      Number(isOfWork(a)) - Number(isOfWork(b)) ||
      Number(a.state !== 'open') - Number(b.state !== 'open') ||
      b.confidence - a.confidence ||
      a.openedMs - b.openedMs,
  );
}

/** A program or pod that is wrong ends one job; what is wrong with a device or host ends the next one as well, and often is why. */
function isOfWork({ root, action: { kind } }: Incident): boolean {
  return kind === 'debug_app' || kind === 'restart_app' || root.kind.startsWith('pod.');
}

/** `2 incidents, the gravest first: act on 6f3581 before the other`, as the head right below it says what that is; null of one alone. */
export function firstOfSeveral(incidents: readonly Incident[]): string | null {
  const [first] = byGravity(incidents);
  if (first === undefined || incidents.length === 1) return null;
  return `${incidents.length} incidents, the gravest first: act on ${shortId(first.id)} before ${incidents.length === 2 ? 'the other' : 'the others'}`;
}

/** Empty of one alone. */
export function overview(
  incidents: readonly Incident[],
  width: number,
  headline: (incident: Incident) => string = (incident) => headlineOf(incident),
): string[] {
  if (incidents.length <= READ_AS_THEY_ARE) {
    const first = firstOfSeveral(incidents);
    return first === null ? [] : [wrap(`${first}.`, width - INDENT.length).join(`\n${INDENT}`)];
  }
  const rows = byGravity(incidents)
    .slice(0, LISTED)
    .flatMap((incident) => rowOf(incident, headline(incident), width));
  const more = incidents.length > LISTED ? [`  and ${incidents.length - LISTED} more, below`] : [];
  const all = `${incidents.length} incidents, the gravest first; --incident ID gives one alone:`;
  return [[...wrap(all, width), ...rows, ...more].join('\n')];
}

function rowOf({ id, severity, openedMs }: Incident, headline: string, width: number): string[] {
  const when = `${dayText(openedMs, SCAN_ZONE)} ${clockText(openedMs, SCAN_ZONE)}`;
  const head = `  ${shortId(id)}  ${severity.padEnd('critical'.length)}  ${when}  `;
  return labelled(head, headline, head.length, width);
}

// Facts: what a message tells of an incident, in the words of its report: the first lines, the runbook, the line of a log.

import { runbookOf } from '../../incidents/report/advice.ts';
import { percentText } from '../../incidents/report/quantity.ts';
import { actText, effectText, openText, rootText, shortId, UNKNOWN } from '../../incidents/report/sentences.ts';
import { durationText } from '../../incidents/report/when.ts';
import { whoseText } from '../../incidents/report/whose.ts';
import { componentText } from '../../model/component.ts';
import { nameText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { mark } from '../../model/mark.ts';
import { plain } from '../../model/plain.ts';
import type { Severity } from '../../model/severity.ts';

const LONGEST = 600;
const LONGEST_TITLE = 220;

/** All of it is plain text of one line, whoever wrote it. */
export interface Facts {
  readonly id: string;
  readonly short: string;
  readonly host: string;
  readonly severity: Severity;
  readonly kind: string;
  readonly component: string | null;
  /** The root cause in one sentence; of an incident without one what is seen, headed by that. */
  readonly title: string;
  readonly effect: string | null;
  readonly jobs: string | null;
  readonly action: string;
  /** Path of the runbook's section within the documentation. */
  readonly runbook: string;
  /** The same as a link; null where the configuration has no address of the documentation. */
  readonly runbook_url: string | null;
  /** A line that a log or device wrote, verbatim. */
  readonly log_line: string | null;
  readonly confidence: string;
  readonly confidence_percent: number;
  /** What would confirm it, where a user of the host could have written all of it. */
  readonly unconfirmed: string | null;
  readonly explain: string;
  readonly opened_at: string;
  readonly resolved_at: string | null;
  /** How long it was open, for a resolved one. */
  readonly lasted: string | null;
  readonly merged_into: string | null;
  readonly made: string | null;
}

/** `runbooks`: where the documentation is served, without its "docs/" at the end; null where it is not. */
export function factsOf(incident: Incident, runbooks: string | null): Facts {
  const { id, host, severity, root, rootKnown, confidence, unconfirmed, openedMs, resolvedMs, mergedInto } = incident;
  const bare = rootText(incident).replace(UNKNOWN, '');
  const title = `${mark(incident)}${rootKnown ? '' : `${openText(incident)}: `}${bare}`;
  const asOfMs = resolvedMs ?? incident.updatedMs;
  const effect = effectText(incident, asOfMs);
  const runbook = runbookOf(root.kind);
  const line = logLine(incident);
  return {
    id,
    short: shortId(id),
    host: plain(host, 253),
    severity,
    kind: root.kind,
    component: root.component === null ? null : plain(componentText(root.component), 200),
    title: plain(title, LONGEST_TITLE),
    effect: effect === '' ? null : plain(effect, LONGEST),
    jobs: whoseText(incident) === null ? null : plain(whoseText(incident) ?? '', LONGEST),
    action: plain(actText(incident), LONGEST),
    runbook,
    runbook_url: runbooks === null ? null : `${runbooks.replace(/\/+$/, '')}/${runbook}`,
    log_line: line === null ? null : plain(line, LONGEST),
    confidence: percentText(confidence),
    confidence_percent: Math.round(confidence * 100),
    unconfirmed: unconfirmed === null ? null : plain(unconfirmed, 200),
    explain: `faultline explain ${shortId(id)}`,
    opened_at: new Date(openedMs).toISOString(),
    resolved_at: resolvedMs === null ? null : new Date(resolvedMs).toISOString(),
    lasted: resolvedMs === null ? null : durationText(resolvedMs - openedMs),
    merged_into: mergedInto === null ? null : shortId(mergedInto),
    made: incident.made ?? null,
  };
}

/** What the root's event was read from, else the first text that there is. */
function logLine({ events, root, evidence }: Incident): string | null {
  const own = events.find(({ id }) => id === root.eventId)?.evidence ?? [];
  for (const item of [...own, ...evidence]) if ('text' in item && item.text !== '') return item.text;
  return null;
}

/** The device that is meant, as people call it. */
export function deviceOf({ root }: Incident): string {
  return plain(nameText(root.component), 120);
}

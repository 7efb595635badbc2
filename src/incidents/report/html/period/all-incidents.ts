// All incidents: the table of a period's, each with what to do about it, so that the page can be acted on without another command.

import type { Incident } from '../../../../model/incident.ts';
import type { Said } from '../../../../model/note.ts';
import { compareSeverity } from '../../../../model/severity.ts';
import { percentText } from '../../quantity.ts';
import { lifeText, openText, rootText, shortId, UNKNOWN } from '../../sentences.ts';
import { adviceText, stepRows } from '../../steps.ts';
import { clockText, dayText } from '../../when.ts';
import { whoseShort } from '../../whose.ts';
import { html } from '../escape.ts';
import { table, wide } from '../page.ts';

const LISTED = 1000;
const COLUMNS = ['Id', 'Opened', 'Severity', 'What', 'What to do', 'Whose', 'State', 'People said'];

export interface ListOptions {
  readonly timeZone: string;
  readonly untilMs: number;
  readonly said: (id: string) => Said;
  /** What a command needs to find an incident, such as ` --log-directory DIR`. */
  readonly place: string;
}

/** Newest first. `name` is of the table and differs on one page. */
export function incidentTable(
  name: string,
  caption: string,
  incidents: readonly Incident[],
  options: ListOptions,
): string {
  const rows = incidents
    .toSorted((a, b) => b.openedMs - a.openedMs)
    .slice(0, LISTED)
    .map((incident) => rowOf(incident, options));
  const more = incidents.length > LISTED ? `<p>The newest ${LISTED} of ${incidents.length}.</p>` : '';
  // A column without a word in it is left out: the job of none is known, or no one has judged one.
  const used = (_: string, at: number): boolean => rows.some((row) => row[at] !== '');
  const [columns, cells] = [COLUMNS.filter(used), rows.map((row) => row.filter(used))];
  return wide(name, table(`${caption}; faultline explain ID${options.place} has each of them`, columns, cells)) + more;
}

function rowOf(incident: Incident, { timeZone, untilMs, said, place }: ListOptions): string[] {
  const { id, openedMs, severity, confidence, rootKnown } = incident;
  const { verdict, acknowledged } = said(id);
  const words = [acknowledged === null ? '' : 'acknowledged', verdict === null ? '' : `called ${verdict.verdict}`];
  const root = rootText(incident).replace(UNKNOWN, '');
  return [
    `<code>${html(shortId(id))}</code>`,
    html(`${dayText(openedMs, timeZone)} ${clockText(openedMs, timeZone)}`),
    html(severity),
    html(`${rootKnown ? '' : `${openText(incident)}: `}${root} (${percentText(confidence)} sure)`),
    actionOf(incident, timeZone, place),
    html(whoseShort(incident)),
    html(lifeText(incident, untilMs)),
    html(words.filter((word) => word !== '').join(', ')),
  ];
}

/** The action, and under it the first step and whom to call, as the report of the incident has them. */
function actionOf(incident: Incident, timeZone: string, place: string): string {
  const steps = stepRows(incident, timeZone, place, { below: false }).map(
    ({ label, text }) => `<div>${html(`${label}: ${text}`)}</div>`,
  );
  return `<div>${html(adviceText(incident, place, timeZone))}</div>${steps.join('')}`;
}

/** Of those that are open the gravest, the newest of these; null where none is open. */
export function gravestOpen(incidents: readonly Incident[]): Incident | null {
  const open = incidents.filter(({ state }) => state === 'open');
  return open.sort((a, b) => compareSeverity(b.severity, a.severity) || b.openedMs - a.openedMs)[0] ?? null;
}

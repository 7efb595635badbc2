// What to do: after a list on a terminal, the command that says it of the incident that matters most.

import { shortId } from '../../incidents/report/sentences.ts';
import type { Incident } from '../../model/incident.ts';
import { compareSeverity } from '../../model/severity.ts';

/** Of the gravest open incident, the newest of these; of the newest one where none is open. Null where there is none. */
export function whatToDo(shown: readonly Incident[]): string | null {
  const alone = shown.filter(({ mergedInto }) => mergedInto === null);
  const open = alone.filter(({ state }) => state === 'open');
  const among = open.length > 0 ? open : alone.slice(-1);
  const [first] = among.toSorted((a, b) => compareSeverity(b.severity, a.severity) || b.openedMs - a.openedMs);
  return first === undefined ? null : `What to do: faultline explain ${shortId(first.id)}`;
}

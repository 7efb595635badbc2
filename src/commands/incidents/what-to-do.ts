// What to do: after a list, the sentence that says it of the incident that matters most.

import { shortId } from '../../incidents/report/sentences.ts';
import { doText } from '../../incidents/report/steps.ts';
import { compareSeverity } from '../../model/severity.ts';
import type { Row } from './row.ts';

/** Of the gravest open incident, the newest of these, and of a trial only where nothing real is open; where none is open, on a terminal, where to read about the newest. Null where there is none. */
export function whatToDo(shown: readonly Row[], timeZone: string, isTerminal: boolean): string | null {
  const alone = shown.filter(({ mergedInto }) => mergedInto === null);
  const open = alone.filter(({ state }) => state === 'open');
  const real = open.filter(({ incident }) => incident?.made === undefined);
  const among = real.length > 0 ? real : open.length > 0 ? open : alone.slice(-1);
  const [first] = among.toSorted((a, b) => compareSeverity(b.severity, a.severity) || b.openedMs - a.openedMs);
  if (first === undefined) return null;
  const id = shortId(first.id);
  if (first.state !== 'open') return !isTerminal ? null : `Nothing is open. The newest: faultline explain ${id}`;
  if (first.incident === null) return null;
  const more = among.length === 1 ? '' : `, the gravest of ${among.length} that are open`;
  return `What to do about ${id}${more}: ${doText(first.incident, timeZone)}.\nWhy, and how sure: faultline explain ${id}`;
}

// Row: what a list keeps of an incident until it is printed: its text, and the few fields that order it and end the list.

import { once } from 'node:events';
import type { Incident } from '../../model/incident.ts';
import type { CommandIo } from '../common/command-io.ts';

export interface Row extends Pick<Incident, 'id' | 'revision' | 'openedMs' | 'state' | 'mergedInto' | 'severity'> {
  /** With its line end; null where it is not wanted. */
  readonly text: string | null;
  /** It is a reason for the status that --fail-on asks for. */
  readonly fails: boolean;
  /** Where more is asked of it once all are known: of twenty thousand, all that they say would fill the memory. */
  readonly incident: Incident | null;
}

export interface RowMaking {
  readonly isWanted: (incident: Incident) => boolean;
  readonly textOf: (incident: Incident) => string;
  readonly fails: (incident: Incident) => boolean;
  readonly isKept: (incident: Incident) => boolean;
}

export function rowOf(incident: Incident, { isWanted, textOf, fails, isKept }: RowMaking): Row {
  const { id, revision, openedMs, state, mergedInto, severity } = incident;
  const kept = isKept(incident) ? incident : null;
  const row = { id, revision, openedMs, state, mergedInto, severity, incident: kept };
  if (!isWanted(incident)) return { ...row, text: null, fails: false };
  return { ...row, text: flat(textOf(incident)), fails: fails(incident) };
}

/** The same text as one piece: put together of twenty it would keep them all. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}

export function keptOf(rows: readonly Row[]): readonly Incident[] {
  return rows.map(({ incident }) => incident).filter((incident) => incident !== null);
}

/** Rows that are written together. */
const AT_ONCE = 256;

/** Prints the rows no faster than they are taken, until `closed`. */
export async function printRows(rows: readonly Row[], { stdout }: CommandIo, closed: AbortSignal): Promise<void> {
  for (let from = 0; from < rows.length && !closed.aborted; from += AT_ONCE) {
    const texts = rows.slice(from, from + AT_ONCE).map(({ text }) => text ?? '');
    if (!stdout.write(texts.join(''))) await once(stdout, 'drain', { signal: closed }).catch(() => {}); // closed: the loop ends
  }
}

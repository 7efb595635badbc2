// Row: what a list keeps of an incident until it is printed: its text, and the few fields that order it and end the list.

import { once } from 'node:events';
import { crc32 } from 'node:zlib';
import type { OwnLine } from '../../incidents/log/drafts.ts';
import { type Spot, SpotReader } from '../../incidents/log/spots.ts';
import type { Headline } from '../../incidents/log/whole-line.ts';
import type { Incident } from '../../model/incident.ts';
import type { CommandIo } from '../common/command-io.ts';

export interface Row
  extends Pick<Incident, 'id' | 'revision' | 'openedMs' | 'state' | 'mergedInto' | 'severity' | 'made'> {
  /** Its bytes in UTF-8, a letter each, with the line's end; or where the log has them; null where it is not wanted. */
  readonly text: string | Logged | null;
  /** It is a reason for the status that --fail-on asks for. */
  readonly fails: boolean;
  /** Where more is asked of it once all are known: of twenty thousand, all that they say would fill the memory. */
  readonly incident: Incident | null;
}

/** A line of the log up to its last brace, and what is printed after that. */
export interface Logged {
  readonly spot: Spot;
  readonly sum: number;
  readonly tail: string;
}

export interface RowMaking {
  readonly isWanted: (incident: Incident) => boolean;
  readonly textOf: (incident: Incident) => string;
  readonly fails: (incident: Incident) => boolean;
  readonly isKept: (incident: Incident) => boolean;
}

export function rowOf(incident: Incident, line: OwnLine | null, { isWanted, textOf, fails, isKept }: RowMaking): Row {
  const kept = isKept(incident) ? incident : null;
  if (!isWanted(incident)) return { ...bareRow(incident), incident: kept };
  const text = keptText(bytesOf(textOf(incident)), line);
  return { ...bareRow(incident), text, fails: fails(incident), incident: kept };
}

/** Of an incident that is printed as its line is, with `tail` in place of the last brace. Nothing of the line is kept. */
export function rowOfLine(headline: Headline, { spot, block }: OwnLine, tail: string | null): Row {
  return { ...bareRow(headline), id: spot.id, text: tail === null ? null : { spot, sum: crc32(block), tail } };
}

function bareRow({ id, revision, openedMs, state, mergedInto, severity, made }: Headline): Row {
  const row = { id, revision, openedMs, state, mergedInto, severity, text: null, fails: false, incident: null };
  return made === undefined ? row : { ...row, made };
}

/** The bytes of a text, a letter each. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Long texts a letter a byte, of which a text takes two once it has an arrow; and as one piece: put together of twenty it would keep them all. */
function keptText(bytes: string, line: OwnLine | null): string | Logged {
  const begin = line?.bytes.slice(0, -1) ?? null;
  if (line === null || begin === null || !bytes.startsWith(begin)) return bytes;
  return { spot: line.spot, sum: crc32(Buffer.from(line.bytes, 'latin1')), tail: bytesOf(bytes.slice(begin.length)) };
}

export function keptOf(rows: readonly Row[]): readonly Incident[] {
  return rows.map(({ incident }) => incident).filter((incident) => incident !== null);
}

/** Rows that are written together. */
const AT_ONCE = 256;

/**
 * Prints the rows no faster than they are taken, until `closed`. `again`: the texts of incidents, by id, whose lines are not where they
 * were, as after the log was rotated meanwhile.
 */
export async function printRows(
  rows: readonly Row[],
  { stdout }: CommandIo,
  closed: AbortSignal,
  again: (ids: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>,
): Promise<void> {
  await using reader = new SpotReader();
  for (let from = 0; from < rows.length && !closed.aborted; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    const lines = await linesOf(some, reader);
    const lost = some.filter(({ id, text }) => isLogged(text) && !lines.has(id)).map(({ id }) => id);
    const texts = lost.length === 0 ? null : await again(new Set(lost));
    const pieces = some.map(({ id, text }) =>
      isLogged(text) ? (lines.get(id) ?? texts?.get(id) ?? '') : (text ?? ''),
    );
    if (!stdout.write(pieces.join(''), 'latin1')) await once(stdout, 'drain', { signal: closed }).catch(() => {}); // closed: the loop ends
  }
}

function isLogged(text: Row['text']): text is Logged {
  return typeof text === 'object' && text !== null && 'spot' in text;
}

/** The lines of these rows that are where they were, with their ends, by id. */
async function linesOf(rows: readonly Row[], reader: SpotReader): Promise<Map<string, string>> {
  const spots = rows.flatMap(({ id, text }) => (isLogged(text) ? [{ ...text.spot, ...text, id }] : []));
  const lines = new Map<string, string>();
  const take = (line: Buffer | null, { id, sum, tail }: Omit<Logged, 'spot'> & { readonly id: string }): void => {
    if (line !== null && crc32(line) === sum) lines.set(id, line.toString('latin1', 0, line.length - 1) + tail);
  };
  if (spots.length > 0) await reader.read(spots, take);
  return lines;
}

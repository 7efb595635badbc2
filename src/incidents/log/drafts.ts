// Drafts: the newest revision of each incident, made of the lines that it takes: the newest whole one and what changed since.

import { INCIDENT_SCHEMA } from '../../model/documents/incident.ts';
import { type Draft, draftFrom, draftOf } from '../../model/documents/incident-draft.ts';
import type { Incident } from '../../model/incident.ts';
import { withoutLists } from './brief-line.ts';
import { headOf } from './head.ts';
import type { NeededLine, NewestLines } from './newest-lines.ts';
import { type LogPlace, parseLine, readLog, Warnings } from './read-log.ts';
import { SpotReader } from './spots.ts';

function placeText(place: LogPlace): string {
  return `${place.path}:${place.line}`;
}

/** Whether the line there was found not to be what its ends say. */
export function isBad(bad: ReadonlySet<string>, place: LogPlace): boolean {
  return bad.size > 0 && bad.has(placeText(place));
}

/** By reading all files once more, in the order of `newest`; lines that cannot be read are added to `bad`. */
export async function readDrafts(
  directory: string,
  options: { readonly newestFiles?: number; readonly brief?: boolean },
  newest: NewestLines,
  bad: Set<string>,
): Promise<Draft[]> {
  const brief = options.brief === true;
  const found = new Map<string, Draft>();
  const take = (line: Buffer | null, place: LogPlace): void => {
    if (line === null || isBad(bad, place)) return;
    const head = headOf(line);
    if (head?.schema !== INCIDENT_SCHEMA) return;
    const known = newest.get(head.id);
    if (known === undefined || head.revision < known.base || head.revision > known.revision) return;
    if (head.revision > (found.get(head.id)?.incident.revision ?? -1)) draw(found, line, place, bad, brief);
  };
  if (newest.size > 0) await readLog(directory, take, new Warnings(), options.newestFiles);
  return [...newest.ids()].map((id) => found.get(id)).filter((draft) => draft !== undefined);
}

/** An incident with the one line that says all of it; null where it takes several, or is read in brief. */
export interface Read {
  readonly draft: Draft;
  readonly line: OwnLine | null;
}

export interface OwnLine {
  readonly spot: NeededLine;
  /** A letter a byte: buffers would be garbage that only a full collection gives back. */
  readonly bytes: string;
  /** The same, only good until the next line is read. */
  readonly block: Buffer;
}

/** Lines after which the incidents that are whole by then are handed over. */
const LINES_AT_ONCE = 128;

/** Who takes what is read; all that was handed over is to be forgotten where the reading fails. */
export interface Takers {
  /** The one line that says all of an incident, if it is still there; false where it is to be parsed, or is another. */
  readonly takeLine: (line: OwnLine) => boolean;
  /** An incident that need not outlive the next line; false where it is wanted with others. */
  readonly takeNow: (read: Read) => boolean;
  /** Those; false where they cannot be used. */
  readonly takeAll: (drafts: readonly Read[]) => Promise<boolean>;
}

/**
 * From where the lines stood a moment ago, each incident once its last line was read. False where the lines are too many, or somewhere else by now, or where
 * `takeAll` says no.
 */
export async function readNear(
  newest: NewestLines,
  bad: Set<string>,
  brief: boolean,
  { takeLine, takeNow, takeAll }: Takers,
): Promise<boolean> {
  const needed = newest.needed();
  if (needed === null) return false;
  const found = new Map<string, Draft>();
  const wrong = new Set<string>();
  await using reader = new SpotReader();
  let moved = false;
  for (let from = 0; from < needed.length; from += LINES_AT_ONCE) {
    const later: Read[] = [];
    await reader.read(needed.slice(from, from + LINES_AT_ONCE), (line, spot) => {
      const known = newest.get(spot.id);
      const isOwn = !brief && line !== null && known?.lines.length === 1;
      const own = isOwn ? { spot, bytes: line.toString('latin1'), block: line } : null;
      if (!moved && own !== null && takeLine(own)) return;
      const head = line === null ? null : headOf(line);
      const same = head?.schema === INCIDENT_SCHEMA && head.id === spot.id && head.revision === spot.revision;
      if (line === null || !same) moved = true;
      else if (!moved) draw(found, line, spot, wrong, brief);
      if (known?.revision !== spot.revision) return;
      const draft = found.get(spot.id);
      found.delete(spot.id);
      if (draft === undefined || moved) return;
      const read = { draft, line: own };
      if (!takeNow(read)) later.push(read);
    });
    if (moved) return false;
    if (later.length > 0 && !(await takeAll(later))) return false;
  }
  for (const place of wrong) bad.add(place);
  return true;
}

function draw(found: Map<string, Draft>, line: Buffer, place: LogPlace, bad: Set<string>, brief: boolean): void {
  const document = parseLine((brief ? withoutLists(line) : null) ?? line);
  const id = typeof document?.id === 'string' ? document.id : '';
  const draft = draftFrom(document, found.get(id) ?? null);
  if (draft === null) bad.add(placeText(place));
  else found.set(id, brief ? draftOf(headline(draft.incident)) : draft);
}

/** What a list shows of an incident: of twenty thousand all that they say would fill the memory. */
function headline(incident: Incident): Incident {
  return { ...incident, confidenceParts: [], chain: [], impact: [], alternatives: [], ruledOut: [], evidence: [] };
}

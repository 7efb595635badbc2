// Drafts: the newest revision of each incident, made of the lines that it takes: the newest whole one and what changed since.

import { INCIDENT_SCHEMA } from '../../model/documents/incident.ts';
import { type Draft, draftFrom, draftOf } from '../../model/documents/incident-draft.ts';
import type { Incident } from '../../model/incident.ts';
import { headOf } from './head.ts';
import type { NewestLines } from './newest-lines.ts';
import { type LogPlace, parseLine, readLog, readSpots, Warnings } from './read-log.ts';

function placeText(place: LogPlace): string {
  return `${place.path}:${place.line}`;
}

/** Whether the line there was found not to be what its ends say. */
export function isBad(bad: ReadonlySet<string>, place: LogPlace): boolean {
  return bad.size > 0 && bad.has(placeText(place));
}

/** In the order of `newest`; lines that cannot be read are added to `bad`. */
export async function readDrafts(
  directory: string,
  options: { readonly newestFiles?: number; readonly brief?: boolean },
  newest: NewestLines,
  bad: Set<string>,
): Promise<Draft[]> {
  const brief = options.brief === true;
  const near = await atSpots(newest, bad, brief);
  const found = near ?? new Map<string, Draft>();
  const take = (line: Buffer | null, place: LogPlace): void => {
    if (line === null || isBad(bad, place)) return;
    const head = headOf(line);
    if (head?.schema !== INCIDENT_SCHEMA) return;
    const known = newest.get(head.id);
    if (known === undefined || head.revision < known.base || head.revision > known.revision) return;
    if (head.revision > (found.get(head.id)?.incident.revision ?? -1)) draw(found, line, place, bad, brief);
  };
  if (newest.size > 0 && near === null) await readLog(directory, take, new Warnings(), options.newestFiles);
  return [...newest.ids()].map((id) => found.get(id)).filter((draft) => draft !== undefined);
}

/** The same from where the lines stood a moment ago; null where they are too many, or somewhere else by now. */
async function atSpots(newest: NewestLines, bad: Set<string>, brief: boolean): Promise<Map<string, Draft> | null> {
  const needed = newest.needed();
  if (needed === null) return null;
  const found = new Map<string, Draft>();
  const wrong = new Set<string>();
  let moved = false;
  const spots = needed.map(({ id, revision, spot }) => ({ ...spot, id, revision }));
  await readSpots(spots, (line, spot) => {
    const head = line === null ? null : headOf(line);
    const same = head?.schema === INCIDENT_SCHEMA && head.id === spot.id && head.revision === spot.revision;
    if (line === null || !same) moved = true;
    else if (!moved) draw(found, line, spot, wrong, brief);
  });
  if (moved) return null;
  for (const place of wrong) bad.add(place);
  return found;
}

function draw(found: Map<string, Draft>, line: Buffer, place: LogPlace, bad: Set<string>, brief: boolean): void {
  const document = parseLine(line);
  const id = typeof document?.id === 'string' ? document.id : '';
  const draft = draftFrom(document, found.get(id) ?? null);
  if (draft === null) bad.add(placeText(place));
  else found.set(id, brief ? draftOf(headline(draft.incident)) : draft);
}

/** What a list shows of an incident: of twenty thousand all that they say would fill the memory. */
function headline(incident: Incident): Incident {
  return { ...incident, confidenceParts: [], chain: [], impact: [], alternatives: [], ruledOut: [], evidence: [] };
}

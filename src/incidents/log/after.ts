// After: what the log holds behind one revision, in the order of writing: what a daemon that was killed wrote and did not send.

import { join } from 'node:path';
import { EVENT_SCHEMA, eventFromDocument } from '../../model/documents/event.ts';
import { INCIDENT_SCHEMA } from '../../model/documents/incident.ts';
import { draftFrom, draftOf, wholeOf } from '../../model/documents/incident-draft.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { CURRENT } from './files.ts';
import { headOf } from './head.ts';
import { loadIncidents } from './load.ts';
import { type LogPlace, parseLine, readFrom, readLog, Warnings } from './read-log.ts';

export type Logged = { readonly event: FaultEvent } | { readonly incident: Incident };

/** A daemon sends within milliseconds what it wrote; more than this is a spool that could not be written for long. */
const MOST_LINES = 4096;
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Events and incident revisions, these without their events, in the newest two files; the newest ones where there
 * are more than `MOST_LINES` or `MOST_BYTES`. `after` null stands for the beginning of the log. None where the log does not hold that revision any more.
 * Throws where the directory cannot be read. `place`: where that revision stood a moment ago, if the caller knows.
 */
export async function loggedAfter(
  directory: string,
  after: { readonly id: string; readonly revision: number } | null,
  place: LogPlace | null = null,
): Promise<Logged[]> {
  const near = after === null || place === null ? null : await behind(directory, after, place);
  if (near !== null) return await whole(directory, near);
  const revisions = new Map<string, number>();
  let found = after === null;
  let kept = new Kept();
  const take = (line: Buffer | null): void => {
    const head = line === null ? null : headOf(line);
    if (line === null || head === null || head.schema === 'other') return;
    if (head.schema === INCIDENT_SCHEMA) {
      const { id, revision } = head;
      // Each file begins with what was open: reported before, unless it is newer than what was reported.
      const known = revisions.get(id) ?? 0;
      revisions.set(id, Math.max(known, revision));
      if (id === after?.id && revision === after.revision) {
        found = true;
        kept = new Kept();
        return;
      }
      if (known >= revision) return;
    }
    if (!found) return;
    kept.add(line);
  };
  await readLog(directory, take, new Warnings(), 1);
  return await whole(directory, kept.lines);
}

/**
 * What is behind a revision whose place is known; null where it is not there any more. Only in the current file: a later
 * one would begin with what is open, said again.
 */
async function behind(
  directory: string,
  after: { readonly id: string; readonly revision: number },
  place: LogPlace,
): Promise<Buffer[] | null> {
  if (place.path !== join(directory, CURRENT)) return null;
  const kept = new Kept();
  let first = true;
  let there = false;
  const take = (line: Buffer | null): void => {
    const head = line === null ? null : headOf(line);
    if (first) there = head?.schema === INCIDENT_SCHEMA && head.id === after.id && head.revision === after.revision;
    else if (line !== null && head !== null && head.schema !== 'other') kept.add(line);
    first = false;
  };
  const read = await readFrom(place, take).then(
    () => true,
    () => false,
  );
  return read && there ? kept.lines : null;
}

/** The newest lines within the bounds. */
class Kept {
  readonly lines: Buffer[] = [];
  #bytes = 0;

  add(line: Buffer): void {
    this.lines.push(Buffer.from(line));
    this.#bytes += line.length;
    while (this.lines.length > MOST_LINES || this.#bytes > MOST_BYTES)
      this.#bytes -= this.lines.shift()?.length ?? this.#bytes;
  }
}

/** What these lines tell; a revision that continues an earlier one is made whole by it. */
async function whole(directory: string, lines: readonly Buffer[]): Promise<Logged[]> {
  const bases = await basesOf(directory, lines);
  const drafts = new Map(bases.map((incident) => [incident.id, draftOf(incident)]));
  const events = new Map(bases.flatMap((incident) => incident.events.map((event) => [event.id, event] as const)));
  return lines.flatMap((line): Logged[] => {
    const document = parseLine(line);
    if (document?.schema === EVENT_SCHEMA) {
      const event = eventFromDocument(document);
      if (event !== null) events.set(event.id, event);
      return event === null ? [] : [{ event }];
    }
    const draft = draftFrom(document, drafts.get(String(document?.id)) ?? null);
    if (draft === null) return [];
    const incident = wholeOf(draft, (id) => events.get(id));
    drafts.set(incident.id, draftOf(incident));
    return [{ incident }];
  });
}

/** The revisions before the first of these lines, of the incidents whose first line here is not whole. */
async function basesOf(directory: string, lines: readonly Buffer[]): Promise<readonly Incident[]> {
  const first = new Map<string, number | null>();
  for (const line of lines) {
    const head = headOf(line);
    if (head?.schema === INCIDENT_SCHEMA && !first.has(head.id)) first.set(head.id, head.since);
  }
  const wanted = new Map([...first].filter(([, since]) => since !== null));
  if (wanted.size === 0) return [];
  const { incidents } = await loadIncidents(directory, {
    limit: wanted.size,
    withEvents: () => true,
    ids: (id) => wanted.has(id),
    upTo: (id) => wanted.get(id) ?? 0,
    newestFiles: 1,
  });
  return incidents;
}

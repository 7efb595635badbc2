// Log search: incidents out of the log of all runs, by the conditions of the API, in bounded memory.

import { listLogFiles, rotatedAtMs } from '../../incidents/log/files.ts';
import { type Head, lastLine } from '../../incidents/log/head.ts';
import { loadIncidents } from '../../incidents/log/load.ts';
import { Said as Notes } from '../../incidents/log/load-notes.ts';
import { surveyLog } from '../../incidents/log/survey.ts';
import { NoteBook } from '../../incidents/notes/note-book.ts';
import { INCIDENT_SCHEMA } from '../../model/documents/incident.ts';
import type { Incident } from '../../model/incident.ts';
import { parseTime } from '../../model/time.ts';
import type { AskedIncidents, FoundIncidents } from './asked.ts';
import { sinceOf } from './conditions.ts';
import { IncidentSearch } from './incident-search.ts';
import { cursorOf, MOST_ITEMS } from './page.ts';

const MOST_NOTED = 20_000;
/** Of incidents whose ids begin alike: enough to say that there are several. */
const MOST_ALIKE = 10;
/** A line is written so long after its incident changed, at most; the clock of file names may have been set. */
const SLACK_MS = 600_000;

export interface LogSearch {
  readonly directory: string;
  /** Newer than the log has them, or not there at all: what a full disk did not take. */
  readonly held: readonly Incident[];
}

/** Rejects where the folder cannot be read. */
export async function searchLog({ directory, held }: LogSearch, asked: AskedIncidents): Promise<FoundIncidents> {
  const newestFiles = await filesSince(directory, sinceOf(new URLSearchParams(asked.parameters), asked.nowMs));
  const [search, notes, complete] = [new IncidentSearch(asked), new Notes(), new CompleteSince()];
  await surveyLog(directory, {
    newestFiles,
    onIncident: (incident) => search.take(incident),
    also: (line, head) => {
      notes.take(line);
      complete.take(line, head);
    },
  });
  for (const incident of held) search.take(incident);
  const { ids: asks, ...found } = search.found();
  const completeSinceMs = Math.max(complete.sinceMs ?? asked.nowMs, search.leftOutMs);
  const wanted = new Set(asks);
  const withEvents = () => asked.want === 'groups';
  const { incidents } =
    wanted.size === 0
      ? { incidents: [] }
      : await loadIncidents(directory, { limit: MOST_ITEMS, newestFiles, withEvents, ids: (id) => wanted.has(id) });
  const byId = newest([...incidents, ...held]);
  const ids = fitting(asks, byId);
  const last = byId.get(ids.at(-1) ?? '');
  const cut = ids.length < asks.length && last !== undefined;
  const book = new NoteBook(notes.list(), MOST_NOTED);
  return {
    ...found,
    ...(cut ? { nextCursor: cursorOf({ id: last.id, timeMs: last.openedMs }) } : {}),
    incidents: ids.flatMap((id) => byId.get(id) ?? []),
    said: Object.fromEntries(ids.map((id) => [id, book.of(id)])),
    completeSinceMs,
  };
}

/** Incidents whose ids begin so, with their events and what was said of them: none where the log has none, more than one where that is not yet an id. */
export async function readFromLog(directory: string, id: string): Promise<Pick<FoundIncidents, 'incidents' | 'said'>> {
  const notes = new Notes();
  const { incidents } = await loadIncidents(directory, {
    limit: MOST_ALIKE,
    withEvents: () => true,
    ids: (each) => each.startsWith(id),
    also: (line) => notes.take(line),
  });
  const book = new NoteBook(notes.list());
  return { incidents, said: Object.fromEntries(incidents.map((each) => [each.id, book.of(each.id)])) };
}

/** How many rotated files can have what changed since; all where others moved files away. */
async function filesSince(directory: string, sinceMs: number): Promise<number> {
  const { rotated, numbered } = await listLogFiles(directory);
  if (numbered.length > 0) return Number.POSITIVE_INFINITY;
  return rotated.filter((name) => rotatedAtMs(name) + SLACK_MS >= sinceMs).length;
}

/** What one answer may take: it is written in one go by the thread that everything else waits for. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Of a link with its event, as a document. */
const LINK_BYTES = 1200;

/** The first of these whose documents are no more than one answer may take; one at least. */
function fitting(ids: readonly string[], byId: ReadonlyMap<string, Incident>): readonly string[] {
  let bytes = 0;
  const count = ids.findIndex((id, i) => {
    const incident = byId.get(id);
    if (incident !== undefined) bytes += sizeOf(incident);
    return i > 0 && bytes > MOST_BYTES;
  });
  return count < 0 ? ids : ids.slice(0, count);
}

function sizeOf({ chain, evidence, events }: Incident): number {
  const texts = [evidence, ...events.map((event) => event.evidence)].flat();
  const written = texts.reduce((sum, one) => sum + 64 + ('text' in one ? one.text.length : one.values.length * 24), 0);
  return written + (1 + chain.length) * LINK_BYTES;
}

function newest(incidents: readonly Incident[]): ReadonlyMap<string, Incident> {
  const all = new Map<string, Incident>();
  for (const incident of incidents) {
    if ((all.get(incident.id)?.revision ?? -1) < incident.revision) all.set(incident.id, incident);
  }
  return all;
}

const UPDATED = /"updated_at":"([0-9TZ:.-]{20,32})"/;
const HEAD_BYTES = 1024;

/**
 * From when on the log has all that changed: a file begins with what was open before, said again whole, so that only a line
 * that continues another one tells that its own time is covered.
 */
class CompleteSince {
  #firstMs: number | null = null;

  take(line: Buffer | null, head: Head | null): void {
    if (this.#firstMs !== null || line === null || head?.schema !== INCIDENT_SCHEMA || head.since === null) return;
    const text = UPDATED.exec(lastLine(line).toString('latin1', 0, HEAD_BYTES))?.[1];
    this.#firstMs = text === undefined ? null : (parseTime(text)?.epochMs ?? null);
  }

  /** Epoch ms; null where no line tells. */
  get sinceMs(): number | null {
    return this.#firstMs;
  }
}

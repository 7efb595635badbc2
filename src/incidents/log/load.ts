// Load: the newest revision of each incident in the log, with its events where they are wanted.

import { EVENT_SCHEMA, eventFromDocument, INCIDENT_SCHEMA, incidentFromDocument } from '../../model/document.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { headOf } from './head.ts';
import { type LogPlace, parseLine, readLog, Warnings } from './read.ts';

export interface Loaded {
  /** Newest revisions, those that changed last at the end. */
  readonly incidents: readonly Incident[];
  readonly warnings: Warnings;
}

export interface LoadOptions {
  /** Where the log holds more incidents, the resolved ones that changed longest ago are left out. */
  readonly limit: number;
  readonly withEvents: (incident: Incident) => boolean;
  /** Which incidents are wanted at all; every one when left out. */
  readonly ids?: (id: string) => boolean;
  /** How many files before the current one are read; all when left out. */
  readonly newestFiles?: number;
}

interface Newest {
  readonly revision: number;
  readonly open: boolean;
}

/** Passes over lines that look whole by their ends and are not: each may uncover one more such line. */
const PASSES = 10;

/**
 * Reads the log in bounded memory: first which revision of each incident is the newest, then those lines, then their
 * events. Never throws for what the files hold; throws where the directory cannot be read.
 */
export async function loadIncidents(directory: string, options: LoadOptions): Promise<Loaded> {
  const bad = new Set<string>();
  for (let pass = 1; ; pass += 1) {
    const warnings = new Warnings();
    const newest = await newestRevisions(directory, options, warnings, bad);
    const before = bad.size;
    const incidents = await readRevisions(directory, options, newest, bad);
    if (bad.size > before && pass < PASSES) continue;
    return { incidents: await withEvents(directory, incidents, options, warnings), warnings };
  }
}

function placeText(place: LogPlace): string {
  return `${place.path}:${place.line}`;
}

function isBad(bad: ReadonlySet<string>, place: LogPlace): boolean {
  return bad.size > 0 && bad.has(placeText(place));
}

async function newestRevisions(
  directory: string,
  options: LoadOptions,
  warnings: Warnings,
  bad: ReadonlySet<string>,
): Promise<Map<string, Newest>> {
  const newest = new Map<string, Newest>();
  const take = (line: Buffer | null, place: LogPlace): void => {
    const head = line === null || isBad(bad, place) ? null : headOf(line);
    if (head === null) warnings.garbage(place);
    else if (head.schema === INCIDENT_SCHEMA && (options.ids?.(head.id) ?? true)) {
      const { id, revision, open } = head;
      if ((newest.get(id)?.revision ?? -1) >= revision) return;
      newest.delete(id);
      newest.set(id, { revision, open });
      if (newest.size > options.limit * 2) trim(newest, options.limit);
    }
  };
  await readLog(directory, take, warnings, options.newestFiles);
  trim(newest, options.limit);
  return newest;
}

/** The incidents of these revisions, in their order; lines that cannot be read are added to `bad`. */
async function readRevisions(
  directory: string,
  options: LoadOptions,
  newest: ReadonlyMap<string, Newest>,
  bad: Set<string>,
): Promise<Incident[]> {
  const found = new Map<string, Incident>();
  const take = (line: Buffer | null, place: LogPlace): void => {
    if (line === null || isBad(bad, place)) return;
    const head = headOf(line);
    if (head?.schema !== INCIDENT_SCHEMA || newest.get(head.id)?.revision !== head.revision) return;
    const incident = incidentFromDocument(parseLine(line));
    if (incident === null) bad.add(placeText(place));
    else found.set(incident.id, incident);
  };
  if (newest.size > 0) await readLog(directory, take, new Warnings(), options.newestFiles);
  return [...newest.keys()].map((id) => found.get(id)).filter((incident) => incident !== undefined);
}

function trim(newest: Map<string, Newest>, limit: number): void {
  for (const [id, { open }] of newest) {
    if (newest.size <= limit) return;
    if (!open) newest.delete(id);
  }
}

/** The incidents, those that are wanted whole with the events of their chains, each event as it stood last. */
async function withEvents(
  directory: string,
  incidents: readonly Incident[],
  options: LoadOptions,
  warnings: Warnings,
): Promise<Incident[]> {
  const whole = new Set(incidents.filter(options.withEvents));
  const wanted = new Set([...whole].flatMap(({ chain }) => chain.map((link) => link.eventId)));
  const found = new Map<string, FaultEvent>();
  const take = (line: Buffer | null, place: LogPlace): void => {
    const head = line === null ? null : headOf(line);
    if (line === null || head?.schema !== EVENT_SCHEMA || !wanted.has(head.id)) return;
    const event = eventFromDocument(parseLine(line));
    if (event === null) warnings.garbage(place);
    else found.set(event.id, event);
  };
  if (wanted.size > 0) await readLog(directory, take, new Warnings(), options.newestFiles);
  return incidents.map((incident) => {
    if (!whole.has(incident)) return incident;
    const events = incident.chain.map((link) => found.get(link.eventId)).filter((event) => event !== undefined);
    return { ...incident, events };
  });
}

// Load: the newest revision of each incident in the log, with its events where they are wanted.

import { EVENT_SCHEMA, eventFromDocument } from '../../model/documents/event.ts';
import { INCIDENT_SCHEMA, incidentFromDocument } from '../../model/documents/incident.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { type Head, headOf } from './head.ts';
import { type LogPlace, parseLine, readLog, readSpots, type Spot, Warnings } from './read-log.ts';

export interface Loaded {
  /** Newest revisions, those that changed last at the end. */
  readonly incidents: readonly Incident[];
  readonly warnings: Warnings;
  /** Where the newest revision of an incident is; null where that is another revision, or unknown. */
  readonly placeOf: (revision: { readonly id: string; readonly revision: number }) => LogPlace | null;
}

export interface LoadOptions {
  /** Where the log holds more incidents, the resolved ones that changed longest ago are left out. */
  readonly limit: number;
  readonly withEvents: (incident: Incident) => boolean;
  /** Which incidents are wanted at all; every one when left out. */
  readonly ids?: (id: string) => boolean;
  /** How many files before the current one are read; all when left out. */
  readonly newestFiles?: number;
  /** Sees every line that is read. One may come more than once. */
  readonly also?: (line: Buffer | null, head: Head | null) => void;
}

interface Newest {
  readonly revision: number;
  readonly open: boolean;
  readonly spot: Spot;
}

/** Where each event was reported last, the youngest of them. */
type EventSpots = Map<string, Spot>;

const MOST_EVENTS = 65_536;
/** More lines than this are found faster by reading everything once more. */
const MOST_SPOTS = 1024;

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
    const events: EventSpots = new Map();
    const newest = await newestRevisions(directory, options, warnings, bad, events);
    const before = bad.size;
    const incidents = await readRevisions(directory, options, newest, bad);
    if (bad.size > before && pass < PASSES) continue;
    return {
      incidents: await withEvents(directory, incidents, options, warnings, events),
      warnings,
      placeOf: ({ id, revision }) => {
        const known = newest.get(id);
        return known?.revision === revision ? known.spot : null;
      },
    };
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
  events: EventSpots,
): Promise<Map<string, Newest>> {
  const newest = new Map<string, Newest>();
  const take = (line: Buffer | null, place: LogPlace): void => {
    const head = line === null || isBad(bad, place) ? null : headOf(line);
    options.also?.(line, head);
    if (line === null || head === null) warnings.garbage(place);
    else if (head.schema === EVENT_SCHEMA) {
      events.delete(head.id);
      events.set(head.id, { ...place, length: line.length });
      for (const oldest of events.keys()) {
        if (events.size <= MOST_EVENTS) break;
        events.delete(oldest);
      }
    } else if (head.schema === INCIDENT_SCHEMA && (options.ids?.(head.id) ?? true)) {
      const { id, revision, open } = head;
      if ((newest.get(id)?.revision ?? -1) >= revision) return;
      newest.delete(id);
      newest.set(id, { revision, open, spot: { ...place, length: line.length } });
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
  const near = await atSpots(newest, bad);
  const found = near ?? new Map<string, Incident>();
  const take = (line: Buffer | null, place: LogPlace): void => {
    if (line === null || isBad(bad, place)) return;
    const head = headOf(line);
    if (head?.schema !== INCIDENT_SCHEMA || newest.get(head.id)?.revision !== head.revision) return;
    const incident = incidentFromDocument(parseLine(line));
    if (incident === null) bad.add(placeText(place));
    else found.set(incident.id, incident);
  };
  if (newest.size > 0 && near === null) await readLog(directory, take, new Warnings(), options.newestFiles);
  return [...newest.keys()].map((id) => found.get(id)).filter((incident) => incident !== undefined);
}

/** The same from where the lines stood a moment ago; null where they are too many, or somewhere else by now. */
async function atSpots(newest: ReadonlyMap<string, Newest>, bad: Set<string>): Promise<Map<string, Incident> | null> {
  if (newest.size > MOST_SPOTS) return null;
  const entries = [...newest];
  const lines = await readSpots(entries.map(([, { spot }]) => spot));
  const found = new Map<string, Incident>();
  const wrong: string[] = [];
  for (const [index, [id, { revision, spot }]] of entries.entries()) {
    const line = lines[index] ?? null;
    const head = line === null ? null : headOf(line);
    if (line === null || head?.schema !== INCIDENT_SCHEMA || head.id !== id || head.revision !== revision) return null;
    const incident = incidentFromDocument(parseLine(line));
    if (incident === null) wrong.push(placeText(spot));
    else found.set(id, incident);
  }
  for (const place of wrong) bad.add(place);
  return found;
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
  spots: EventSpots,
): Promise<Incident[]> {
  const whole = new Set(incidents.filter(options.withEvents));
  const wanted = new Set([...whole].flatMap(({ chain }) => chain.map((link) => link.eventId)));
  const near = await eventsAt(wanted, spots);
  const found = near ?? new Map<string, FaultEvent>();
  const take = (line: Buffer | null, place: LogPlace): void => {
    const head = line === null ? null : headOf(line);
    if (line === null || head?.schema !== EVENT_SCHEMA || !wanted.has(head.id)) return;
    const event = eventFromDocument(parseLine(line));
    if (event === null) warnings.garbage(place);
    else found.set(event.id, event);
  };
  if (wanted.size > 0 && near === null) await readLog(directory, take, new Warnings(), options.newestFiles);
  return incidents.map((incident) => {
    if (!whole.has(incident)) return incident;
    const events = incident.chain.map((link) => found.get(link.eventId)).filter((event) => event !== undefined);
    return { ...incident, events };
  });
}

/** The wanted events from where they were reported last; null where that is not known of each, or not so any more. */
async function eventsAt(
  wanted: ReadonlySet<string>,
  spots: ReadonlyMap<string, Spot>,
): Promise<Map<string, FaultEvent> | null> {
  // Of events that the log does not hold nothing would be found by reading it again, unless some were left out.
  const known = [...wanted].flatMap((id) => {
    const spot = spots.get(id);
    return spot === undefined ? [] : [{ id, spot }];
  });
  if (known.length > MOST_SPOTS || (known.length < wanted.size && spots.size >= MOST_EVENTS)) return null;
  const lines = await readSpots(known.map(({ spot }) => spot));
  const found = new Map<string, FaultEvent>();
  for (const [index, { id }] of known.entries()) {
    const event = eventFromDocument(parseLine(lines[index] ?? ''));
    // A line that is none may have an earlier one that is good.
    if (event?.id !== id) return null;
    found.set(id, event);
  }
  return found;
}

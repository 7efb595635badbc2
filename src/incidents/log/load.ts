// Load: the newest revision of each incident in the log, with its events where they are wanted.

import { remember } from '../../helpers/remember.ts';
import { EVENT_SCHEMA, eventFromDocument } from '../../model/documents/event.ts';
import { INCIDENT_SCHEMA } from '../../model/documents/incident.ts';
import { type Draft, eventsNamed, wholeOf } from '../../model/documents/incident-draft.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { isBad, type OwnLine, type Read, readDrafts, readNear } from './drafts.ts';
import { type Head, headOf, isEventLine } from './head.ts';
import { NewestLines } from './newest-lines.ts';
import { type LogPlace, parseLine, readLog, Warnings } from './read-log.ts';
import { type Spot, SpotReader } from './spots.ts';

export interface Loaded<T = Incident> {
  /** Newest revisions, those that changed last at the end. */
  readonly incidents: readonly T[];
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
  /** The newest revision of an incident that is wanted; the newest there is when left out. */
  readonly upTo?: (id: string) => number;
  /** False where evidence is not looked at: what a revision only names stays out then. */
  readonly evidence?: boolean;
  /** True where the lists of incidents are not looked at: each incident is then what its newest line alone says, without its lists, and no event is read. */
  readonly brief?: boolean;
  /** How many files before the current one are read; all when left out. */
  readonly newestFiles?: number;
  /** Sees every line that is read. One may come more than once. */
  readonly also?: (line: Buffer | null, head: Head | null) => void;
}

/** Where each event was reported last, the youngest of them. */
type EventSpots = Map<string, Spot>;

const MOST_EVENTS = 65_536;
const NO_EVENTS: ReadonlyMap<string, FaultEvent> = new Map();
/** More lines than this are found faster by reading everything once more. */
const MOST_SPOTS = 65_536;

/** Passes over lines that look whole by their ends and are not: each may uncover one more such line. */
const PASSES = 10;

/** Reads the log, as `loadAs` does, and keeps the incidents. */
export function loadIncidents(directory: string, options: LoadOptions): Promise<Loaded> {
  return loadAs(directory, options, (incident) => incident);
}

/**
 * Reads the log in bounded memory: first which revision of each incident is the newest, then those lines, then their
 * events. Of each incident only what `as` makes of it is kept, once all lines were seen by `also`; it may be asked twice about one. It
 * has the line, too, where one line of the log says all of the incident, and `asLine` is asked of it first: null where that takes the incident.
 * Never throws for what the files hold; throws where the directory cannot be read.
 */
export async function loadAs<T>(
  directory: string,
  options: LoadOptions,
  as: (incident: Incident, line: OwnLine | null) => T,
  asLine: (line: OwnLine) => T | null = () => null,
): Promise<Loaded<T>> {
  const bad = new Set<string>();
  for (let pass = 1; ; pass += 1) {
    const warnings = new Warnings();
    const events: EventSpots = new Map();
    const newest = await newestLines(directory, options, warnings, bad, events);
    const before = bad.size;
    const near = await nearSpots(options, newest, bad, events, as, asLine);
    const drafts = near === null ? await readDrafts(directory, options, newest, bad) : [];
    if (bad.size > before && pass < PASSES) continue;
    const all = async (): Promise<T[]> =>
      (await withEvents(directory, drafts, options, warnings, events)).map((incident) => as(incident, null));
    return {
      incidents: near ?? (await all()),
      warnings,
      placeOf: ({ id, revision }) => {
        const known = newest.get(id);
        return known?.revision === revision ? known.place : null;
      },
    };
  }
}

async function newestLines(
  directory: string,
  options: LoadOptions,
  warnings: Warnings,
  bad: ReadonlySet<string>,
  events: EventSpots,
): Promise<NewestLines> {
  const newest = new NewestLines(options.limit);
  const brief = options.brief === true;
  const take = (line: Buffer | null, place: LogPlace): void => {
    if (brief && line !== null && isEventLine(line)) return;
    const head = line === null || isBad(bad, place) ? null : headOf(line);
    options.also?.(line, head);
    if (line === null || head === null) warnings.garbage(place);
    else if (head.schema === EVENT_SCHEMA) remember(events, head.id, { ...place, length: line.length }, MOST_EVENTS);
    else if (head.schema === INCIDENT_SCHEMA && isWanted(options, head)) {
      newest.take(brief ? { ...head, since: null } : head, place, line.length);
    }
  };
  await readLog(directory, take, warnings, options.newestFiles);
  newest.trim();
  return newest;
}

function isWanted({ ids, upTo }: LoadOptions, { id, revision }: { id: string; revision: number }): boolean {
  return (ids?.(id) ?? true) && (upTo === undefined || revision <= upTo(id));
}

/**
 * What `as` makes of each incident, in the order of `newest`, from where its lines and events stood a moment ago, some lines at a
 * time; null where they are too many, or somewhere else by now. Lines that cannot be read are added to `bad`.
 */
async function nearSpots<T>(
  options: LoadOptions,
  newest: NewestLines,
  bad: Set<string>,
  spots: EventSpots,
  as: (incident: Incident, line: OwnLine | null) => T,
  asLine: (line: OwnLine) => T | null,
): Promise<T[] | null> {
  const made = new Map<string, T>();
  const make = ({ draft, line }: Read, found: ReadonlyMap<string, FaultEvent>, isWhole: boolean): void => {
    const incident = madeWhole(draft, found, isWhole);
    made.set(incident.id, as(incident, line));
  };
  const takeLine = (line: OwnLine): boolean => {
    const it = asLine(line);
    if (it === null) return false;
    made.set(line.spot.id, it);
    return true;
  };
  const takeNow = (read: Read): boolean => {
    const { wanted, whole } = eventsWanted([read.draft], options);
    if (wanted.size > 0) return false;
    make(read, NO_EVENTS, whole.size > 0);
    return true;
  };
  await using reader = new SpotReader();
  const takeAll = async (all: readonly Read[]): Promise<boolean> => {
    const drafts = all.map(({ draft }) => draft);
    const { wanted, whole } = eventsWanted(drafts, options);
    const found = await eventsAt(wanted, spots, reader);
    if (found === null) return false;
    for (const read of all) make(read, found, whole.has(read.draft));
    return true;
  };
  if (!(await readNear(newest, bad, options.brief === true, { takeLine, takeNow, takeAll }))) return null;
  return [...newest.ids()].flatMap((id) => (made.has(id) ? [made.get(id) as T] : []));
}

/** Events of which something is asked, and the drafts whose events are all wanted. */
function eventsWanted(
  drafts: readonly Draft[],
  options: LoadOptions,
): { readonly wanted: ReadonlySet<string>; readonly whole: ReadonlySet<Draft> } {
  if (options.brief === true) return { wanted: new Set(), whole: new Set() };
  const whole = new Set(drafts.filter(({ incident }) => options.withEvents(incident)));
  const chains = [...whole].flatMap(({ incident }) => incident.chain.map((link) => link.eventId));
  return { wanted: new Set([...chains, ...(options.evidence === false ? [] : drafts.flatMap(eventsNamed))]), whole };
}

function madeWhole(draft: Draft, found: ReadonlyMap<string, FaultEvent>, isWhole: boolean): Incident {
  const incident = wholeOf(draft, (id) => found.get(id));
  if (!isWhole) return incident;
  const events = incident.chain.map((link) => found.get(link.eventId)).filter((event) => event !== undefined);
  return { ...incident, events };
}

/** The incidents, those that are wanted whole with the events of their chains, each event as it stood last. */
async function withEvents(
  directory: string,
  drafts: readonly Draft[],
  options: LoadOptions,
  warnings: Warnings,
  spots: EventSpots,
): Promise<Incident[]> {
  const { wanted, whole } = eventsWanted(drafts, options);
  await using reader = new SpotReader();
  const near = await eventsAt(wanted, spots, reader);
  const found = near ?? new Map<string, FaultEvent>();
  const take = (line: Buffer | null, place: LogPlace): void => {
    const head = line === null ? null : headOf(line);
    if (line === null || head?.schema !== EVENT_SCHEMA || !wanted.has(head.id)) return;
    const event = eventFromDocument(parseLine(line));
    if (event === null) warnings.garbage(place);
    else found.set(event.id, event);
  };
  if (wanted.size > 0 && near === null) await readLog(directory, take, new Warnings(), options.newestFiles);
  return drafts.map((draft) => madeWhole(draft, found, whole.has(draft)));
}

/** The wanted events from where they were reported last; null where that is not known of each, or not so any more. */
async function eventsAt(
  wanted: ReadonlySet<string>,
  spots: ReadonlyMap<string, Spot>,
  reader: SpotReader,
): Promise<Map<string, FaultEvent> | null> {
  // Of events that the log does not hold nothing would be found by reading it again, unless some were left out.
  const known = [...wanted].flatMap((id) => {
    const spot = spots.get(id);
    return spot === undefined ? [] : [{ id, spot }];
  });
  if (known.length > MOST_SPOTS || (known.length < wanted.size && spots.size >= MOST_EVENTS)) return null;
  const found = new Map<string, FaultEvent>();
  let moved = false;
  await reader.read(
    known.map(({ id, spot }) => ({ ...spot, id })),
    (line, { id }) => {
      const event = eventFromDocument(parseLine(line ?? ''));
      // A line that is none may have an earlier one that is good.
      if (event?.id === id) found.set(id, event);
      else moved = true;
    },
  );
  return moved ? null : found;
}

// Incident draft: an incident made whole again of the lines that say what changed, and of the events that these name.

import type { Component } from '../component.ts';
import type { Evidence, FaultEvent } from '../event.ts';
import type { ChainLink, Incident } from '../incident.ts';
import * as read from './fields.ts';
import { incidentFromDocument } from './incident.ts';
import { LISTS, type ListName } from './incident-delta.ts';
import { isNamed, join, type Piece, piecesFrom } from './splice.ts';

const NAMES = Object.keys(LISTS) as ListName[]; // the keys of that object

/** Evidence that an event has, by its place there. */
interface OfEvent {
  readonly eventId: string;
  readonly place: number;
}

/** An incident of which some evidence and components are still to be taken from the events that are named. */
export interface Draft {
  readonly incident: Incident;
  /** In place of `incident.evidence`. */
  readonly evidence: readonly (Evidence | OfEvent)[];
  /** Event ids of links whose component is that of the event; true where their times are, too. */
  readonly short: ReadonlyMap<string, boolean>;
}

const WHOLE: ReadonlyMap<string, boolean> = new Map();

/** Of an incident that is whole. */
export function draftOf(incident: Incident): Draft {
  return { incident, evidence: incident.evidence, short: WHOLE };
}

/**
 * The incident of a document, which continues `before` where it is a delta; null when the document is not an incident.
 * Without the revision that a delta continues, the lists have what is known: of this document, and of any revision before.
 */
export function draftFrom(document: unknown, before: Draft | null): Draft | null {
  const written = incidentFromDocument(document);
  if (written === null) return null;
  const { since_revision: since, delta } = read.fields(document);
  if (since === undefined) return draftOf(written);
  const pieces = typeof delta === 'object' && delta !== null ? (delta as Readonly<Record<string, unknown>>) : {}; // fields of unknown type
  const incident = { ...written, chain: withCauses(written.chain, pieces.caused_by) };
  const drafted = filled(before, {
    incident,
    evidence: incident.evidence,
    short: shortLinks(incident, read.fields(document)),
  });
  if (before === null || before.incident.revision !== since)
    return merged(before, drafted, piecesFrom(pieces.evidence));
  const next = continued(before, drafted, (name) => piecesFrom(pieces[name]));
  const chain = withConfidence(next.incident.chain, pieces.chain_confidence);
  return { ...next, incident: { ...next.incident, chain } };
}

/** No event has as much. */
const MOST_EVIDENCE = 1024;

const ofEvent = (eventId: string, count: number): OfEvent[] =>
  Array.from({ length: Math.min(count, MOST_EVIDENCE) }, (_, place) => ({ eventId, place }));

const isShort = (component: Component | null): boolean => component?.aliases?.length === 0;

function withConfidence(chain: readonly ChainLink[], ranges: unknown): readonly ChainLink[] {
  if (!Array.isArray(ranges)) return chain;
  const all = [...chain];
  for (const range of ranges) {
    const [from, to, confidence] = Array.isArray(range) ? range.map(Number) : [];
    if (from === undefined || to === undefined || !Number.isFinite(confidence)) continue;
    for (let i = Math.max(0, from); i < Math.min(to, all.length); i += 1) {
      const link = all[i];
      if (link !== undefined) all[i] = { ...link, confidence: Number(confidence) };
    }
  }
  return all;
}

/** Of the links of a document, those that share causes with their neighbours. */
function withCauses(chain: readonly ChainLink[], shared: unknown): readonly ChainLink[] {
  if (!Array.isArray(shared)) return chain;
  const all = [...chain];
  for (const one of shared) {
    const [from, to, ids] = Array.isArray(one) ? one : [];
    const causes = Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
    for (let i = Math.max(0, Number(from)); i < Math.min(Number(to), all.length); i += 1) {
      const link = all[i];
      if (link !== undefined) all[i] = { ...link, causedBy: [...link.causedBy, ...causes] };
    }
  }
  return all;
}

/** Links are in the order of the document. */
function shortLinks({ chain }: Incident, document: Readonly<Record<string, unknown>>): Map<string, boolean> {
  const written = read.list(document.chain, read.fields);
  const short = chain.map(({ eventId, component }, i) => {
    return isShort(component) ? ([[eventId, written[i]?.time_earliest === undefined]] as const) : [];
  });
  return new Map(short.flat());
}

/** With what the links of before have; the times of the events, where they are there, are newer. */
function filled(before: Draft | null, after: Draft): Draft {
  if (before === null || after.short.size === 0) return after;
  const known = new Map(before.incident.chain.map((link) => [link.eventId, link]));
  const chain = after.incident.chain.map((link) => {
    const older = known.get(link.eventId);
    const times = after.short.get(link.eventId);
    if (times === undefined || older === undefined || !isSamePlace(older.component, link.component)) return link;
    return { ...link, component: older.component, interval: times ? older.interval : link.interval };
  });
  return { ...after, incident: { ...after.incident, chain } };
}

/** Of the revision before, without links that are listed again. */
function shortOf(before: Draft | null, { incident, short }: Draft): Map<string, boolean> {
  const all = new Map(before?.short ?? []);
  for (const { eventId } of incident.chain) all.delete(eventId);
  for (const [eventId, times] of short) all.set(eventId, times);
  return all;
}

const isSamePlace = (a: Component | null | undefined, b: Component | null): boolean =>
  a?.type === b?.type && a?.id === b?.id;

function continued(before: Draft, after: Draft, of: (name: ListName) => readonly Piece[] | null): Draft {
  const { incident, evidence } = after;
  const lists = NAMES.flatMap((name) => {
    const pieces = of(name);
    if (pieces === null || name === 'evidence') return [];
    const field = LISTS[name];
    const spliced = { fresh: incident[field] as readonly unknown[], pieces };
    return [[field, join(before.incident[field] as readonly unknown[], spliced)] as const];
  });
  const pieces = of('evidence');
  const whole: Incident = { ...incident, ...Object.fromEntries(lists) };
  return {
    incident: whole,
    evidence:
      pieces === null ? evidence : join<Evidence | OfEvent>(before.evidence, { fresh: evidence, pieces }, ofEvent),
    short: shortOf(before, after),
  };
}

/** A revision between the two is lost: the links of both, the newer ones where both have them, and all evidence. */
function merged(before: Draft | null, after: Draft, pieces: readonly Piece[] | null): Draft {
  const named = (pieces ?? []).filter(isNamed).flatMap((piece) => ofEvent(...piece));
  const evidence = [...(before?.evidence ?? []), ...after.evidence, ...named];
  const fresh = new Map(after.incident.chain.map((link) => [link.eventId, link]));
  const known = (before?.incident.chain ?? []).map((link) => {
    const newer = fresh.get(link.eventId) ?? link;
    fresh.delete(link.eventId);
    return newer;
  });
  const or = <T>(list: readonly T[], older: readonly T[] | undefined): readonly T[] =>
    list.length > 0 ? list : (older ?? []);
  const incident: Incident = {
    ...after.incident,
    chain: [...known, ...fresh.values()],
    confidenceParts: or(after.incident.confidenceParts, before?.incident.confidenceParts),
    impact: or(after.incident.impact, before?.incident.impact),
    alternatives: or(after.incident.alternatives, before?.incident.alternatives),
    ruledOut: or(after.incident.ruledOut, before?.incident.ruledOut),
  };
  return { incident, evidence, short: shortOf(before, after) };
}

/** Ids of the events that a draft names. */
export function eventsNamed({ evidence, short }: Draft): string[] {
  return [...evidence.flatMap((each) => ('eventId' in each ? [each.eventId] : [])), ...short.keys()];
}

/** The incident with what the events have; of those that are not there it has nothing. */
export function wholeOf(
  { incident, evidence, short }: Draft,
  eventOf: (id: string) => FaultEvent | undefined,
): Incident {
  const full = (link: ChainLink): ChainLink => {
    const times = short.get(link.eventId);
    const event = times === undefined ? undefined : eventOf(link.eventId);
    if (event === undefined || !isSamePlace(event.component, link.component)) return link;
    const component = isShort(link.component) ? event.component : link.component;
    return { ...link, component, interval: times === true ? event.interval : link.interval };
  };
  return {
    ...incident,
    chain: short.size === 0 ? incident.chain : incident.chain.map(full),
    evidence: evidence.flatMap((each) =>
      'eventId' in each ? (eventOf(each.eventId)?.evidence[each.place] ?? []) : [each],
    ),
  };
}

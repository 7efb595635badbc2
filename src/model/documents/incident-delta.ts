// Incident delta: a revision that says only what is not as in the revision before; incident-draft.ts makes it whole again.
//
// A delta is an `faultline/incident/1` like any other, with every field in its place and `since_revision` next to `revision`.
// Of the lists that `delta` names it holds only the items that are new or changed; `delta` says how the whole list is made of
// these, of the list before, and, for evidence, of that of events that have documents of their own.

import { isDeepStrictEqual } from 'node:util';
import type { Component } from '../component.ts';
import type { Evidence, FaultEvent } from '../event.ts';
import type { ChainLink, Incident } from '../incident.ts';
import { type ChainLinkDocument, linkToDocument } from './chain-link.ts';
import { type IncidentDocument, incidentToDocument } from './incident.ts';
import { type Piece, splice } from './splice.ts';

/** Fields of a document that a delta may list in part, with the names that they have in the model. */
export const LISTS = {
  confidence_parts: 'confidenceParts',
  chain: 'chain',
  impact: 'impact',
  alternatives: 'alternatives',
  ruled_out: 'ruledOut',
  evidence: 'evidence',
} as const;
export type ListName = keyof typeof LISTS;

export interface IncidentDeltaDocument extends Omit<IncidentDocument, 'chain'> {
  readonly since_revision: number;
  readonly chain: readonly (Omit<ChainLinkDocument, 'time_earliest' | 'time_latest' | 'order_unknown'> &
    Partial<ChainLinkDocument>)[];
  readonly delta: Delta;
}

interface Delta extends Partial<Record<ListName, readonly Piece[]>> {
  /** `[from, to, confidence]` of links of the whole chain that are as before in all else. */
  readonly chain_confidence?: readonly Range[];
  /** `[from, to, event ids]`: further causes of links that this document lists, by their places in it. */
  readonly caused_by?: readonly SharedCauses[];
}

type Range = readonly [number, number, number];
type SharedCauses = readonly [number, number, readonly string[]];
/** As many causes are written with each link, so that a line by itself shows what a link hangs on. */
const WRITTEN_CAUSES = 1;

/** What the revision `after` says that `before` did not. The events of `after` must have documents of their own. */
export function incidentDelta(before: Incident, after: Incident): IncidentDeltaDocument {
  const events = new Map(after.events.map((event) => [event.id, event]));
  const delta: { -readonly [Name in keyof Delta]: Delta[Name] } = {};
  const partial: Record<string, unknown> = {};
  const take = <T>(
    name: ListName,
    to: readonly T[],
    indexOf: (item: T) => number,
    named?: Parameters<typeof splice<T>>[2],
  ): void => {
    const { fresh, pieces } = splice(to, indexOf, named);
    if (fresh.length === to.length) return;
    delta[name] = pieces;
    partial[LISTS[name]] = fresh;
  };
  take('confidence_parts', after.confidenceParts, indexOfEqual(before.confidenceParts));
  take('chain', after.chain, indexOfLink(before.chain));
  take('impact', after.impact, indexOfEqual(before.impact));
  take('alternatives', after.alternatives, indexOfEqual(before.alternatives));
  take('ruled_out', after.ruledOut, indexOfEqual(before.ruledOut));
  take('evidence', after.evidence, indexOfSame(before.evidence), evidenceNames(after));
  const { schema, id, host, state, revision, ...rest } = incidentToDocument({ ...after, ...partial });
  const chain = (partial.chain ?? after.chain) as readonly ChainLink[]; // as it was put there above
  const ranges = delta.chain === undefined ? [] : confidences(before.chain, after.chain, chain);
  if (ranges.length > 0) delta.chain_confidence = ranges;
  const shared = sharedCauses(chain);
  if (shared.length > 0) delta.caused_by = shared;
  const links = chain.map((link, at) => {
    const few = shared.some(([from, to]) => at >= from && at < to);
    const causedBy = few ? link.causedBy.slice(0, WRITTEN_CAUSES) : link.causedBy;
    return shortLink({ ...link, causedBy }, events.get(link.eventId));
  });
  const since = before.revision;
  return { schema, id, host, state, revision, since_revision: since, ...rest, chain: links, delta };
}

/** For the short lists. */
function indexOfEqual<T>(from: readonly T[]): (item: T) => number {
  return (item) => from.findIndex((each) => each === item || isDeepStrictEqual(each, item));
}

/** Also where it is another's confidence: that of a whole chain changes with its root's. */
function indexOfLink(from: readonly ChainLink[]): (link: ChainLink) => number {
  const places = new Map(from.map((link, index) => [link.eventId, index]));
  return (link) => {
    const index = places.get(link.eventId) ?? -1;
    const known = from[index];
    if (known === link) return index;
    return known !== undefined && isDeepStrictEqual({ ...known, confidence: link.confidence }, link) ? index : -1;
  };
}

/** The confidence of links that `chain` does not list. */
function confidences(before: readonly ChainLink[], after: readonly ChainLink[], fresh: readonly ChainLink[]): Range[] {
  const known = new Map(before.map(({ eventId, confidence }) => [eventId, confidence]));
  const listed = new Set(fresh);
  const ranges: Range[] = [];
  for (const [index, link] of after.entries()) {
    if (listed.has(link) || known.get(link.eventId) === link.confidence) continue;
    const last = ranges.at(-1);
    if (last?.[1] === index && last[2] === link.confidence) ranges[ranges.length - 1] = [last[0], index + 1, last[2]];
    else ranges.push([index, index + 1, link.confidence]);
  }
  return ranges;
}

/** Links side by side that hang on the same: eight GPUs whose limits fell for the same eight reasons. */
function sharedCauses(chain: readonly ChainLink[]): SharedCauses[] {
  const shared: SharedCauses[] = [];
  for (let from = 0; from < chain.length; ) {
    const causes = chain[from]?.causedBy ?? [];
    let to = from + 1;
    while (to < chain.length && isDeepStrictEqual(chain[to]?.causedBy, causes)) to += 1;
    if (to - from > 1 && causes.length > WRITTEN_CAUSES + 1) shared.push([from, to, causes.slice(WRITTEN_CAUSES)]);
    from = to;
  }
  return shared;
}

/** What did not change is the same object as long as the process lives, and each process begins with a whole revision. */
function indexOfSame<T>(from: readonly T[]): (item: T) => number {
  const places = new Map(from.map((item, index) => [item, index]));
  return (item) => places.get(item) ?? -1;
}

/** Evidence that is all that an event has, by the event's id. */
function evidenceNames({ events, evidence }: Incident): (at: number) => { name: string; count: number } | null {
  const first = new Map<Evidence, FaultEvent>();
  for (const event of events) if (event.evidence[0] !== undefined) first.set(event.evidence[0], event);
  return (at) => {
    const item = evidence[at];
    const event = item === undefined ? undefined : first.get(item);
    if (event === undefined) return null;
    const count = event.evidence.length;
    return event.evidence.every((each, index) => each === evidence[at + index]) ? { name: event.id, count } : null;
  };
}

/** Without the aliases that its event's document has, and without times that it has too, or that say nothing more. */
function shortLink(link: ChainLink, event: FaultEvent | undefined): IncidentDeltaDocument['chain'][number] {
  const { time_earliest, time_latest, order_unknown, ...rest } = linkToDocument(link);
  const { component, interval, timeMs } = link;
  const short = component?.aliases !== undefined && isDeepStrictEqual(event?.component, component);
  const exact = interval.earliestMs === timeMs && interval.latestMs === timeMs;
  const known = short ? isDeepStrictEqual(event?.interval, interval) : exact;
  return {
    ...rest,
    component: short ? shortComponent(component) : component,
    ...(known ? {} : { time_earliest, time_latest }),
    ...(order_unknown ? { order_unknown } : {}),
  };
}

function shortComponent({ type, id, host, parent }: Component): Component {
  const isHost = host === undefined || parent === `host/${host}`;
  return {
    type,
    id,
    ...(host === undefined ? {} : { host }),
    ...(parent === undefined || isHost ? {} : { parent }),
    aliases: [],
  };
}

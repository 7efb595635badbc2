// Unobserved sag: two or more supplies of one feed lost their input together and no reading of the feed says why. Where the
// feed's own PDU went silent with them that is not a sag: the feed is lost.

import { type Component, componentText } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Kind } from '../../model/kind.ts';
import { makeEvent } from '../../model/make-event.ts';
import { infrastructureUnit, isInfrastructure } from '../topology/place.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import { byOnset, type Facts, onlyTenant } from '../window/facts.ts';
import type { Inference, Known } from './inference.ts';

/** What a supply does when its input is gone; one that breaks by itself says nothing of its feed. */
const REACTIONS: readonly Kind[] = ['psu.input_lost', 'psu.failover'];
/** What would explain it, read or declared. */
const READ: readonly Kind[] = [
  'power.voltage_sag',
  'power.phase_loss',
  'power.breaker_trip',
  'power.outlet_off',
  'power.source_transfer',
  'psu.failure',
];
/** A PDU hangs on the feed that it measures: silent with the supplies, it has lost it, too. */
const SILENT: Kind = 'power.feed_unreachable';
/** How long after its supplies a PDU is found silent: two polls that it does not answer. */
const SILENT_LATE_MS = 60_000;
const DECLARED: readonly Kind[] = ['host.maintenance', 'host.rebooted'];
/** The vocabulary's second: supplies that react within it have one cause. */
const TOGETHER_MS = 1000;
/** How much later than it happened a reading of the feed may be seen; the detection delay of the graph's power rows. */
const READ_LATE_MS = 10_000;
const MIN_PLACES = 2;
const MAX_EVIDENCE = 8;

export const unobservedSag: Inference = {
  name: 'unobserved-sag',
  watches: [...REACTIONS, ...READ, ...DECLARED, SILENT],
  infers: ['power.unobserved_sag', 'power.feed_lost'],
  infer: unobservedSags,
};

/** One event for each group, on the nearest part of the feed that all of the group hang on. */
function unobservedSags(known: Known): FaultEvent[] {
  const { topology } = known;
  const reacted = ofKinds(REACTIONS, known).sort(byOnset);
  if (new Set(reacted.map(({ text }) => text)).size < MIN_PLACES) return [];
  const left = new Set(reacted);
  const events: FaultEvent[] = [];
  for (const first of reacted) {
    if (!left.has(first)) continue;
    const together = reacted.filter((other) => left.has(other) && near(first, other, TOGETHER_MS));
    const found = nearestFeed(together, topology);
    if (found === null) continue;
    for (const one of found.group) left.delete(one);
    if (!explained(found.group, known)) events.push(sagEvent(found.feed, found.group, known));
  }
  return events;
}

/** What a tenant wrote is left out: what is inferred here goes by the BMC's word. */
function ofKinds(kinds: readonly Kind[], known: Known): Facts[] {
  return kinds.flatMap((kind) => known.ofKind(kind).filter((condition) => !onlyTenant(condition)));
}

function near(a: Facts, b: Facts, byMs: number): boolean {
  return a.onset.earliestMs <= b.onset.latestMs + byMs && b.onset.earliestMs <= a.onset.latestMs + byMs;
}

/** The feed that most of them hang on; of several the one that reaches least else, so phase before PDU before UPS. */
function nearestFeed(together: readonly Facts[], topology: TopologyIndex) {
  let best: { feed: Component; group: readonly Facts[]; places: number; reaches: number } | null = null;
  for (const feed of topology.components()) {
    if (!isInfrastructure(feed)) continue;
    const group = together.filter(({ component }) => component !== null && topology.isConfigured(feed, component));
    const places = new Set(group.map(({ text }) => text)).size;
    if (places < MIN_PLACES) continue;
    const reaches = topology.reachCount(feed);
    const better =
      best === null ||
      places > best.places ||
      (places === best.places &&
        (reaches < best.reaches || (reaches === best.reaches && componentText(feed) < componentText(best.feed))));
    if (better) best = { feed, group, places, reaches };
  }
  return best;
}

function explained(group: readonly Facts[], known: Known): boolean {
  const declared = ofKinds(DECLARED, known);
  if (declared.some((by) => group.some((one) => covers(by, one)))) return true;
  const read = ofKinds(READ, known);
  return read.some(({ component, onset, text }) =>
    group.some((one) => {
      const close =
        onset.earliestMs <= one.onset.latestMs + READ_LATE_MS && one.onset.earliestMs <= onset.latestMs + READ_LATE_MS;
      if (!close || component === null || one.component === null) return false;
      return text === one.text || known.topology.quality(component, one.component) > 0;
    }),
  );
}

function covers(by: Facts, one: Facts): boolean {
  const toMs = Math.max(by.endMs ?? Number.POSITIVE_INFINITY, by.onset.latestMs + READ_LATE_MS);
  return by.onset.earliestMs <= one.onset.latestMs && one.onset.earliestMs <= toMs;
}

/** The PDU that the feed is a part of stopped answering as the supplies lost their input, and not before. */
function isSilent(feed: Component, group: readonly Facts[], known: Known): boolean {
  const unit = infrastructureUnit(feed);
  return ofKinds([SILENT], known).some(({ component, onset, endMs }) => {
    if (component === null || endMs !== null || infrastructureUnit(component) !== unit) return false;
    return group.every(
      (one) =>
        one.endMs === null &&
        onset.latestMs >= one.onset.earliestMs - TOGETHER_MS &&
        onset.earliestMs <= one.onset.latestMs + SILENT_LATE_MS &&
        onset.earliestMs >= one.onset.earliestMs - TOGETHER_MS,
    );
  });
}

function sagEvent(feed: Component, group: readonly Facts[], known: Known): FaultEvent {
  const { host } = known.topology;
  const latestMs = Math.min(...group.map(({ onset }) => onset.latestMs));
  const earliestMs = Math.min(latestMs, Math.max(...group.map(({ onset }) => onset.earliestMs)));
  const supplies = [...new Set(group.map(({ text }) => text))].sort();
  return makeEvent(host, {
    kind: isSilent(feed, group, known) ? 'power.feed_lost' : 'power.unobserved_sag',
    component: feed,
    timeMs: latestMs,
    interval: { earliestMs, latestMs },
    observedMs: Math.max(...group.map(({ first }) => first.observedMs)),
    trust: 'bmc',
    source: 'correlation',
    attributes: { reacted: supplies.length, supplies: supplies.slice(0, MAX_EVIDENCE).join(' ') },
    evidence: group.flatMap(({ first }) => first.evidence).slice(0, MAX_EVIDENCE),
  });
}

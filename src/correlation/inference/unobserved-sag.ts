// Unobserved sag: two or more supplies of one feed lost their input together and no reading of the feed says why.

import { type Component, componentText } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Kind } from '../../model/kind.ts';
import { makeEvent } from '../../model/make-event.ts';
import type { Condition } from '../belief/condition.ts';
import { onlyTenant } from '../graph/edge.ts';
import type { ConditionsByKind } from '../graph/neighbours.ts';
import { isInfrastructure } from '../topology/place.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import { byOnset } from '../window/facts.ts';

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
const DECLARED: readonly Kind[] = ['host.maintenance', 'host.rebooted'];
const INPUTS: ReadonlySet<Kind> = new Set([...REACTIONS, ...READ, ...DECLARED]);

/** The vocabulary's second: supplies that react within it have one cause. */
const TOGETHER_MS = 1000;
/** How much later than it happened a reading of the feed may be seen; the detection delay of the graph's power rows. */
const READ_LATE_MS = 10_000;
const MIN_PLACES = 2;
const MAX_EVIDENCE = 8;

/** Whether a condition of this kind can change what `unobservedSags` finds. */
export function bearsOnSags(kind: Kind): boolean {
  return INPUTS.has(kind);
}

/** One event for each group, on the nearest part of the feed that all of the group hang on. Depends on no order of arrival. */
export function unobservedSags(store: ConditionsByKind, topology: TopologyIndex): FaultEvent[] {
  const reacted = ofKinds(REACTIONS, store).sort(byOnset);
  if (new Set(reacted.map(({ text }) => text)).size < MIN_PLACES) return [];
  const left = new Set(reacted);
  const events: FaultEvent[] = [];
  for (const first of reacted) {
    if (!left.has(first)) continue;
    const together = reacted.filter((other) => left.has(other) && near(first, other, TOGETHER_MS));
    const found = nearestFeed(together, topology);
    if (found === null) continue;
    for (const one of found.group) left.delete(one);
    if (!explained(found.group, store, topology)) events.push(sagEvent(found.feed, found.group, topology.host));
  }
  return events;
}

/** What a tenant wrote is left out: what is inferred here goes by the BMC's word. */
function ofKinds(kinds: readonly Kind[], store: ConditionsByKind): Condition[] {
  return kinds.flatMap((kind) => store.ofKind(kind).filter((condition) => !onlyTenant(condition)));
}

function near(a: Condition, b: Condition, byMs: number): boolean {
  return a.onset.earliestMs <= b.onset.latestMs + byMs && b.onset.earliestMs <= a.onset.latestMs + byMs;
}

/** The feed that most of them hang on; of several the one that reaches least else, so phase before PDU before UPS. */
function nearestFeed(together: readonly Condition[], topology: TopologyIndex) {
  let best: { feed: Component; group: readonly Condition[]; places: number; reaches: number } | null = null;
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

function explained(group: readonly Condition[], store: ConditionsByKind, topology: TopologyIndex): boolean {
  const declared = ofKinds(DECLARED, store);
  if (declared.some((by) => group.some((one) => covers(by, one)))) return true;
  const read = ofKinds(READ, store);
  return read.some(({ component, onset, text }) =>
    group.some((one) => {
      const close =
        onset.earliestMs <= one.onset.latestMs + READ_LATE_MS && one.onset.earliestMs <= onset.latestMs + READ_LATE_MS;
      if (!close || component === null || one.component === null) return false;
      return text === one.text || topology.quality(component, one.component) > 0;
    }),
  );
}

function covers(by: Condition, one: Condition): boolean {
  const toMs = Math.max(by.endMs ?? Number.POSITIVE_INFINITY, by.onset.latestMs + READ_LATE_MS);
  return by.onset.earliestMs <= one.onset.latestMs && one.onset.earliestMs <= toMs;
}

function sagEvent(feed: Component, group: readonly Condition[], host: string): FaultEvent {
  const latestMs = Math.min(...group.map(({ onset }) => onset.latestMs));
  const earliestMs = Math.min(latestMs, Math.max(...group.map(({ onset }) => onset.earliestMs)));
  const supplies = [...new Set(group.map(({ text }) => text))].sort();
  return makeEvent(host, {
    kind: 'power.unobserved_sag',
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

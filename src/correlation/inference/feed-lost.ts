// Lost feed: every phase of one PDU is gone at once, which no single reading says.

import type { FaultEvent } from '../../model/event.ts';
import { makeEvent } from '../../model/make-event.ts';
import { infrastructureUnit } from '../topology/place.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import { type Facts, onlyTenant } from '../window/facts.ts';
import type { Inference, Known } from './inference.ts';

/** Phases are read one after the other, and polls take a while. */
const TOGETHER_MS = 5000;
/** One phase of one is that phase. */
const MIN_PHASES = 2;
const MAX_EVIDENCE = 8;

export const feedLost: Inference = {
  name: 'feed-lost',
  watches: ['power.phase_loss'],
  infers: ['power.feed_lost'],
  infer: lostFeeds,
};

function lostFeeds(known: Known): FaultEvent[] {
  const byUnit = new Map<string, Facts[]>();
  for (const condition of known.ofKind('power.phase_loss')) {
    if (onlyTenant(condition) || condition.component?.type !== 'pdu_phase') continue;
    const unit = infrastructureUnit(condition.component);
    byUnit.set(unit, [...(byUnit.get(unit) ?? []), condition]);
  }
  const events: FaultEvent[] = [];
  for (const [unit, lost] of [...byUnit].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const phases = phasesOf(unit, known.topology);
    if (phases.size < MIN_PHASES || !areTogether(lost)) continue;
    const gone = new Set(lost.map(({ text }) => text));
    if ([...phases].every((phase) => gone.has(phase))) events.push(lostEvent(unit, lost, known.topology.host));
  }
  return events;
}

function phasesOf(unit: string, topology: TopologyIndex): ReadonlySet<string> {
  const phases = new Set<string>();
  for (const component of topology.components())
    if (component.type === 'pdu_phase' && infrastructureUnit(component) === unit)
      phases.add(`${component.type}/${component.id}`);
  return phases;
}

function areTogether(lost: readonly Facts[]): boolean {
  const earliest = Math.max(...lost.map(({ onset }) => onset.earliestMs));
  const latest = Math.min(...lost.map(({ onset }) => onset.latestMs));
  return earliest - latest <= TOGETHER_MS;
}

function lostEvent(unit: string, lost: readonly Facts[], host: string): FaultEvent {
  const latestMs = Math.min(...lost.map(({ onset }) => onset.latestMs));
  const earliestMs = Math.min(latestMs, ...lost.map(({ onset }) => onset.earliestMs));
  return makeEvent(host, {
    kind: 'power.feed_lost',
    component: { type: 'pdu', id: unit.slice('pdu/'.length) },
    timeMs: latestMs,
    interval: { earliestMs, latestMs },
    observedMs: Math.max(...lost.map(({ first }) => first.observedMs)),
    trust: 'facility',
    source: 'correlation',
    attributes: { phases: lost.length },
    evidence: lost.flatMap(({ first }) => first.evidence).slice(0, MAX_EVIDENCE),
  });
}

// Explain: turns one cluster of conditions into what is told about it.

import { detailText } from '../../model/detail-text.ts';
import type { Evidence, FaultEvent } from '../../model/event.ts';
import type { Explanation } from '../../model/explanation.ts';
import type { ChainLink } from '../../model/incident.ts';
import { kindInfo } from '../../model/kind.ts';
import type { Assigned, Cluster } from '../belief/cluster.ts';
import { isExplaining, isSymptom } from '../graph/kind-roles.ts';
import type { Condition } from '../window/condition.ts';
import { type ConfidenceContext, confidenceOf } from './confidence.ts';
import { impactOf } from './impact.ts';
import { changeOf, changeText, nameOf } from './names.ts';
import { alternativesOf, rivalsOf } from './rivals.ts';
import { type RuledOutContext, ruledOutOf } from './ruled-out.ts';
import { actionOf, severityOf } from './verdict.ts';

const MAX_CHAIN = 128;
const MAX_EVIDENCE = 64;

export type Belief = Omit<Explanation, 'firstEventId' | 'firstEventMs' | 'asOfMs' | 'ended' | 'mergedInto'>;

export type ExplainContext = RuledOutContext & Omit<ConfidenceContext, 'rivals'>;

export function explain(cluster: Cluster, context: ExplainContext): Belief {
  const { root } = cluster;
  const { host } = context.topology;
  const members = cluster.members.slice(0, MAX_CHAIN);
  const rivals = rivalsOf(cluster);
  const { confidence, parts } = confidenceOf(cluster, { ...context, rivals });
  const impact = impactOf(cluster.members, context);
  const rootKnown = !isSymptom(root.kind);
  return {
    title: titleOf(root, rootKnown, host),
    severity: severityOf(cluster),
    confidence,
    confidenceParts: parts,
    pattern: null,
    rootKnown,
    root: { eventId: root.first.id, kind: root.kind, component: root.component },
    chain: members.map((member) => chainLink(member, root, confidence)),
    impact,
    action: actionOf(cluster),
    alternatives: alternativesOf(cluster, rivals, confidence, host),
    ruledOut: ruledOutOf(cluster, context),
    evidence: evidenceOf(members),
    events: members.map(({ condition }) => eventOf(condition)),
  };
}

function titleOf(root: Condition, rootKnown: boolean, host: string): string {
  const name = nameOf(root.component, host);
  const change = changeOf(root.first.attributes);
  const figures = change === null ? detailText(root.kind, root.first.attributes) : changeText(change);
  const told = figures === null ? '' : `: ${figures}`;
  const { title } = kindInfo(root.kind);
  if (isExplaining(root.kind)) return `${title} on ${name}; what followed is no incident`;
  if (rootKnown) return `${title} on ${name}${told}`;
  const what = change === null ? title : `${change.quantity.replaceAll('_', ' ')} ${changeText(change)}`;
  return `No root cause yet: ${name} ${what}`;
}

function chainLink({ condition, causedBy }: Assigned, root: Condition, confidence: number): ChainLink {
  const { first } = condition;
  const nearest = causedBy[0];
  const orderUnknown = nearest?.edge.timing.orderUnknown ?? false;
  return {
    eventId: first.id,
    kind: condition.kind,
    component: condition.component,
    severity: condition.severity,
    timeMs: first.timeMs,
    timeDigits: first.timeDigits,
    interval: condition.onset,
    causedBy: causedBy.map(({ edge }) => edge.cause.first.id),
    lagMs: nearest === undefined || orderUnknown ? null : first.timeMs - nearest.edge.cause.first.timeMs,
    confidence: condition === root || nearest === undefined ? confidence : Math.round(nearest.weight * 100) / 100,
    orderUnknown,
  };
}

/** The event that stands for the condition, with the count of all. */
function eventOf(condition: Condition): FaultEvent {
  const { first, count, severity } = condition;
  return first.count === count && first.severity === severity ? first : { ...first, count, severity };
}

/** Root's first; of each condition the first event of each source, so that all places are shown before repeats. */
function evidenceOf(members: readonly Assigned[]): Evidence[] {
  const evidence: Evidence[] = [];
  const rest: Evidence[] = [];
  for (const { condition } of members) {
    if (evidence.length >= MAX_EVIDENCE) break;
    const { events, sources } = condition;
    const told = new Set<string>();
    for (const event of events) {
      if (told.size < sources.size && !told.has(event.source)) {
        told.add(event.source);
        evidence.push(...event.evidence);
      } else if (rest.length < MAX_EVIDENCE) rest.push(...event.evidence);
    }
  }
  if (evidence.length < MAX_EVIDENCE) evidence.push(...rest);
  return evidence.slice(0, MAX_EVIDENCE);
}

// Explain: turns one cluster of conditions into what is published about it.

import type { Component } from '../../model/component.ts';
import { detailText, heldKib, placedByPod, testText } from '../../model/detail-text.ts';
import type { Evidence, FaultEvent } from '../../model/event.ts';
import { eventTitle } from '../../model/event-title.ts';
import type { Explanation } from '../../model/explanation.ts';
import type { ChainLink } from '../../model/incident.ts';
import { kindInfo } from '../../model/kind.ts';
import type { Assigned, Cluster, Condition } from '../belief/condition.ts';
import { confirmationOf } from '../graph/confirmation.ts';
import { withoutJoiners } from '../graph/joining.ts';
import { isExplaining, isSymptom } from '../graph/kind-roles.ts';
import { matchPattern } from '../patterns/match.ts';
import { type ActionContext, actionOf } from './action/action.ts';
import { pausedPorts } from './action/elsewhere.ts';
import { type ConfidenceContext, confidenceOf } from './confidence.ts';
import { feedPathOf } from './feed-path.ts';
import { impactOf } from './impact.ts';
import { isConfirmed, severityOf } from './incident-verdict.ts';
import { leftReadOnly } from './left-read-only.ts';
import { withoutNameless } from './nameless.ts';
import { outlastedOf, outlastedText } from './outlasted.ts';
import { changeOf, changeText, nameOf } from './plain-names.ts';
import { alternativesOf, rivalsOf } from './rivals.ts';
import { type RuledOutContext, ruledOutOf } from './ruled-out.ts';
import { isSeenFirst } from './seen-first.ts';
import { attributesOf, eventOf } from './shown-event.ts';
import { silentRank } from './silent-rank.ts';
import { decidedBy, eitherText, likelyOf } from './undecided.ts';

const MAX_CHAIN = 128;
const MAX_EVIDENCE = 64;

/** Which incident it is, and as of when. */
export type Identity = Pick<Explanation, 'firstEventId' | 'firstEventMs' | 'asOfMs' | 'ended'>;

export type ExplainContext = RuledOutContext & ActionContext & ConfidenceContext;

/** What decides whether a cluster is published again; the rest follows from it and the members. */
export type Verdict = Omit<
  Explanation,
  keyof Identity | 'mergedInto' | 'pattern' | 'chain' | 'ruledOut' | 'evidence' | 'events' | 'feedPath'
>;

export function judge(cluster: Cluster, context: ExplainContext): Verdict {
  const { root } = cluster;
  const { host } = context.topology;
  const believed = withoutJoiners(cluster);
  const rivals = rivalsOf(believed);
  const { confidence, parts } = confidenceOf(believed, rivals, context);
  const rootKnown = !isSymptom(root.kind);
  const unconfirmed = isConfirmed(cluster) ? null : confirmationOf(root.kind, root.first.attributes);
  const outlasted = outlastedOf(root);
  const silent = silentRank(cluster, context.topology);
  const likely = likelyOf(root, rivals);
  const paused = pausedPorts(cluster, context.topology);
  const component: Component | null = paused === null ? root.component : { type: 'host', id: host };
  return {
    title:
      paused === null
        ? titleOf(mostKilled(cluster), rootKnown, unconfirmed === null, likely, host) +
          (rootKnown ? leftReadOnly(cluster) : '')
        : `${kindInfo(root.kind).title} on ${host}: the fabric pauses all ${paused} ports`,
    severity: severityOf(cluster),
    confidence,
    confidenceParts: parts,
    rootKnown,
    unconfirmed,
    root: { eventId: root.first.id, kind: root.kind, component },
    ...(outlasted === null ? {} : { outlasted }),
    impact: impactOf(cluster.members, context),
    action: withDecision(actionOf(cluster, context), likely),
    alternatives: alternativesOf(cluster, rivals, confidence, host, silent),
  };
}

/** With what would decide between the likeliest of what was seen and what was not. */
function withDecision(action: Verdict['action'], likely: Condition | null): Verdict['action'] {
  const where = likely === null ? '' : decidedBy(likely.kind);
  return where === '' ? action : { ...action, why: `${action.why}; ${where}` };
}

export function explain(cluster: Cluster, verdict: Verdict, identity: Identity, context: ExplainContext): Explanation {
  const { title, severity, confidence, confidenceParts, rootKnown, unconfirmed, root, impact, action, alternatives } =
    verdict;
  const { outlasted } = verdict;
  const members = cluster.members.length > MAX_CHAIN ? cluster.members.slice(0, MAX_CHAIN) : cluster.members;
  const chain: ChainLink[] = [];
  const events: FaultEvent[] = [];
  for (const member of members) {
    chain.push(linkOf(member, confidence));
    events.push(eventOf(member.condition));
  }
  const ruledOut = ruledOutOf(cluster, context);
  const feedPath = feedPathOf(cluster, context.topology);
  const pattern = isShortOfOther(cluster.root)
    ? null
    : (matchPattern({ root, unconfirmed, chain })?.pattern.id ?? null);
  const evidence = evidenceOf(members);
  const { firstEventId, firstEventMs, asOfMs, ended } = identity;
  const shown = withoutNameless(chain);
  if (outlasted === undefined && feedPath === null)
    return {
      title, severity, confidence, confidenceParts, pattern, rootKnown, unconfirmed, root, chain: shown, impact, action, alternatives, ruledOut, evidence, events,
      firstEventId, firstEventMs, asOfMs, ended, mergedInto: null,
    }; // biome-ignore format: as in the document
  return {
    title, severity, confidence, confidenceParts, pattern, rootKnown, unconfirmed, root, chain: shown, impact, action, alternatives, ruledOut, evidence, events,
    ...(outlasted === undefined ? {} : { outlasted }),
    ...(feedPath === null ? {} : { feedPath }),
    firstEventId, firstEventMs, asOfMs, ended, mergedInto: null,
  }; // biome-ignore format: as in the document
}

/** Of several kills of a host whose memory ran out the one that held most names it: the kernel's first is often a small one. */
function mostKilled({ root, members }: Cluster): Condition {
  if (root.kind !== 'host.oom' || root.first.attributes.scope !== 'host') return root;
  const held = ({ first }: Condition): number => heldKib(first.attributes) ?? 0;
  return members.reduce((most, { condition: one }) => {
    const isKill = one.kind === root.kind && one.first.attributes.scope === 'host';
    return isKill && one.component?.host === root.component?.host && held(one) > held(most) ? one : most;
  }, root);
}

function titleOf(
  root: Condition,
  rootKnown: boolean,
  confirmed: boolean,
  likely: Condition | null,
  host: string,
): string {
  const attributes = attributesOf(root);
  const test = root.component === null ? testText(attributes) : null;
  if (test !== null && rootKnown) return `${confirmed ? '' : 'Unconfirmed: '}${test}`;
  const pod = placedByPod(root.kind, attributes, root.component);
  const name = pod ?? nameOf(root.component, host, root);
  const change = changeOf(attributes);
  const figures = change === null ? detailText(root.kind, attributes, root.component) : changeText(change);
  const after = outlastedText(root, host);
  const said = [figures, after].filter((part) => part !== null).join(', ');
  const figuresText = said === '' ? '' : `: ${said}`;
  const title = eventTitle(root.kind, attributes);
  const unsure = confirmed ? '' : 'Unconfirmed: ';
  if (isExplaining(root.kind)) return `${unsure}${title} on ${name}; what followed is not an incident`;
  if (rootKnown) return `${unsure}${title} on ${name}${figuresText}`;
  const what = change === null ? title : `${change.quantity.replaceAll('_', ' ')} ${changeText(change)}`;
  const open = likely === null ? 'No root cause yet' : `Undecided (${eitherText(likely, host)})`;
  return `${open}${confirmed ? '' : ', unconfirmed'}: ${name} ${what}${after === null ? '' : `, ${after}`}`;
}

/** To the µs, which is what clocks give: the log keeps no more, and what is read from it is sent again as it was. */
function lagOf(causeMs: number, effectMs: number): number {
  return Math.round((effectMs - causeMs) * 1000) / 1000;
}

/** As it was published last, where that is still the same. */
function linkOf(member: Assigned, clusterConfidence: number): ChainLink {
  const { condition, root, causedBy, link } = member;
  const { first } = condition;
  const nearest = causedBy[0];
  const isOpen = nearest?.edge.timing.orderUnknown ?? false;
  const orderUnknown = isOpen && nearest !== undefined && !isSeenFirst(nearest.edge);
  const lagMs = nearest === undefined || isOpen ? null : lagOf(nearest.edge.cause.first.timeMs, first.timeMs);
  const own = condition === root || nearest === undefined;
  const confidence = own ? clusterConfidence : Math.round(nearest.weight * 100) / 100;
  if (link !== null && link.confidence === confidence && link.lagMs === lagMs && stillTells(link, condition, causedBy))
    return link;
  member.link = {
    eventId: first.id,
    kind: condition.kind,
    component: condition.component,
    severity: condition.severity,
    timeMs: first.timeMs,
    timeDigits: first.timeDigits,
    interval: condition.onset,
    causedBy: causedBy.map(({ edge }) => edge.cause.first.id),
    lagMs,
    confidence,
    orderUnknown,
  };
  return member.link;
}

function stillTells(link: ChainLink, condition: Condition, causedBy: Assigned['causedBy']): boolean {
  const { first, onset, severity, component } = condition;
  if (link.eventId !== first.id || link.timeMs !== first.timeMs || link.timeDigits !== first.timeDigits) return false;
  if (link.interval !== onset || link.severity !== severity || link.component !== component) return false;
  for (let i = 0; i < causedBy.length; i += 1) if (causedBy[i]?.edge.cause.first.id !== link.causedBy[i]) return false;
  return true;
}

/** Root's first; of each condition the first event of each source, so that all places are shown before repeats. */
function evidenceOf(members: readonly Assigned[]): Evidence[] {
  const evidence: Evidence[] = [];
  for (const { condition } of members) {
    if (evidence.length >= MAX_EVIDENCE) break;
    const { events, sources } = condition;
    if (sources.size > 1) {
      for (const event of events) if (isShownFirst(event, condition)) append(event, evidence);
    } else if (events[0] !== undefined) append(events[0], evidence);
  }
  for (const { condition } of members) {
    if (evidence.length >= MAX_EVIDENCE) break;
    const { events, hearsay, sources } = condition;
    if (hearsay.length > 0) for (const event of hearsay) append(event, evidence);
    const ofOne = sources.size <= 1;
    for (let i = 1; i < events.length && evidence.length < MAX_EVIDENCE; i += 1) {
      const event = events[i];
      if (event !== undefined && (ofOne || !isShownFirst(event, condition))) append(event, evidence);
    }
  }
  return evidence.length > MAX_EVIDENCE ? evidence.slice(0, MAX_EVIDENCE) : evidence;
}

function append(event: FaultEvent, to: Evidence[]): void {
  for (const seen of event.evidence) to.push(seen);
}

/** The first of its source. */
function isShownFirst(event: FaultEvent, { events }: Condition): boolean {
  if (event === events[0]) return true;
  return events.find(({ source }) => source === event.source) === event;
}

/** The kind of a node that runs short is the same for its disk and its process numbers, and the pattern that of its memory. */
function isShortOfOther({ kind, first }: Condition): boolean {
  const { resource, condition } = first.attributes;
  return (
    kind === 'host.pressure' && !/^(?:memory|unknown|MemoryPressure)/.test(String(resource ?? condition ?? 'unknown'))
  );
}

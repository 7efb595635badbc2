// Document: events and incidents as the JSON documents that users script against, and back.

import { ACTIONS } from '../action.ts';
import type { AttributeValue, Evidence, FaultEvent, Trust } from '../event.ts';
import type { Alternative, ChainLink, ConfidencePart, Incident, RuledOut } from '../incident.ts';
import { MADE } from '../made.ts';
import { SEVERITIES } from '../severity.ts';
import * as read from './fields.ts';
import { computedTime, sourceTime } from './fields.ts';
import { impactFrom, impactToDocument } from './impact.ts';
import {
  type ChainLinkDocument,
  EVENT_SCHEMA,
  type EventDocument,
  type EvidenceDocument,
  INCIDENT_SCHEMA,
  type IncidentDocument,
} from './types.ts';

export type { ChainLinkDocument, EventDocument, EvidenceDocument, IncidentDocument };
export { EVENT_SCHEMA, INCIDENT_SCHEMA };

const TRUSTS: readonly Trust[] = ['kernel', 'driver', 'bmc', 'facility', 'system', 'tenant'];

function evidenceToDocument(evidence: Evidence): EvidenceDocument {
  if ('text' in evidence) {
    return { source: evidence.source, time: computedTime(evidence.timeMs), text: evidence.text };
  }
  const values = evidence.values.map(
    ([timeMs, value]) => [computedTime(timeMs), Number.isFinite(value) ? value : null] as const,
  );
  return { source: evidence.source, series: evidence.series, values };
}

function evidenceFrom(value: unknown): Evidence {
  const from = read.fields(value);
  const source = read.text(from.source);
  if (typeof from.text === 'string') return { source, timeMs: read.timeMs(from.time), text: from.text };
  const values = read.list(from.values, (pair) => {
    const [time, sample] = read.list(pair, (item) => item);
    return [read.timeMs(time), read.numberOrNull(sample) ?? Number.NaN] as const;
  });
  return { source, series: read.text(from.series), values };
}

export function eventToDocument(event: FaultEvent, host: string): EventDocument {
  return {
    schema: EVENT_SCHEMA,
    id: event.id,
    host,
    kind: event.kind,
    component: event.component,
    severity: event.severity,
    time: sourceTime(event.timeMs, event.timeDigits),
    time_earliest: computedTime(event.interval.earliestMs),
    time_latest: computedTime(event.interval.latestMs),
    observed_at: computedTime(event.observedMs),
    trust: event.trust,
    state: event.state,
    count: event.count,
    source: event.source,
    attributes: event.attributes,
    evidence: event.evidence.map(evidenceToDocument),
  };
}

function attribute(value: unknown): AttributeValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  return read.number(value);
}

/** The event that a document tells of; null when anything that an event needs is missing or of the wrong type. */
export function eventFromDocument(document: unknown): FaultEvent | null {
  return orNull(() => {
    const from = read.fields(document);
    read.oneOf(from.schema, [EVENT_SCHEMA]);
    const { epochMs, digits } = read.time(from.time);
    const attributes = Object.entries(read.fields(from.attributes ?? {}));
    return {
      id: read.name(from.id),
      kind: read.kind(from.kind),
      component: read.componentOrNull(from.component),
      severity: read.oneOf(from.severity, SEVERITIES),
      timeMs: epochMs,
      timeDigits: digits,
      interval: {
        earliestMs: from.time_earliest === undefined ? epochMs : read.timeMs(from.time_earliest),
        latestMs: from.time_latest === undefined ? epochMs : read.timeMs(from.time_latest),
      },
      observedMs: read.timeMs(from.observed_at),
      trust: read.oneOf(from.trust, TRUSTS),
      state: read.oneOf(from.state, ['onset', 'clear', 'point']),
      count: read.count(from.count),
      source: read.name(from.source),
      attributes: Object.fromEntries(attributes.map(([key, value]) => [key, attribute(value)])),
      evidence: read.listOrEmpty(from.evidence, evidenceFrom),
    };
  });
}

function linkToDocument(link: ChainLink): ChainLinkDocument {
  return {
    event_id: link.eventId,
    kind: link.kind,
    component: link.component,
    severity: link.severity,
    time: sourceTime(link.timeMs, link.timeDigits),
    time_earliest: computedTime(link.interval.earliestMs),
    time_latest: computedTime(link.interval.latestMs),
    caused_by: link.causedBy,
    lag_ms: link.lagMs,
    confidence: link.confidence,
    order_unknown: link.orderUnknown,
  };
}

/** Up to when GPU-hours are counted: of an open incident `nowMs`, its last revision where that is left out. */
export interface AsOf {
  readonly nowMs: number;
}

/** The incident without its events: those are documents of their own beside it. */
export function incidentToDocument(incident: Incident, asOf?: AsOf): IncidentDocument {
  const { state, updatedMs, resolvedMs } = incident;
  const asOfMs = state === 'open' ? Math.max(updatedMs, asOf?.nowMs ?? updatedMs) : (resolvedMs ?? updatedMs);
  return {
    schema: INCIDENT_SCHEMA,
    id: incident.id,
    host: incident.host,
    state: incident.state,
    revision: incident.revision,
    opened_at: computedTime(incident.openedMs),
    updated_at: computedTime(incident.updatedMs),
    resolved_at: incident.resolvedMs === null ? null : computedTime(incident.resolvedMs),
    reopened: incident.reopened,
    reopened_at: incident.reopenedMs === null ? null : computedTime(incident.reopenedMs),
    title: incident.title,
    severity: incident.severity,
    confidence: incident.confidence,
    confidence_parts: incident.confidenceParts,
    pattern: incident.pattern,
    root_known: incident.rootKnown,
    confirmed: incident.unconfirmed === null,
    would_confirm: incident.unconfirmed,
    root: { event_id: incident.root.eventId, kind: incident.root.kind, component: incident.root.component },
    chain: incident.chain.map(linkToDocument),
    impact: incident.impact.map((impact) => impactToDocument(impact, asOfMs)),
    action: incident.action,
    alternatives: incident.alternatives,
    ruled_out: incident.ruledOut,
    evidence: incident.evidence.map(evidenceToDocument),
    trace_id: incident.traceId,
    merged_into: incident.mergedInto,
    log: incident.log,
    ...(incident.made === undefined ? {} : { [incident.made]: true as const }),
  };
}

/** The incident with its events inside: one document that stands alone. */
export function wholeIncidentToDocument(incident: Incident, asOf?: AsOf): IncidentDocument {
  const events = incident.events.map((event) => eventToDocument(event, incident.host));
  return { ...incidentToDocument(incident, asOf), events };
}

function rootFrom(value: unknown): Incident['root'] {
  const from = read.fields(value);
  const component = read.componentOrNull(from.component);
  return { eventId: read.name(from.event_id), kind: read.kind(from.kind), component };
}

function linkFrom(value: unknown): ChainLink {
  const from = read.fields(value);
  const { epochMs, digits } = read.time(from.time);
  return {
    ...rootFrom(value),
    severity: read.oneOf(from.severity, SEVERITIES),
    timeMs: epochMs,
    timeDigits: digits,
    interval: {
      earliestMs: from.time_earliest === undefined ? epochMs : read.timeMs(from.time_earliest),
      latestMs: from.time_latest === undefined ? epochMs : read.timeMs(from.time_latest),
    },
    causedBy: read.list(from.caused_by, read.name),
    lagMs: read.numberOrNull(from.lag_ms),
    confidence: read.number(from.confidence),
    orderUnknown: from.order_unknown === true,
  };
}

function alternativeFrom(value: unknown): Alternative {
  const from = read.fields(value);
  const root = read.fields(from.root);
  return {
    root: { kind: read.kind(root.kind), component: read.componentOrNull(root.component) },
    confidence: read.number(from.confidence),
    why: read.textOrNull(from.why) ?? '',
  };
}

/**
 * The incident that a document tells of; null when anything that an incident needs is missing or of the wrong type.
 * Events come from the document where it holds them, else by id from `eventOf`; those that neither has are left out.
 */
export function incidentFromDocument(
  document: unknown,
  eventOf: (id: string) => FaultEvent | undefined = () => undefined,
): Incident | null {
  return orNull(() => {
    const from = read.fields(document);
    read.oneOf(from.schema, [INCIDENT_SCHEMA]);
    const made = MADE.find((word) => from[word] === true);
    const action = read.fields(from.action);
    const chain = read.list(from.chain, linkFrom);
    const own = read.listOrEmpty(from.events, eventFromDocument).filter((event) => event !== null);
    const found = chain.map((link) => eventOf(link.eventId)).filter((event) => event !== undefined);
    return {
      id: read.name(from.id),
      host: read.text(from.host),
      state: read.oneOf(from.state, ['open', 'resolved']),
      revision: read.count(from.revision),
      openedMs: read.timeMs(from.opened_at),
      updatedMs: read.timeMs(from.updated_at),
      resolvedMs: from.resolved_at === null ? null : read.timeMs(from.resolved_at),
      reopened: from.reopened === undefined ? 0 : read.count(from.reopened),
      reopenedMs: from.reopened_at === undefined || from.reopened_at === null ? null : read.timeMs(from.reopened_at),
      title: read.text(from.title),
      severity: read.oneOf(from.severity, SEVERITIES),
      confidence: read.number(from.confidence),
      confidenceParts: read.list(from.confidence_parts, (value): ConfidencePart => {
        const part = read.fields(value);
        return { why: read.text(part.why), delta: read.number(part.delta) };
      }),
      pattern: read.textOrNull(from.pattern),
      rootKnown: from.root_known !== false,
      unconfirmed: from.confirmed === false ? (read.textOrNull(from.would_confirm ?? null) ?? '') : null,
      root: rootFrom(from.root),
      chain,
      impact: read.list(from.impact, impactFrom),
      action: {
        kind: read.oneOf(action.kind, ACTIONS),
        target: read.componentOrNull(action.target),
        why: read.text(action.why),
      },
      alternatives: read.list(from.alternatives, alternativeFrom),
      ruledOut: read.listOrEmpty(from.ruled_out, (value): RuledOut => {
        const ruled = read.fields(value);
        return { what: read.text(ruled.what), why: read.text(ruled.why) };
      }),
      evidence: read.list(from.evidence, evidenceFrom),
      events: own.length > 0 ? own : found,
      mergedInto: read.textOrNull(from.merged_into),
      traceId: read.name(from.trace_id),
      log: from.log === 'unavailable' ? 'unavailable' : 'written',
      ...(made === undefined ? {} : { made }),
    };
  });
}

function orNull<T>(build: () => T): T | null {
  try {
    return build();
  } catch (error) {
    if (error instanceof read.Unreadable) return null;
    throw error;
  }
}

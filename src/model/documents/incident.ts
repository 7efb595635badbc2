// Incident document: `faultline/incident/1` as users script against it, written and read.

import { ACTIONS, type Action } from '../action.ts';
import type { Component } from '../component.ts';
import { type ConfidencePart, isConfidenceCode } from '../confidence.ts';
import type { FaultEvent } from '../event.ts';
import type { Alternative, Incident, RuledOut } from '../incident.ts';
import { MADE } from '../made.ts';
import { SEVERITIES, type Severity } from '../severity.ts';
import { type ChainLinkDocument, linkFrom, linkToDocument, type RootDocument, rootFrom } from './chain-link.ts';
import { type EventDocument, eventFromDocument, eventToDocument } from './event.ts';
import { type EvidenceDocument, evidenceFrom, evidenceToDocument } from './evidence.ts';
import * as read from './fields.ts';
import { computedTime } from './fields.ts';
import { type ImpactDocument, impactFrom, impactToDocument } from './impact.ts';
import { type OutlastedDocument, outlastedFrom, outlastedToDocument } from './outlasted.ts';
import { MOST_STAGES, type StageDocument, stageFrom, stageToDocument } from './stage.ts';
import { jobsFrom, jobsOf, type WhoseDocument } from './whose.ts';

/** Of a feed path; from a PDU to a device there are some six. */
const STATIONS = 32;
export const INCIDENT_SCHEMA = 'faultline/incident/1';

/** `faultline/incident/1`. `events` is there only where the events of the chain are not documents of their own. */
export interface IncidentDocument {
  readonly schema: typeof INCIDENT_SCHEMA;
  readonly id: string;
  readonly host: string;
  readonly state: Incident['state'];
  readonly revision: number;
  readonly opened_at: string;
  readonly updated_at: string;
  readonly resolved_at: string | null;
  /** How often it was opened again after it had been resolved, and when last. */
  readonly reopened: number;
  readonly reopened_at: string | null;
  readonly title: string;
  readonly severity: Severity;
  readonly confidence: number;
  readonly confidence_parts: readonly ConfidencePart[];
  readonly pattern: string | null;
  readonly root_known: boolean;
  /** False where a user of the host could have written all that says so; `would_confirm` is then what would confirm it. */
  readonly confirmed: boolean;
  readonly would_confirm: string | null;
  readonly root: RootDocument;
  /** Something planned that the root did not come back from in its usual time; left out where there is none. */
  readonly did_not_come_back_from?: OutlastedDocument;
  readonly chain: readonly ChainLinkDocument[];
  /** Stations from the root to the first device that it reached, each `type/id`; left out where all of it is in one place. */
  readonly feed_path?: readonly string[];
  readonly impact: readonly ImpactDocument[];
  readonly action: { readonly kind: Action; readonly target: Component | null; readonly why: string };
  readonly alternatives: readonly Alternative[];
  readonly ruled_out: readonly RuledOut[];
  readonly evidence: readonly EvidenceDocument[];
  /** The jobs that it hit, as they were when that happened; left out where none is known. */
  readonly jobs?: readonly WhoseDocument[];
  /** What was done about it, from detection to verification; left out where nothing was. */
  readonly stages?: readonly StageDocument[];
  readonly trace_id: string;
  readonly merged_into: string | null;
  readonly log: Incident['log'];
  /** One of them is there where nothing real is behind it: put in on request, or seen in a simulated rack. */
  readonly injected?: true;
  readonly simulated?: true;
  readonly events?: readonly EventDocument[];
}

/** Up to when GPU-hours are counted: of an open incident `nowMs`, its last revision where that is left out. */
export interface AsOf {
  readonly nowMs: number;
}

/** The incident without its events: those are documents of their own. */
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
    ...(incident.outlasted === undefined ? {} : { did_not_come_back_from: outlastedToDocument(incident.outlasted) }),
    chain: incident.chain.map(linkToDocument),
    ...(incident.feedPath === undefined ? {} : { feed_path: incident.feedPath }),
    impact: incident.impact.map((impact) => impactToDocument(impact, asOfMs)),
    action: incident.action,
    alternatives: incident.alternatives,
    ruled_out: incident.ruledOut,
    evidence: incident.evidence.map(evidenceToDocument),
    ...jobsOf(incident),
    ...(incident.stages === undefined ? {} : { stages: incident.stages.map(stageToDocument) }),
    trace_id: incident.traceId,
    merged_into: incident.mergedInto,
    log: incident.log,
    ...(incident.made === undefined ? {} : { [incident.made]: true as const }),
  };
}

/** The incident with its events inside: one document that is complete. */
export function wholeIncidentToDocument(incident: Incident, asOf?: AsOf): IncidentDocument {
  const events = incident.events.map((event) => eventToDocument(event, incident.host));
  return { ...incidentToDocument(incident, asOf), events };
}

/** A part of an earlier release has no code; one of a later release may have a code that is not known here. */
function partFrom(value: unknown): ConfidencePart {
  const from = read.fields(value);
  const code = isConfidenceCode(from.code) ? from.code : null;
  return { code, why: read.text(from.why), delta: read.number(from.delta) };
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
 * The incident that a document describes; null when anything that an incident needs is missing or of the wrong type.
 * Events come from the document where it holds them, else by id from `eventOf`; those that neither has are left out.
 */
export function incidentFromDocument(
  document: unknown,
  eventOf: (id: string) => FaultEvent | undefined = () => undefined,
): Incident | null {
  return read.orNull(() => {
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
      confidenceParts: read.list(from.confidence_parts, partFrom),
      pattern: read.textOrNull(from.pattern),
      rootKnown: from.root_known !== false,
      unconfirmed: from.confirmed === false ? (read.textOrNull(from.would_confirm ?? null) ?? '') : null,
      root: rootFrom(from.root),
      ...(from.did_not_come_back_from === undefined ? {} : { outlasted: outlastedFrom(from.did_not_come_back_from) }),
      chain,
      ...(from.feed_path === undefined ? {} : { feedPath: read.list(from.feed_path, read.text).slice(0, STATIONS) }),
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
      ...jobsFrom(from.jobs),
      ...(from.stages === undefined ? {} : { stages: read.list(from.stages, stageFrom).slice(0, MOST_STAGES) }),
      mergedInto: read.textOrNull(from.merged_into),
      traceId: read.name(from.trace_id),
      log: from.log === 'unavailable' ? 'unavailable' : 'written',
      ...(made === undefined ? {} : { made }),
    };
  });
}

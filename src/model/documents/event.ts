// Event document: `faultline/event/1` as users script against it, written and read.

import type { Component } from '../component.ts';
import type { Attributes, AttributeValue, FaultEvent, Trust } from '../event.ts';
import type { Kind } from '../kind.ts';
import { SEVERITIES, type Severity } from '../severity.ts';
import { type EvidenceDocument, evidenceFrom, evidenceToDocument } from './evidence.ts';
import * as read from './fields.ts';
import { computedTime, sourceTime } from './fields.ts';
import { jobsFrom, jobsOf, type WhoseDocument } from './whose.ts';

export const EVENT_SCHEMA = 'faultline/event/1';

const TRUSTS: readonly Trust[] = ['kernel', 'driver', 'bmc', 'facility', 'system', 'tenant'];

/** `faultline/event/1`. Times are RFC 3339 UTC, quantities SI, absent is null. */
export interface EventDocument {
  readonly schema: typeof EVENT_SCHEMA;
  readonly id: string;
  readonly host: string;
  readonly kind: Kind;
  readonly component: Component | null;
  readonly severity: Severity;
  readonly time: string;
  readonly time_earliest: string;
  readonly time_latest: string;
  readonly observed_at: string;
  readonly trust: Trust;
  readonly state: FaultEvent['state'];
  readonly count: number;
  readonly source: string;
  readonly attributes: Attributes;
  readonly evidence: readonly EvidenceDocument[];
  /** The jobs that it hit, as they were when it happened; left out where none is known. */
  readonly jobs?: readonly WhoseDocument[];
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
    ...jobsOf(event),
  };
}

function attribute(value: unknown): AttributeValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  return read.number(value);
}

/** The event that a document describes; null when anything that an event needs is missing or of the wrong type. */
export function eventFromDocument(document: unknown): FaultEvent | null {
  return read.orNull(() => {
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
      ...jobsFrom(from.jobs),
    };
  });
}

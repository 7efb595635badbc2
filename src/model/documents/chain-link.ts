// Root and chain as an incident's document shows them: which event caused which.

import type { Component } from '../component.ts';
import type { ChainLink, Incident } from '../incident.ts';
import type { Kind } from '../kind.ts';
import { SEVERITIES, type Severity } from '../severity.ts';
import * as read from './fields.ts';
import { computedTime, sourceTime } from './fields.ts';

export interface RootDocument {
  readonly event_id: string;
  readonly kind: Kind;
  readonly component: Component | null;
}

export interface ChainLinkDocument extends RootDocument {
  readonly severity: Severity;
  readonly time: string;
  readonly time_earliest: string;
  readonly time_latest: string;
  readonly caused_by: readonly string[];
  readonly lag_ms: number | null;
  readonly confidence: number;
  readonly order_unknown: boolean;
}

export function linkToDocument(link: ChainLink): ChainLinkDocument {
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

export function rootFrom(value: unknown): Incident['root'] {
  const from = read.fields(value);
  const component = read.componentOrNull(from.component);
  return { eventId: read.name(from.event_id), kind: read.kind(from.kind), component };
}

export function linkFrom(value: unknown): ChainLink {
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

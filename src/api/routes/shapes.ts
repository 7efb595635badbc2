// Shapes: the JSON Schema of what answers are made of, as far as programs can count on it. Fields may be added to each.

import { COMPONENT_TYPES } from '../../model/component.ts';
import { SEVERITIES } from '../../model/severity.ts';

export const TEXT = { type: 'string' } as const;
export const TEXT_OR_NULL = { type: ['string', 'null'] } as const;
export const NUMBER = { type: 'number' } as const;
export const TIME = { type: 'string', format: 'date-time' } as const;
export const TIME_OR_NULL = { type: ['string', 'null'], format: 'date-time' } as const;
export const SEVERITY = { type: 'string', enum: SEVERITIES } as const;
export const COUNTS = { type: 'object', additionalProperties: { type: 'integer' } } as const;

/** An object with these fields, all of them there. */
export function object(properties: Readonly<Record<string, object>>, optional: Readonly<Record<string, object>> = {}) {
  return { type: 'object', required: Object.keys(properties), properties: { ...properties, ...optional } } as const;
}

export function listOf(items: object) {
  return { type: 'array', items } as const;
}

export function orNull(schema: object) {
  return { anyOf: [schema, { type: 'null' }] } as const;
}

/** A document of this kind: `faultline/<kind>/1`. */
export function document(kind: string, properties: Readonly<Record<string, object>>, optional = {}) {
  return object({ schema: { const: `faultline/${kind}/1` }, ...properties }, optional);
}

export const COMPONENT = object(
  { type: { type: 'string', enum: COMPONENT_TYPES }, id: TEXT },
  { host: TEXT, parent: TEXT, aliases: listOf(TEXT) },
);

const ATTRIBUTES = { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } } as const;

export const EVENT = document('event', {
  id: TEXT,
  host: TEXT,
  kind: TEXT,
  component: orNull(COMPONENT),
  severity: SEVERITY,
  time: TIME,
  observed_at: TIME,
  trust: TEXT,
  state: { type: 'string', enum: ['onset', 'clear', 'point'] },
  count: { type: 'integer', minimum: 1 },
  source: TEXT,
  attributes: ATTRIBUTES,
  evidence: listOf({ type: 'object' }),
});

export const INCIDENT = document(
  'incident',
  {
    id: TEXT,
    host: TEXT,
    state: { type: 'string', enum: ['open', 'resolved'] },
    revision: { type: 'integer', minimum: 1 },
    opened_at: TIME,
    updated_at: TIME,
    resolved_at: TIME_OR_NULL,
    title: TEXT,
    severity: SEVERITY,
    confidence: NUMBER,
    root: object({ event_id: TEXT, kind: TEXT, component: orNull(COMPONENT) }),
    chain: listOf({ type: 'object' }),
    impact: listOf({ type: 'object' }),
    action: object({ kind: TEXT, why: TEXT }),
    alternatives: listOf({ type: 'object' }),
    evidence: listOf({ type: 'object' }),
    trace_id: TEXT,
    merged_into: TEXT_OR_NULL,
  },
  { jobs: listOf({ type: 'object' }), acknowledged: orNull({ type: 'object' }), verdict: orNull({ type: 'object' }) },
);

export const ALERT = object(
  {
    id: TEXT,
    state: { type: 'string', enum: ['firing', 'resolved'] },
    kind: TEXT,
    component: orNull(COMPONENT),
    severity: SEVERITY,
    source: TEXT,
    trust: TEXT,
    starts_at: TIME,
    ends_at: TIME_OR_NULL,
    count: { type: 'integer' },
    attributes: ATTRIBUTES,
    incident: TEXT_OR_NULL,
    is_root: { type: 'boolean' },
  },
  { jobs: listOf({ type: 'object' }) },
);

export const NOTIFICATION = object({
  key: TEXT,
  at: TIME,
  channel: TEXT,
  what: TEXT,
  severity: SEVERITY,
  incident: TEXT_OR_NULL,
  reason: TEXT_OR_NULL,
  state: { type: 'string', enum: ['waiting', 'sent', 'refused', 'held'] },
  state_at: TIME,
  detail: TEXT_OR_NULL,
});

/** What a part of a list comes with. */
export const PAGED = { next_cursor: TEXT_OR_NULL, total: { type: 'integer' }, complete_since: TIME };

export const ERROR = document('error', { code: TEXT, message: TEXT });

// Trace: the ids of traces and spans, made from the incident's own, and the W3C text that carries them between programs.

import { stableId } from './identity.ts';

/** Where a span is, or would be: 32 and 16 lower-case hex digits, never all zeros. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether whoever began the trace keeps it. */
  readonly sampled: boolean;
}

/** The trace that every log line, span and export of an incident belongs to: 32 hex digits, the same for the same id. */
export function traceIdOf(incidentId: string): string {
  return [0, 1, 2]
    .map((part) => stableId('trace', incidentId, part))
    .join('')
    .slice(0, 32);
}

/**
 * Span id, 16 hex digits, never all zeros: `part` is an event id, a piece of our own work, or left out for the incident.
 * Made from the incident's id, so that a request that is sent again never brings a new one.
 */
export function spanIdOf(incidentId: string, part = ''): string {
  const digits = `${stableId('span', incidentId, part, 0)}${stableId('span', incidentId, part, 1)}`.slice(0, 16);
  return /^0+$/.test(digits) ? `${digits.slice(0, -1)}1` : digits;
}

/**
 * Whether a trace of this id is kept at this share, by its last 56 bits as W3C Trace Context level 2 takes them for
 * random: the same answer wherever it is asked.
 */
export function isSampled(traceId: string, ratio: number): boolean {
  if (ratio >= 1) return true;
  const bits = Number.parseInt(traceId.slice(-14, -1), 16); // 52 bits: what a float64 holds exactly
  return bits >= (1 - ratio) * 2 ** 52;
}

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.{0,200})?$/;

/**
 * Reads a `traceparent` header or TRACEPARENT variable as W3C Trace Context asks: versions to come by their first four
 * fields, version 00 by exactly these. Null for what is none; hostile input.
 */
export function parseTraceparent(text: unknown): TraceContext | null {
  const match = typeof text === 'string' ? TRACEPARENT.exec(text) : null;
  if (match === null) return null;
  const [, version = '', traceId = '', spanId = '', flags = '', more] = match;
  if (version === '00' && more !== undefined) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Version 00 of the same. */
export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${traceFlags(sampled)}`;
}

/** The flags as log lines carry them. */
export function traceFlags(sampled: boolean): '00' | '01' {
  return sampled ? '01' : '00';
}

/** What a JSON log line carries of the span that it belongs to, by the names of OpenTelemetry. */
export function logContext({ traceId, spanId, sampled }: TraceContext): Record<string, string> {
  return { trace_id: traceId, span_id: spanId, trace_flags: traceFlags(sampled) };
}

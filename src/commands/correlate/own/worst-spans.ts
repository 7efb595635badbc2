// Worst spans: the requests of a slow spell that failed or took longest, so that its incident leads to their traces.

import type { Evidence } from '../../../model/event.ts';
import { formatTraceparent } from '../../../model/trace.ts';
import type { Span } from '../records.ts';
import type { SlowSpell } from './slow-spells.ts';

const MOST = 5;
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/;

/** Of the spell's service, from its last good reading on; worst first. */
export function worstSpans(spans: readonly Span[], { service, lastGoodS, lastS }: SlowSpell): Span[] {
  return spans
    .filter((each) => each.service === service && each.at > lastGoodS && each.at <= lastS)
    .sort((a, b) => Number(b.failed) - Number(a.failed) || b.durationMs - a.durationMs)
    .slice(0, MOST);
}

/** Those whose ids are W3C's, as traceparents with spaces between; empty for none. */
export function traceparentsOf(spans: readonly Span[]): string {
  return spans
    .filter(({ traceId, spanId }) => TRACE_ID.test(traceId) && SPAN_ID.test(spanId))
    .map(({ traceId, spanId }) => formatTraceparent({ traceId, spanId, sampled: true }))
    .join(' ');
}

export function spanEvidence({ at, operation, durationMs, failed, traceId, spanId, node, gpu }: Span): Evidence {
  const places = [node, gpu].filter((place) => place !== null).map((place) => ` on ${place}`);
  const text = `${operation} took ${durationMs} ms${failed ? ' and failed' : ''}${places.join('')} (trace ${traceId}, span ${spanId})`;
  return { source: 'otel_traces', timeMs: at * 1000, text };
}

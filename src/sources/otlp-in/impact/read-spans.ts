// Read spans: which spans are requests to a service, how long they took, and whether they failed.

import { formatTraceparent } from '../../../model/trace.ts';
import type { Span } from '../wire/shapes.ts';
import type { Requests } from './service-load.ts';

/** SpanKind of OTLP. */
const SERVER = 2;
const CONSUMER = 5;
const ERROR = 2;
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/;

/**
 * Where a service is entered: spans of servers and consumers, and of its own those without a parent. Null for all others, text
 * for what is not a span.
 */
export function requestOf(span: Span): Requests | string | null {
  const { traceId = '', spanId = '', startTimeUnixNano: startMs, endTimeUnixNano: endMs, kind = 0 } = span;
  if (!TRACE_ID.test(traceId)) return `trace_id has ${traceId.length / 2} bytes or is all zeros; it must have 16`;
  if (!SPAN_ID.test(spanId)) return `span_id has ${spanId.length / 2} bytes or is all zeros; it must have 8`;
  if (startMs === undefined || endMs === undefined || endMs < startMs)
    return 'end_time_unix_nano is before start_time_unix_nano, or one of them is missing';
  const isEntry = kind === SERVER || kind === CONSUMER || (span.parentSpanId ?? '') === '';
  if (!isEntry) return null;
  return {
    endMs,
    durationMs: endMs - startMs,
    count: 1,
    isError: span.status?.code === ERROR,
    traceparent: formatTraceparent({ traceId, spanId, sampled: true }),
  };
}

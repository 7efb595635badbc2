// Shapes: the requests of OTLP (opentelemetry-proto 1.x, stable), as far as they are read.

import { type MessageOf, many, one, type Shape, shape } from './shape.ts';

/** AnyValue nests in itself; arrays and lists are there for log bodies. */
export const ANY_VALUE = shape({
  stringValue: one(1, 'string'),
  boolValue: one(2, 'bool'),
  intValue: one(3, 'int'),
  doubleValue: one(4, 'double'),
  arrayValue: one(5, (): Shape => ARRAY_VALUE),
  kvlistValue: one(6, (): Shape => KEY_VALUES),
  bytesValue: one(7, 'bytes'),
});
const ARRAY_VALUE = shape({ values: many(1, ANY_VALUE) });
const KEY_VALUE = shape({ key: one(1, 'string'), value: one(2, ANY_VALUE) });
const KEY_VALUES = shape({ values: many(1, KEY_VALUE) });
const RESOURCE = shape({ attributes: many(1, KEY_VALUE) });
const SCOPE = shape({ name: one(1, 'string'), version: one(2, 'string') });

const STATUS = shape({ message: one(2, 'string'), code: one(3, 'uint') });
/** Attributes of spans are many, and none of them is needed. */
const SPAN = shape({
  traceId: one(1, 'id'),
  spanId: one(2, 'id'),
  parentSpanId: one(4, 'id'),
  name: one(5, 'string'),
  kind: one(6, 'uint'),
  startTimeUnixNano: one(7, 'time'),
  endTimeUnixNano: one(8, 'time'),
  status: one(15, STATUS),
});
export const TRACES = shape({
  resourceSpans: many(1, shape({ resource: one(1, RESOURCE), scopeSpans: many(2, shape({ spans: many(2, SPAN) })) })),
});

const EXEMPLAR = shape({
  timeUnixNano: one(2, 'time'),
  asDouble: one(3, 'double'),
  spanId: one(4, 'id'),
  traceId: one(5, 'id'),
  asInt: one(6, 'sfixed64'),
});
const NUMBER_POINT = shape({
  startTimeUnixNano: one(2, 'time'),
  timeUnixNano: one(3, 'time'),
  asDouble: one(4, 'double'),
  asInt: one(6, 'sfixed64'),
  attributes: many(7, KEY_VALUE),
  flags: one(8, 'uint'),
});
const HISTOGRAM_POINT = shape({
  startTimeUnixNano: one(2, 'time'),
  timeUnixNano: one(3, 'time'),
  count: one(4, 'fixed64'),
  sum: one(5, 'double'),
  bucketCounts: one(6, 'fixed64s'),
  explicitBounds: one(7, 'doubles'),
  exemplars: many(8, EXEMPLAR),
  attributes: many(9, KEY_VALUE),
  flags: one(10, 'uint'),
});
const BUCKETS = shape({ offset: one(1, 'sint'), bucketCounts: one(2, 'uints') });
const EXPONENTIAL_POINT = shape({
  attributes: many(1, KEY_VALUE),
  startTimeUnixNano: one(2, 'time'),
  timeUnixNano: one(3, 'time'),
  count: one(4, 'fixed64'),
  sum: one(5, 'double'),
  scale: one(6, 'sint'),
  zeroCount: one(7, 'fixed64'),
  positive: one(8, BUCKETS),
  flags: one(10, 'uint'),
  exemplars: many(11, EXEMPLAR),
});
const METRIC = shape({
  name: one(1, 'string'),
  unit: one(3, 'string'),
  gauge: one(5, shape({ dataPoints: many(1, NUMBER_POINT) })),
  sum: one(
    7,
    shape({ dataPoints: many(1, NUMBER_POINT), aggregationTemporality: one(2, 'uint'), isMonotonic: one(3, 'bool') }),
  ),
  histogram: one(9, shape({ dataPoints: many(1, HISTOGRAM_POINT), aggregationTemporality: one(2, 'uint') })),
  exponentialHistogram: one(
    10,
    shape({ dataPoints: many(1, EXPONENTIAL_POINT), aggregationTemporality: one(2, 'uint') }),
  ),
});
export const METRICS = shape({
  resourceMetrics: many(
    1,
    shape({ resource: one(1, RESOURCE), scopeMetrics: many(2, shape({ metrics: many(2, METRIC) })) }),
  ),
});

const LOG_RECORD = shape({
  timeUnixNano: one(1, 'time'),
  severityNumber: one(2, 'uint'),
  severityText: one(3, 'string'),
  body: one(5, ANY_VALUE),
  attributes: many(6, KEY_VALUE),
  traceId: one(9, 'id'),
  spanId: one(10, 'id'),
  observedTimeUnixNano: one(11, 'time'),
  eventName: one(12, 'string'),
});
export const LOGS = shape({
  resourceLogs: many(
    1,
    shape({
      resource: one(1, RESOURCE),
      scopeLogs: many(2, shape({ scope: one(1, SCOPE), logRecords: many(2, LOG_RECORD) })),
    }),
  ),
});

type In<S> = S extends Shape<infer F> ? MessageOf<F> : never;
export type AnyValue = In<typeof ANY_VALUE>;
export type KeyValue = In<typeof KEY_VALUE>;
export type Resource = In<typeof RESOURCE>;
export type Span = In<typeof SPAN>;
export type Metric = In<typeof METRIC>;
export type NumberPoint = In<typeof NUMBER_POINT>;
export type HistogramPoint = In<typeof HISTOGRAM_POINT>;
export type ExponentialPoint = In<typeof EXPONENTIAL_POINT>;
export type Exemplar = In<typeof EXEMPLAR>;
export type LogRecord = In<typeof LOG_RECORD>;
export type TracesRequest = In<typeof TRACES>;
export type MetricsRequest = In<typeof METRICS>;
export type LogsRequest = In<typeof LOGS>;

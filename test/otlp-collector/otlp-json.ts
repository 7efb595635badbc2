// Reads what the collector wrote: OTLP's own JSON, by the collector's own marshaler, in the shapes that the tests compare.

import type { Fields, LogRecord, Point, Span } from '../sinks/otlp/otlp-proto.ts';

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}; // JSON objects are Fields
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Milliseconds with three decimals, as far as a number holds epoch times. */
function ms(nanos: unknown): number {
  return Number(BigInt(text(nanos) || '0') / 1000n) / 1000;
}

function plain(value: unknown): unknown {
  const { stringValue, intValue, doubleValue, boolValue, arrayValue } = fields(value);
  if (arrayValue !== undefined) return list(fields(arrayValue).values).map(plain);
  if (intValue !== undefined) return Number(intValue);
  return stringValue ?? doubleValue ?? boolValue ?? null;
}

function attributesOf(of: Fields): Fields {
  const pairs = list(of.attributes).map((pair) => [text(pair.key), plain(pair.value)] as const);
  if (new Set(pairs.map(([key]) => key)).size !== pairs.length) throw new Error('an attribute comes twice');
  return Object.fromEntries(pairs);
}

/** The items of one line: `resources` and `scopes` name the two levels above them. */
function items(line: Fields, resources: string, scopes: string, name: string): Fields[] {
  return list(line[resources]).flatMap((resource) => list(resource[scopes]).flatMap((scope) => list(scope[name])));
}

/** Attributes of every resource in the line, whatever its signal. */
export function resourcesOf(line: Fields): Fields[] {
  const all = [line.resourceMetrics, line.resourceLogs, line.resourceSpans].flatMap(list);
  return all.map((one) => attributesOf(fields(one.resource)));
}

/** Points of gauges and sums; histograms are the daemon's own and have no series behind them. */
export function pointsOf(line: Fields): Point[] {
  return items(line, 'resourceMetrics', 'scopeMetrics', 'metrics').flatMap((metric) => {
    const sum = metric.sum === undefined ? null : fields(metric.sum);
    if (sum !== null && sum.aggregationTemporality !== 2) throw new Error(`${text(metric.name)} is not cumulative`);
    const is = sum === null ? 'gauge' : sum.isMonotonic === true ? 'counter' : 'updowncounter';
    return list((sum ?? fields(metric.gauge)).dataPoints).map((point) => ({
      metric: text(metric.name),
      unit: text(metric.unit),
      is: is as Point['is'], // one of its three words
      attributes: attributesOf(point),
      timeMs: ms(point.timeUnixNano),
      startMs: ms(point.startTimeUnixNano),
      value: Number(point.asDouble ?? point.asInt),
      stale: Number(point.flags ?? 0) === 1,
    }));
  });
}

export function recordsOf(line: Fields): LogRecord[] {
  return items(line, 'resourceLogs', 'scopeLogs', 'logRecords').map((record) => ({
    eventName: text(record.eventName),
    severity: Number(record.severityNumber ?? 0),
    timeMs: ms(record.timeUnixNano),
    observedMs: ms(record.observedTimeUnixNano),
    traceId: text(record.traceId),
    spanId: text(record.spanId),
    flags: Number(record.flags ?? 0),
    body: plain(record.body),
    attributes: attributesOf(record),
  }));
}

export function spansOf(line: Fields): Span[] {
  return items(line, 'resourceSpans', 'scopeSpans', 'spans').map((span) => {
    const status = fields(span.status);
    return {
      traceId: text(span.traceId),
      spanId: text(span.spanId),
      parentId: text(span.parentSpanId),
      name: text(span.name),
      startMs: ms(span.startTimeUnixNano),
      endMs: ms(span.endTimeUnixNano),
      error: status.code === 2 ? text(status.message) : null,
      attributes: attributesOf(span),
      links: list(span.links).map((link) => ({
        traceId: text(link.traceId),
        spanId: text(link.spanId),
        relation: attributesOf(link)['faultline.link.relation'],
      })),
    };
  });
}

// OTLP's messages as far as these tests read them, decoded by protobufjs: a reader that shares nothing with the writer.

import protobuf from 'protobufjs';

const PROTO = `
syntax = "proto3";
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
  ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7; } }
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message InstrumentationScope { string name = 1; string version = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }

message NumberDataPoint { reserved 1; repeated KeyValue attributes = 7; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3;
  oneof value { double as_double = 4; sfixed64 as_int = 6; } uint32 flags = 8; }
message Gauge { repeated NumberDataPoint data_points = 1; }
message Sum { repeated NumberDataPoint data_points = 1; uint32 aggregation_temporality = 2; bool is_monotonic = 3; }
message Metric { string name = 1; string description = 2; string unit = 3; oneof data { Gauge gauge = 5; Sum sum = 7; } }
message ScopeMetrics { InstrumentationScope scope = 1; repeated Metric metrics = 2; string schema_url = 3; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; string schema_url = 3; }
message MetricsRequest { repeated ResourceMetrics resource_metrics = 1; }

message LogRecord { fixed64 time_unix_nano = 1; fixed64 observed_time_unix_nano = 11; uint32 severity_number = 2; string severity_text = 3;
  AnyValue body = 5; repeated KeyValue attributes = 6; uint32 dropped_attributes_count = 7; fixed32 flags = 8; bytes trace_id = 9;
  bytes span_id = 10; string event_name = 12; }
message ScopeLogs { InstrumentationScope scope = 1; repeated LogRecord log_records = 2; string schema_url = 3; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; string schema_url = 3; }
message LogsRequest { repeated ResourceLogs resource_logs = 1; }

message Link { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4; uint32 dropped_attributes_count = 5; fixed32 flags = 6; }
message Status { string message = 2; uint32 code = 3; }
message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4; }
message Span { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5; uint32 kind = 6;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; uint32 dropped_attributes_count = 10;
  repeated Event events = 11; uint32 dropped_events_count = 12; repeated Link links = 13; uint32 dropped_links_count = 14; Status status = 15; fixed32 flags = 16; }
message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message TracesRequest { repeated ResourceSpans resource_spans = 1; }

message PartialSuccess { int64 rejected = 1; string error_message = 2; }
message Response { PartialSuccess partial_success = 1; }
message Duration { int64 seconds = 1; int32 nanos = 2; }
message RetryInfo { Duration retry_delay = 1; }
message Any { string type_url = 1; bytes value = 2; }
message RpcStatus { int32 code = 1; string message = 2; repeated Any details = 3; }
`;

const { root } = protobuf.parse(PROTO, { keepCase: false });
const OPTIONS = { longs: String, bytes: String, defaults: false, arrays: true, oneofs: true } as const;

export type Fields = Record<string, unknown>;

export function encode(type: 'Response' | 'RetryInfo' | 'RpcStatus', value: Fields): Buffer {
  const message = root.lookupType(type);
  return Buffer.from(message.encode(message.fromObject(value)).finish());
}

function decode(type: string, bytes: Uint8Array): Fields {
  const message = root.lookupType(type);
  return message.toObject(message.decode(bytes), OPTIONS);
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value : [];
}

function plain(value: unknown): unknown {
  const fields = (value ?? {}) as Fields; // protobufjs gives objects for messages
  if (fields.arrayValue !== undefined) return list((fields.arrayValue as Fields).values).map(plain);
  if (fields.intValue !== undefined) return Number(fields.intValue);
  return fields.stringValue ?? fields.doubleValue ?? fields.boolValue ?? null;
}

/** Attributes as an object; throws when a key comes twice. */
export function attributesOf(of: Fields): Fields {
  const pairs = list(of.attributes).map((pair) => [String(pair.key), plain(pair.value)] as const);
  if (new Set(pairs.map(([key]) => key)).size !== pairs.length) throw new Error('an attribute comes twice');
  return Object.fromEntries(pairs);
}

function hex(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : '', 'base64').toString('hex');
}

const ms = (nanos: unknown): number => Number(BigInt(String(nanos ?? 0)) / 1000n) / 1000;

export interface Point {
  readonly metric: string;
  readonly unit: string;
  readonly is: 'gauge' | 'counter' | 'updowncounter';
  readonly attributes: Fields;
  readonly timeMs: number;
  readonly startMs: number;
  readonly value: number;
  /** It says that there is no value any more. */
  readonly stale: boolean;
}

export function readMetrics(bytes: Uint8Array): { resource: Fields; points: Point[] } {
  const [first] = list(decode('MetricsRequest', bytes).resourceMetrics);
  const points = list(first?.scopeMetrics).flatMap((scope) =>
    list(scope.metrics).flatMap((metric) => {
      const sum = metric.sum as Fields | undefined;
      const is = sum === undefined ? 'gauge' : sum.isMonotonic === true ? 'counter' : 'updowncounter';
      return list((sum ?? (metric.gauge as Fields | undefined))?.dataPoints).map((point) => ({
        metric: String(metric.name),
        unit: String(metric.unit ?? ''),
        is: is as Point['is'],
        attributes: attributesOf(point),
        timeMs: ms(point.timeUnixNano),
        startMs: ms(point.startTimeUnixNano),
        value: Number(point.asDouble ?? point.asInt),
        stale: Number(point.flags ?? 0) === 1,
      }));
    }),
  );
  return { resource: attributesOf((first?.resource ?? {}) as Fields), points };
}

export interface LogRecord {
  readonly eventName: string;
  readonly severity: number;
  readonly timeMs: number;
  readonly observedMs: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
  readonly body: unknown;
  readonly attributes: Fields;
}

export function readLogs(bytes: Uint8Array): { resource: Fields; records: LogRecord[] } {
  const [first] = list(decode('LogsRequest', bytes).resourceLogs);
  const records = list(first?.scopeLogs).flatMap((scope) =>
    list(scope.logRecords).map((record) => ({
      eventName: String(record.eventName ?? ''),
      severity: Number(record.severityNumber ?? 0),
      timeMs: ms(record.timeUnixNano),
      observedMs: ms(record.observedTimeUnixNano),
      traceId: hex(record.traceId),
      spanId: hex(record.spanId),
      flags: Number(record.flags ?? 0),
      body: plain(record.body),
      attributes: attributesOf(record),
    })),
  );
  return { resource: attributesOf((first?.resource ?? {}) as Fields), records };
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly error: string | null;
  readonly attributes: Fields;
  readonly links: readonly { readonly traceId: string; readonly spanId: string; readonly relation: unknown }[];
}

export function readTraces(bytes: Uint8Array): { resource: Fields; spans: Span[] } {
  const [first] = list(decode('TracesRequest', bytes).resourceSpans);
  const spans = list(first?.scopeSpans).flatMap((scope) =>
    list(scope.spans).map((span) => {
      const status = (span.status ?? {}) as Fields;
      return {
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentId: hex(span.parentSpanId),
        name: String(span.name),
        startMs: ms(span.startTimeUnixNano),
        endMs: ms(span.endTimeUnixNano),
        error: status.code === 2 ? String(status.message) : null,
        attributes: attributesOf(span),
        links: list(span.links).map((link) => ({
          traceId: hex(link.traceId),
          spanId: hex(link.spanId),
          relation: attributesOf(link)['faultline.link.relation'],
        })),
      };
    }),
  );
  return { resource: attributesOf((first?.resource ?? {}) as Fields), spans };
}

// Fields: takes one record of a file apart; each function throws an Error that says what is wrong with it.

import { type DeviceEvent, type Mapping, SEVERITIES, SOURCES, type Span, TYPES } from './records.ts';
import type { SeriesMaker } from './series.ts';
import { timeOf } from './time-text.ts';

type Raw = Readonly<Record<string, unknown>>;

export function eventOf(value: unknown): DeviceEvent {
  const raw = rawOf(value);
  return {
    id: text(raw.id, 'id'),
    at: time(raw.timestamp, 'timestamp'),
    source: oneOf(raw.source, 'source', SOURCES),
    type: oneOf(raw.type, 'type', TYPES),
    severity: oneOf(raw.severity, 'severity', SEVERITIES),
    device: text(raw.device_id, 'device_id'),
    message: text(raw.raw_message, 'raw_message'),
    // PowerTrace refuses an explicit null, and so does its scorer here.
    metadata: raw.metadata === undefined ? {} : rawOf(raw.metadata, 'metadata'),
  };
}

/** Takes a reading into the series of its service. */
export function takePoint(value: unknown, series: SeriesMaker): void {
  const raw = rawOf(value);
  const p50 = number(raw.p50_latency_ms, 'p50_latency_ms');
  const p95 = number(raw.p95_latency_ms, 'p95_latency_ms');
  const service = text(raw.service_name, 'service_name');
  const at = time(raw.timestamp, 'timestamp');
  const p99 = number(raw.p99_latency_ms, 'p99_latency_ms');
  const errorRate = number(raw.error_rate_percent, 'error_rate_percent');
  const throughput = number(raw.throughput_rps, 'throughput_rps');
  series.add(service, at, p50, p95, p99, errorRate, throughput, optionalText(raw.node_id, 'node_id'));
}

/** Attributes that name where a request was served; the first that a span has counts. */
const NODE = ['node.id', 'host.name', 'host.id', 'k8s.node.name'];
const GPU = ['gpu.id', 'gpu.uuid'];

export function spanOf(value: unknown): Span {
  const raw = rawOf(value);
  const attributes = rawOf(raw.attributes, 'attributes');
  const named = (names: readonly string[]): string | null => {
    const name = names.map((each) => attributes[each]).find((each) => typeof each === 'string' && each !== '');
    return typeof name === 'string' ? name : null;
  };
  return {
    traceId: text(raw.trace_id, 'trace_id'),
    spanId: text(raw.span_id, 'span_id'),
    service: text(raw.service_name, 'service_name'),
    operation: text(raw.operation, 'operation'),
    at: time(raw.start_time, 'start_time'),
    durationMs: number(raw.duration_ms, 'duration_ms'),
    failed: /error/i.test(text(raw.status, 'status')),
    node: named(NODE),
    gpu: named(GPU),
  };
}

export function mappingOf(value: unknown): Mapping {
  const raw = rawOf(value);
  return {
    device: text(raw.physical_device_id, 'physical_device_id'),
    instance: optionalText(raw.cloud_instance_id, 'cloud_instance_id'),
    node: optionalText(raw.kubernetes_node, 'kubernetes_node'),
    gpus: texts(raw.gpus, 'gpus') ?? [],
    services: texts(raw.services, 'services') ?? [],
    feeds: texts(raw.feeds, 'feeds'),
    parent: optionalText(raw.parent_device_id, 'parent_device_id'),
    gpuUuid: optionalText(raw.gpu_uuid, 'gpu_uuid'),
    rack: optionalText(raw.rack_id, 'rack_id'),
    assetTag: optionalText(raw.asset_tag, 'asset_tag'),
    address: optionalText(raw.ip_address, 'ip_address'),
  };
}

function rawOf(value: unknown, what = 'the record'): Raw {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Raw;
  throw new Error(`${what} is ${shown(value)}, an object is wanted`);
}

function text(value: unknown, key: string): string {
  if (typeof value === 'string') return value;
  throw new Error(`${key} is ${shown(value)}, a string is wanted`);
}

function optionalText(value: unknown, key: string): string | null {
  return value === undefined || value === null || value === '' ? null : text(value, key);
}

function texts(value: unknown, key: string): string[] | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new Error(`${key} is ${shown(value)}, a list of strings is wanted`);
}

/** Numbers come as strings too, "nan" among them. */
function number(value: unknown, key: string): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'string') {
    const word = value.trim().toLowerCase();
    if (/^[+-]?nan$/.test(word)) return Number.NaN;
    const infinite = /^([+-]?)inf(?:inity)?$/.exec(word);
    if (infinite !== null) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/.test(word)) return Number(word);
  }
  throw new Error(`${key} is ${shown(value)}, a number is wanted`);
}

function oneOf<T extends string>(value: unknown, key: string, words: readonly T[]): T {
  const given = text(value, key);
  const word = words.find((each) => each === given);
  if (word !== undefined) return word;
  throw new Error(`${key} is ${shown(value)}, one of ${words.join(', ')} is wanted`);
}

function time(value: unknown, key: string): number {
  const at = timeOf(text(value, key));
  if (!Number.isNaN(at)) return at;
  throw new Error(`${key} is ${shown(value)}, ISO 8601 with a zone is wanted: 2024-01-15T14:32:01Z`);
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 80);
}

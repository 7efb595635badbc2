// Fields: takes one record of a file apart; each function throws an Error that says what is wrong with it.

import { type DeviceEvent, type Mapping, SEVERITIES, type ServicePoint, SOURCES, type Span, TYPES } from './records.ts';

type Raw = Readonly<Record<string, unknown>>;

export function eventOf(value: unknown): DeviceEvent {
  const raw = rawOf(value);
  return {
    id: text(raw, 'id'),
    at: time(raw, 'timestamp'),
    source: oneOf(raw, 'source', SOURCES),
    type: oneOf(raw, 'type', TYPES),
    severity: oneOf(raw, 'severity', SEVERITIES),
    device: text(raw, 'device_id'),
    message: text(raw, 'raw_message'),
    // PowerTrace refuses an explicit null, and so does its scorer here.
    metadata: raw.metadata === undefined ? {} : rawOf(raw.metadata, 'metadata'),
  };
}

export function pointOf(value: unknown): ServicePoint {
  const raw = rawOf(value);
  return {
    p50: number(raw, 'p50_latency_ms'),
    p95: number(raw, 'p95_latency_ms'),
    service: text(raw, 'service_name'),
    at: time(raw, 'timestamp'),
    p99: number(raw, 'p99_latency_ms'),
    errorRate: number(raw, 'error_rate_percent'),
    throughput: number(raw, 'throughput_rps'),
    node: optionalText(raw, 'node_id'),
  };
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
    traceId: text(raw, 'trace_id'),
    spanId: text(raw, 'span_id'),
    service: text(raw, 'service_name'),
    operation: text(raw, 'operation'),
    at: time(raw, 'start_time'),
    durationMs: number(raw, 'duration_ms'),
    failed: /error/i.test(text(raw, 'status')),
    node: named(NODE),
    gpu: named(GPU),
  };
}

export function mappingOf(value: unknown): Mapping {
  const raw = rawOf(value);
  return {
    device: text(raw, 'physical_device_id'),
    instance: optionalText(raw, 'cloud_instance_id'),
    node: optionalText(raw, 'kubernetes_node'),
    gpus: texts(raw, 'gpus') ?? [],
    services: texts(raw, 'services') ?? [],
    feeds: texts(raw, 'feeds'),
    parent: optionalText(raw, 'parent_device_id'),
    gpuUuid: optionalText(raw, 'gpu_uuid'),
    rack: optionalText(raw, 'rack_id'),
    assetTag: optionalText(raw, 'asset_tag'),
    address: optionalText(raw, 'ip_address'),
  };
}

function rawOf(value: unknown, what = 'the record'): Raw {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Raw;
  throw new Error(`${what} is ${shown(value)}, an object is wanted`);
}

function text(raw: Raw, key: string): string {
  const value = raw[key];
  if (typeof value === 'string') return value;
  throw new Error(`${key} is ${shown(value)}, a string is wanted`);
}

function optionalText(raw: Raw, key: string): string | null {
  const value = raw[key] ?? null;
  return value === null || value === '' ? null : text(raw, key);
}

function texts(raw: Raw, key: string): string[] | null {
  const value = raw[key] ?? null;
  if (value === null) return null;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new Error(`${key} is ${shown(value)}, a list of strings is wanted`);
}

/** Numbers come as strings too, "nan" among them. */
function number(raw: Raw, key: string): number {
  const value = raw[key];
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

function oneOf<T extends string>(raw: Raw, key: string, words: readonly T[]): T {
  const value = text(raw, key);
  const word = words.find((each) => each === value);
  if (word !== undefined) return word;
  throw new Error(`${key} is ${shown(value)}, one of ${words.join(', ')} is wanted`);
}

const TIME =
  /^(\d{4}-\d\d-\d\d)[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d(?::?\d\d)?)$/;

function time(raw: Raw, key: string): number {
  const value = text(raw, key);
  const parts = TIME.exec(value);
  const startMs = dayMs(parts?.[1] ?? '');
  if (parts === null || Number.isNaN(startMs)) {
    throw new Error(`${key} is ${shown(value)}, ISO 8601 with a zone is wanted: 2024-01-15T14:32:01Z`);
  }
  const clockS = Number(parts[2]) * 3600 + Number(parts[3]) * 60 + Number(parts[4] ?? 0);
  const micros = Number((parts[5] ?? '').slice(0, 6).padEnd(6, '0'));
  return ((startMs / 1000 + clockS - offsetS(parts[6] ?? 'Z')) * 1e6 + micros) / 1e6;
}

/** The day that was asked for last: readings come by the thousand for each. */
let lastDay = { text: '', ms: Number.NaN };

/** When a day begins in UTC, ms since 1970; NaN where there is no such day, which some parsers take for one of the next month. */
function dayMs(text: string): number {
  if (text !== lastDay.text) {
    const ms = Date.parse(text);
    const exists = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
    lastDay = { text, ms: exists ? ms : Number.NaN };
  }
  return lastDay.ms;
}

function offsetS(zone: string): number {
  if (zone === 'Z') return 0;
  const [hours = 0, minutes = 0, seconds = 0] = (zone.slice(1).replaceAll(':', '').match(/\d\d/g) ?? []).map(Number);
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 80);
}

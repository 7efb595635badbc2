// Metric encoder: points straight to the bytes of a request, the same ones as the OpenTelemetry serialiser's, without its objects.

import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import type { Metric } from '../../metric-table.ts';

export interface Point {
  /** Epoch ms. */
  readonly startMs: number;
  readonly endMs: number;
  /** The encoded form is kept as long as the object lives: series hand in the same one every time. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly value: number;
  /** The stream has no value any more. */
  readonly stale?: boolean;
}

export interface MetricPoints {
  readonly metric: Metric;
  readonly points: readonly Point[];
}

/** Two times and a double, each with its tag: what a NumberDataPoint (opentelemetry/proto/metrics/v1) has before attributes. */
const POINT_HEAD = 27;
/** Two times, and in place of the value the flag that there is none: DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK, field 8. */
const STALE_HEAD = 20;
const NO_VALUE = Uint8Array.of(8 * 8, 1);
/** What a Sum has after its points: cumulative temporality, and whether it only grows. */
const MONOTONIC = Uint8Array.of(2 * 8, 2, 3 * 8, 1);
const NOT_MONOTONIC = Uint8Array.of(2 * 8, 2);
const WORD = 2 ** 32;

export class MetricEncoder {
  /** ResourceMetrics with the resource and nothing else. */
  readonly #resource: Uint8Array;
  /** The scope's field of ScopeMetrics. */
  readonly #scope: Buffer;
  readonly #attributes = new WeakMap<object, Buffer>();
  readonly #heads = new Map<string, Buffer>();

  constructor(resource: Resource, scope: { readonly name: string; readonly version: string }) {
    const request = ProtobufMetricsSerializer.serializeRequest({ resource, scopeMetrics: [] }) ?? new Uint8Array(0);
    this.#resource = request.subarray(1 + varintBytes(request.length - 2));
    this.#scope = message(1, Buffer.concat([text(1, scope.name), text(2, scope.version)]));
  }

  encode(metrics: readonly MetricPoints[]): Uint8Array {
    const sized = metrics.map((each) => this.#size(each));
    const scopeBytes = this.#scope.length + sized.reduce((sum, { bytes }) => sum + framed(bytes), 0);
    const resourceBytes = this.#resource.length + framed(scopeBytes);
    const writer = new Writer(framed(resourceBytes));
    writer.open(1, resourceBytes);
    writer.bytes(this.#resource);
    writer.open(2, scopeBytes);
    writer.bytes(this.#scope);
    for (const { of, head, attributes, dataBytes, bytes } of sized) {
      const gauge = of.metric.instrument === 'gauge';
      writer.open(2, bytes);
      writer.bytes(head);
      writer.open(gauge ? 5 : 7, dataBytes);
      of.points.forEach((point, index) => {
        const own = attributes[index] ?? NO_BYTES;
        writer.open(1, headBytes(point) + own.length);
        writer.point(point);
        writer.bytes(own);
      });
      if (!gauge) writer.sum(of.metric.instrument === 'counter');
    }
    return writer.buffer;
  }

  #size(of: MetricPoints): { of: MetricPoints; head: Buffer; attributes: Buffer[]; dataBytes: number; bytes: number } {
    const head = this.#head(of.metric);
    const attributes = of.points.map((point) => this.#encoded(point.attributes));
    const { instrument } = of.metric;
    let dataBytes = instrument === 'gauge' ? 0 : instrument === 'counter' ? 4 : 2;
    for (const [index, point] of of.points.entries())
      dataBytes += framed(headBytes(point) + (attributes[index] ?? NO_BYTES).length);
    return { of, head, attributes, dataBytes, bytes: head.length + framed(dataBytes) };
  }

  #head({ name, description, unit }: Metric): Buffer {
    const known = this.#heads.get(name);
    if (known !== undefined) return known;
    const fields = [
      text(1, name),
      ...(description === '' ? [] : [text(2, description)]),
      ...(unit === '' ? [] : [text(3, unit)]),
    ];
    const head = Buffer.concat(fields);
    if (this.#heads.size < 1024) this.#heads.set(name, head);
    return head;
  }

  #encoded(attributes: Readonly<Record<string, string>>): Buffer {
    const known = this.#attributes.get(attributes);
    if (known !== undefined) return known;
    const pairs = Object.entries(attributes).map(([key, value]) =>
      message(7, Buffer.concat([text(1, key), message(2, text(1, value))])),
    );
    const encoded = Buffer.concat(pairs);
    this.#attributes.set(attributes, encoded);
    return encoded;
  }
}

const NO_BYTES = Buffer.alloc(0);

function headBytes({ stale }: Point): number {
  return stale === true ? STALE_HEAD : POINT_HEAD;
}

/** Bytes of a varint that holds a length. */
function varintBytes(length: number): number {
  return length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : length < 0x1000_0000 ? 4 : 5;
}

/** Bytes of a message inside another: tag, length, content. */
function framed(length: number): number {
  return 1 + varintBytes(length) + length;
}

function message(field: number, content: Buffer): Buffer {
  const writer = new Writer(framed(content.length));
  writer.open(field, content.length);
  writer.bytes(content);
  return writer.buffer;
}

function text(field: number, content: string): Buffer {
  return message(field, Buffer.from(content, 'utf8'));
}

class Writer {
  readonly buffer: Buffer;
  readonly #view: DataView;
  #at = 0;

  constructor(length: number) {
    this.buffer = Buffer.allocUnsafeSlow(length);
    this.#view = new DataView(this.buffer.buffer, this.buffer.byteOffset, length);
  }

  /** Tag (fields up to 15, length-delimited) and length of what follows. */
  open(field: number, length: number): void {
    this.buffer[this.#at++] = field * 8 + 2;
    let rest = length;
    while (rest > 0x7f) {
      this.buffer[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.buffer[this.#at++] = rest;
  }

  bytes(content: Uint8Array): void {
    this.buffer.set(content, this.#at);
    this.#at += content.length;
  }

  point({ startMs, endMs, value, stale }: Point): void {
    this.#time(2, startMs);
    this.#time(3, endMs);
    if (stale === true) {
      this.bytes(NO_VALUE);
      return;
    }
    this.buffer[this.#at] = 4 * 8 + 1;
    this.#view.setFloat64(this.#at + 1, value, true);
    this.#at += 9;
  }

  sum(monotonic: boolean): void {
    this.bytes(monotonic ? MONOTONIC : NOT_MONOTONIC);
  }

  /** Nanoseconds as fixed64: 1e9 seconds times 1e9 do not fit a double, so the seconds go in two halves. */
  #time(field: number, epochMs: number): void {
    let seconds = Math.floor(epochMs / 1000);
    let nanos = Math.round((epochMs - seconds * 1000) * 1e6);
    if (nanos >= 1e9) {
      seconds += 1;
      nanos = 0;
    }
    const upper = Math.floor(seconds / 65_536) * 1e9;
    const rest = (upper % 65_536) * 65_536 + (seconds % 65_536) * 1e9 + nanos;
    this.buffer[this.#at] = field * 8 + 1;
    this.#view.setUint32(this.#at + 1, rest % WORD, true);
    this.#view.setUint32(this.#at + 5, Math.floor(upper / 65_536) + Math.floor(rest / WORD), true);
    this.#at += 9;
  }
}

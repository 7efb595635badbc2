// Metric encoder: points straight to the bytes of a request, the same ones as the OpenTelemetry serialiser's, without its objects.

import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import type { Metric } from '../../metric-table.ts';
import { type Point, PointBlock } from './point-block.ts';
import { framed, message, text, varintBytes, Writer } from './protobuf-writer.ts';

export interface MetricPoints {
  readonly metric: Metric;
  readonly points: readonly Point[];
}

/** What a Sum has after its points: cumulative temporality, and whether it only grows. */
const MONOTONIC = Uint8Array.of(2 * 8, 2, 3 * 8, 1);
const NOT_MONOTONIC = Uint8Array.of(2 * 8, 2);
/** Metrics whose points are kept encoded; the names of series are bounded already. */
const MOST_BLOCKS = 1024;

interface Sized {
  readonly instrument: Metric['instrument'];
  readonly head: string;
  readonly points: Uint8Array;
  readonly tail: Uint8Array;
  readonly bytes: number;
}

const NO_BYTES = new Uint8Array(0);

export class MetricEncoder {
  /** ResourceMetrics with the resource and nothing else. */
  readonly #resource: Uint8Array;
  /** The scope's field of ScopeMetrics. */
  readonly #scope: Buffer;
  /** What is kept is text, a byte a letter: a small buffer would keep the 64 KiB that it was cut from. */
  readonly #attributes = new WeakMap<object, string>();
  readonly #heads = new Map<string, string>();
  readonly #blocks = new Map<string, PointBlock>();

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
    for (const { instrument, head, points, tail, bytes } of sized) {
      writer.open(2, bytes);
      writer.latin1(head);
      writer.open(instrument === 'gauge' ? 5 : 7, points.length + tail.length);
      writer.bytes(points);
      writer.bytes(tail);
    }
    return writer.buffer;
  }

  #size({ metric, points }: MetricPoints): Sized {
    const { instrument } = metric;
    const head = this.#head(metric);
    const tail = instrument === 'gauge' ? NO_BYTES : instrument === 'counter' ? MONOTONIC : NOT_MONOTONIC;
    const encoded = this.#points(metric.name, points);
    return { instrument, head, points: encoded, tail, bytes: head.length + framed(encoded.length + tail.length) };
  }

  /** Valid until the next call for the same metric. */
  #points(name: string, points: readonly Point[]): Uint8Array {
    const known = this.#blocks.get(name);
    if (known?.holds(points) === true) return known.with(points);
    const block = new PointBlock(points, (attributes) => this.#encoded(attributes));
    if (known !== undefined || this.#blocks.size < MOST_BLOCKS) this.#blocks.set(name, block);
    return block.with(points);
  }

  #head({ name, description, unit }: Metric): string {
    const known = this.#heads.get(name);
    if (known !== undefined) return known;
    const fields = [
      text(1, name),
      ...(description === '' ? [] : [text(2, description)]),
      ...(unit === '' ? [] : [text(3, unit)]),
    ];
    const head = Buffer.concat(fields).toString('latin1');
    if (this.#heads.size < 1024) this.#heads.set(name, head);
    return head;
  }

  #encoded(attributes: Readonly<Record<string, string>>): string {
    const known = this.#attributes.get(attributes);
    if (known !== undefined) return known;
    const pairs = Object.entries(attributes).map(([key, value]) =>
      message(7, Buffer.concat([text(1, key), message(2, text(1, value))])),
    );
    const encoded = Buffer.concat(pairs).toString('latin1');
    this.#attributes.set(attributes, encoded);
    return encoded;
  }
}

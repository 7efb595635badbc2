// Senders: what the tests of the receiver send with: the SDK's own serialisers, grpc-js and plain HTTP.

import { request as httpRequest } from 'node:http';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';

export interface SpanOptions {
  readonly traceId?: string;
  readonly spanId?: string;
  readonly name?: string;
  /** Of the API: 1 is a server's. */
  readonly kind?: number;
  readonly startMs?: number;
  readonly durationMs?: number;
  /** 2: an error. */
  readonly status?: number;
}

type ReadableSpan = Parameters<(typeof ProtobufTraceSerializer)['serializeRequest']>[0][number];

const time = (ms: number): [number, number] => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];

export function spansOf(service: string, spans: readonly SpanOptions[], more: Record<string, string | number> = {}) {
  const resource = resourceFromAttributes({ 'service.name': service, ...more });
  return spans.map((span, i) => {
    const start = span.startMs ?? 1_700_000_000_000;
    const made = {
      name: span.name ?? 'GET /',
      kind: span.kind ?? 1,
      spanContext: () => ({
        traceId: span.traceId ?? i.toString(16).padStart(32, 'a'),
        spanId: span.spanId ?? i.toString(16).padStart(16, 'b'),
        traceFlags: 1,
      }),
      startTime: time(start),
      endTime: time(start + (span.durationMs ?? 20)),
      duration: time(span.durationMs ?? 20),
      status: { code: span.status ?? 0 },
      attributes: { 'http.request.method': 'GET', size: 12 },
      links: [],
      events: [],
      resource,
      instrumentationScope: { name: 'test' },
      ended: true,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    };
    return made as unknown as ReadableSpan; // the fields that serialisers read
  });
}

export function traces(spans: readonly ReadableSpan[], encoding: 'protobuf' | 'json' = 'protobuf'): Buffer {
  const serializer = encoding === 'json' ? JsonTraceSerializer : ProtobufTraceSerializer;
  return Buffer.from(serializer.serializeRequest([...spans]) ?? '');
}

export interface Answer {
  readonly code: number;
  readonly text: string;
  readonly body: Buffer;
  readonly retryAfter: string | null;
}

export const TRACE_EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
export const METRICS_EXPORT = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export';

/** One call over a connection of its own; code 0: taken. `target` as gRPC names it. */
export function overGrpc(target: string, message: Buffer, path = TRACE_EXPORT, gzip = false): Promise<Answer> {
  const client = new Client(target, credentials.createInsecure(), {
    'grpc.default_compression_algorithm': gzip ? 2 : 0,
    'grpc.max_send_message_length': -1,
  });
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    const done = (error: ServiceError | null, body?: Buffer): void => {
      client.close();
      const details = error?.metadata?.get('grpc-status-details-bin')[0];
      resolve({
        code: error?.code ?? 0,
        text: error?.details ?? '',
        body: body ?? (Buffer.isBuffer(details) ? details : Buffer.alloc(0)),
        retryAfter: null,
      });
    };
    client.makeUnaryRequest(path, same, same, message, new Metadata(), { deadline: Date.now() + 30_000 }, done);
  });
}

export function overHttp(
  to: { readonly port: number } | { readonly socketPath: string },
  path: string,
  body: Buffer | string,
  headers: Record<string, string> = { 'content-type': 'application/x-protobuf' },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', ...to, path, method: 'POST', headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('end', () => {
        const whole = Buffer.concat(parts);
        const after = response.headers['retry-after'] ?? null;
        resolve({ code: response.statusCode ?? 0, text: whole.toString(), body: whole, retryAfter: after });
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

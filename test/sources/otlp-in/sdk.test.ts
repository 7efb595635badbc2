// The real OpenTelemetry SDK for JavaScript sends spans and metrics, over gRPC and HTTP, and the source reads them.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { convertLegacyOtlpGrpcOptions, createOtlpGrpcExportDelegate } from '@opentelemetry/otlp-grpc-exporter-base';
import {
  JsonTraceSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Discovery, SampleBatch } from '../../../src/model/record.ts';
import { parseAddress } from '../../../src/sources/address.ts';
import { openDoors } from '../../../src/sources/otlp-in/doors.ts';
import { OtlpSource } from '../../../src/sources/otlp-in/otlp-source.ts';
import { until } from '../../until.ts';
import { intakeFor } from '../text-in/intake-for.ts';

type Reader = ConstructorParameters<typeof PeriodicExportingMetricReader>[0];

async function listening(t: TestContext, histograms: readonly string[] = []) {
  const discoveries: Discovery[] = [];
  const samples: SampleBatch[] = [];
  const address = parseAddress('127.0.0.1:0');
  assert.ok(address !== null);
  const MIB = 1024 * 1024;
  const limits = {
    maxRequestBytes: 4 * MIB,
    maxInFlightBytes: 32 * MIB,
    bytesPerSecond: 16 * MIB,
    maxServices: 4,
    histograms,
  };
  const lines = { hosts: [], work: [], linesPerSecond: 5000 };
  const view = () => ({ version: 1, works: [], devices: [], conflicts: [] });
  const doors = openDoors({
    source: 'otlp-in',
    host: 'node-3',
    mostServices: 4,
    steady: (ms) => ms,
    view,
    intake: intakeFor('otlp-in'),
    work: [],
    histograms,
  });
  const logger = { info() {}, warn() {} };
  const source = new OtlpSource({ listen: [address], ...limits, ...lines }, { logger, doors });
  t.after(() => source.stop());
  const emit = {
    samples: (batch: SampleBatch) => samples.push(batch),
    discovery: (discovery: Discovery) => discoveries.push(discovery),
    text() {},
    event() {},
  };
  source.start(emit, new AbortController().signal);
  const { port } = await until(() => source.addresses[0], { what: 'the address' });
  return { source, discoveries, samples, url: `http://127.0.0.1:${port}` };
}

/** Spans of a request, its database and an error, ended and sent. */
async function sendSpans(exporter: object, service: string): Promise<void> {
  const processor = new BatchSpanProcessor({ exporter: exporter as never }); // an exporter by its base class
  const resource = resourceFromAttributes({ 'service.name': service, 'host.name': 'node-3' });
  const provider = new TracerProvider({ resource, spanProcessors: [processor] });
  const tracer = provider.getTracer('test');
  for (let i = 0; i < 30; i += 1) {
    const span = tracer.startSpan('GET /', { kind: SpanKind.SERVER, attributes: { 'http.route': '/' } });
    tracer.startSpan('SELECT', { kind: SpanKind.CLIENT }).end();
    if (i === 0) span.setStatus({ code: SpanStatusCode.ERROR, message: 'no' });
    span.end();
  }
  await provider.forceFlush();
  await provider.shutdown();
}

test('spans of the SDK come over gRPC and HTTP, and their service is known', async (t) => {
  const { source, discoveries, url } = await listening(t);
  const grpc = convertLegacyOtlpGrpcOptions({ url }, 'TRACES');
  const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
  const overGrpc = createOtlpGrpcExportDelegate(
    grpc, ProtobufTraceSerializer, 'test', TraceExporterMetricsHelper, undefined, 'TraceExportService', path,
  ); // biome-ignore format: one call
  await sendSpans(new OTLPExporterBase(overGrpc), 'over-grpc');
  const http = convertLegacyHttpOptions({ url: `${url}/v1/traces` }, 'TRACES', 'v1/traces', {
    'Content-Type': 'application/json',
  });
  await sendSpans(
    new OTLPExporterBase(
      createOtlpHttpExportDelegate(http, JsonTraceSerializer, 'test', TraceExporterMetricsHelper, undefined),
    ),
    'over-http',
  );
  const [health] = source.health();
  assert.equal(health?.status, 'works', JSON.stringify(health));
  assert.match(health.detail, /: 2 requests of 2 services$/);
  assert.deepEqual(
    discoveries.map(({ component }) => component.id),
    ['over-grpc', 'over-http'],
  );
  assert.deepEqual(
    discoveries[0]?.links.map(({ from, relation }) => [from.id, relation]),
    [['node-3', 'runs']],
  );
});

test('a histogram of durations that the SDK sends is the latency of its service', async (t) => {
  const { source, samples, url } = await listening(t);
  const exporter: Reader['exporter'] = new OTLPMetricExporter({ url });
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ 'service.name': 'shop' }),
    readers: [reader],
  });
  t.after(() => provider.shutdown());
  const duration = provider.getMeter('test').createHistogram('http.server.request.duration', { unit: 's' });
  for (let i = 0; i < 40; i += 1) {
    duration.record(0.03, { 'http.route': '/' });
    if (i === 0 || i === 20) await provider.forceFlush();
  }
  await provider.forceFlush();
  assert.match(source.health()[0]?.detail ?? '', /: 3 requests of 1 services$/);
  assert.deepEqual(samples, []); // a window is not over before its late ones can be there
});

test('a job’s own histogram of its steps is followed where it is named, and said not to be where it is not', async (t) => {
  const sent = async (url: string): Promise<void> => {
    const exporter: Reader['exporter'] = new OTLPMetricExporter({ url });
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const provider = new MeterProvider({ resource: resourceFromAttributes({ 'service.name': 'llama-train' }), readers: [reader] }); // biome-ignore format: one line
    const step = provider.getMeter('train').createHistogram('train.step.duration', { unit: 's' });
    const batch = provider.getMeter('train').createHistogram('train.batch.tokens', { unit: '{token}' });
    step.record(0.4);
    batch.record(4096);
    await provider.forceFlush();
    await provider.shutdown();
  };
  const named = await listening(t, ['train.step.duration']);
  await sent(named.url);
  assert.deepEqual([named.discoveries.map(({ component }) => component.id), named.source.health()[0]?.notes], [['llama-train'], []]); // biome-ignore format: one line
  const other = await listening(t);
  await sent(other.url);
  const notes =
    'histograms of durations that are not followed: train.step.duration. Name them under sources.otlp_in.histograms';
  assert.deepEqual([other.discoveries, other.source.health()[0]?.notes], [[], [notes]]);
});

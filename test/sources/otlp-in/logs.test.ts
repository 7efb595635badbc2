// Log records of the real SDK for JavaScript, over gRPC and HTTP: lines of their job, service or host, in the trace that they were written in.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { JsonLogsSerializer, LogsExporterMetricsHelper } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import type { TextRecord } from '../../../src/model/record.ts';
import { parseAddress } from '../../../src/sources/address.ts';
import { openDoors } from '../../../src/sources/otlp-in/doors.ts';
import { takeLogs } from '../../../src/sources/otlp-in/logs/take-logs.ts';
import { OtlpSource } from '../../../src/sources/otlp-in/otlp-source.ts';
import { until } from '../../until.ts';
import { intakeFor } from '../text-in/intake-for.ts';

async function listening(t: TestContext, linesPerSecond = 5000) {
  const lines: TextRecord[] = [];
  const address = parseAddress('127.0.0.1:0');
  assert.ok(address !== null);
  const MIB = 1024 * 1024;
  const limits = { maxRequestBytes: 4 * MIB, maxInFlightBytes: 32 * MIB, bytesPerSecond: 16 * MIB, maxServices: 4 };
  const view = () => ({ version: 1, works: [], devices: [], conflicts: [] });
  const intake = intakeFor('otlp-in', { linesPerSecond });
  const doors = openDoors({
    source: 'otlp-in',
    host: 'node-3',
    mostServices: 4,
    steady: (ms) => ms,
    view,
    intake,
    work: [],
  });
  const settings = { listen: [address], ...limits, hosts: [], work: [], linesPerSecond };
  const source = new OtlpSource(settings, { logger: { info() {}, warn() {} }, doors });
  t.after(() => source.stop());
  source.start({ samples() {}, text: (record) => void lines.push(record), event() {}, discovery() {} }, new AbortController().signal); // biome-ignore format: one line
  const { port } = await until(() => source.addresses[0], { what: 'the address' });
  return { source, lines, url: `http://127.0.0.1:${port}` };
}

test('an exporter’s records are lines of the job that their resource names, with their trace', async (t) => {
  const { lines, url } = await listening(t);
  const http = convertLegacyHttpOptions({ url: `${url}/v1/logs` }, 'LOGS', 'v1/logs', { 'Content-Type': 'application/json' }); // biome-ignore format: one line
  const delegate = createOtlpHttpExportDelegate(http, JsonLogsSerializer, 'test', LogsExporterMetricsHelper, undefined);
  const exporter = new OTLPExporterBase(delegate);
  const resource = resourceFromAttributes({
    'service.name': 'trainer',
    'host.name': 'node-3.example.org',
    'faultline.job.id': 'llama',
    rank: 2,
  });
  const provider = new LoggerProvider({
    resource,
    processors: [new BatchLogRecordProcessor({ exporter: exporter as never })],
  }); // an exporter by its base class
  const logger = provider.getLogger('test');
  logger.emit({ body: 'step 7 loss 1.5 lr 0.1 2,000 tokens/s' });
  logger.emit({
    body: { message: 'step 8 loss 1.5 lr 0.1 2,000 tokens/s' },
    attributes: {
      'exception.stacktrace': 'Traceback (most recent call last):\nRuntimeError: CUDA error: out of memory',
    },
  });
  await provider.forceFlush();
  await provider.shutdown();
  await until(() => lines.length === 4);
  assert.deepEqual(lines.map(({ attributes: { job, writer_rank: rank } }) => [job, rank]), [['llama', 2], ['llama', 2], ['llama', 2], ['llama', 2]]); // biome-ignore format: one line
  const detection = new TextDetection('node-3');
  const steps = lines.flatMap((line) => detection.decode(line).steps);
  assert.deepEqual(steps.map(({ progress }) => progress.iteration), [7, 8]); // biome-ignore format: one line
});

async function post(url: string, records: readonly object[], resource: Record<string, string>) {
  const attributes = Object.entries(resource).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const body = JSON.stringify({ resourceLogs: [{ resource: { attributes }, scopeLogs: [{ logRecords: records }] }] });
  const answer = await fetch(`${url}/v1/logs`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  return (await answer.json()) as { partialSuccess?: { rejectedLogRecords?: string; errorMessage?: string } };
}

test('a fault that a record reports keeps the trace of the record; other hosts’ records are left out', async (t) => {
  const { source, lines, url } = await listening(t);
  const time = `${Date.now()}000000`;
  const record = {
    timeUnixNano: time,
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    body: { stringValue: '[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.' },
  };
  await post(url, [record], { 'faultline.job.id': 'llama' });
  await post(url, [record], { 'faultline.job.id': 'llama', 'host.name': 'node-9' });
  await until(() => lines.length === 1);
  const detection = new TextDetection('node-3');
  const events = [...lines.flatMap((line) => detection.decode(line).events), ...detection.settle(Date.now() + 600_000)];
  assert.deepEqual(events.map(({ kind, attributes }) => [kind, attributes?.trace_id, attributes?.span_id]).at(0), ['job.gpu_oom', 'a'.repeat(32), 'b'.repeat(16)]); // biome-ignore format: one line
  assert.match(source.health()[0]?.detail ?? '', /1 of other hosts \(node-9\)/);
});

test('an entry of journald, as the collector sends it, is a line of the kernel with a tenant’s trust', async (t) => {
  const { lines, url } = await listening(t);
  const pair = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const values = [
    pair('MESSAGE', 'NVRM: Xid (PCI:0000:9b:00): 79, x'),
    pair('_TRANSPORT', 'kernel'),
    pair('SYSLOG_FACILITY', '0'),
    pair('_HOSTNAME', 'node-3'),
  ];
  await post(url, [{ body: { kvlistValue: { values } } }], {});
  await until(() => lines.length === 1);
  assert.deepEqual([lines[0]?.trust, lines[0]?.attributes.facility], ['tenant', 0]);
  const [event] = new TextDetection('node-3').decode(lines[0] as TextRecord).events;
  assert.deepEqual([event?.kind, event?.trust], ['gpu.lost', 'tenant']);
});

test('lines beyond the rate are refused in the words of OTLP, so that the sender knows', async (t) => {
  const { url } = await listening(t, 10);
  const records = Array.from({ length: 100 }, (_, i) => ({ body: { stringValue: `line ${i}` } }));
  const { partialSuccess } = await post(url, records, { 'faultline.job.id': 'llama' });
  assert.ok(Number(partialSuccess?.rejectedLogRecords) > 0);
  assert.match(partialSuccess?.errorMessage ?? '', /max_lines_per_second/);
});

test('records beyond the rate are counted without being read', () => {
  const intake = intakeFor('otlp-in', { linesPerSecond: 10, now: () => 0 });
  const emit = { samples() {}, text() {}, event() {}, discovery() {} };
  const view = () => ({ version: 1, works: [], devices: [], conflicts: [] });
  const taking = { intake, emit, way: 'otlp', view, work: [], position: 0 };
  const resourceOf = (host: string) => ({
    attributes: [
      { key: 'faultline.job.id', value: { stringValue: 'llama' } },
      { key: 'host.name', value: { stringValue: host } },
    ],
  });
  const record = { body: { stringValue: 'a\nb\nc\nd' } };
  const read = { count: 0 };
  const unread = Object.defineProperty({}, 'body', {
    get: () => {
      read.count += 1;
      return record.body;
    },
  });
  const resourceLogs = [
    { resource: resourceOf('node-3'), scopeLogs: [{ logRecords: [record, record, record, unread, unread] }] },
    { resource: resourceOf('node-9'), scopeLogs: [{ logRecords: new Array<object>(50).fill(unread) }] },
  ];
  const { rejected } = takeLogs({ resourceLogs }, taking);
  assert.deepEqual([intake.taken, intake.ofOthers, read.count], [10, 0, 0]);
  // Two lines of the third record, two records, and those of the other host.
  assert.equal(rejected, 2 + 2 + 50);
});

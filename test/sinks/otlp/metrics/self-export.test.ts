// The daemon's metrics about itself: through the SDK's exporter over gRPC, through the spool otherwise; none is lost.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { addsHeaders } from '../../../../src/sinks/otlp/send/grpc-metrics-exporter.ts';
import { SelfMetrics } from '../../../../src/sinks/self/self-metrics.ts';
import { Collector, type Received } from '../collector.ts';
import { otlpConfig, reports, startSink, stateDirectory, target, until } from '../harness.ts';
import { readMetrics } from '../otlp-proto.ts';

const made: Collector[] = [];
after(() => {
  for (const one of made) one.kill();
});

async function collector(kind: 'grpc' | 'http', port = 0): Promise<Collector> {
  const one = await Collector[kind](port);
  made.push(one);
  return one;
}

function selfMetrics(): SelfMetrics {
  return new SelfMetrics({
    version: '1.2.3',
    now: Date.now,
    procRoot: '/proc',
    restored: [],
    core: () => ({ series: 7, samples: 1000, edges: 3, recordsLost: 1, wakeups: 9, pendingEvents: 2 }),
    sources: () => [],
    log: () => ({ written: 4, unavailable: 1, dropped: 0, waitingBytes: 512 }),
    sinks: () => [],
    servers: () => ({}),
  });
}

const isSelf = ({ bytes }: Received) =>
  readMetrics(bytes).points.some(({ metric }) => metric === 'faultline.core.series');
const byExporter = ({ headers }: Received) => String(headers['user-agent']).includes('OTel-OTLP-Exporter');
/** Times of the collections that came, in the order of their coming. */
const times = (...from: Collector[]) =>
  from.flatMap(({ taken }) =>
    taken
      .filter(isSelf)
      .flatMap(({ bytes }) => readMetrics(bytes).points.filter(({ metric }) => metric === 'faultline.core.series'))
      .map(({ timeMs }) => timeMs),
  );

test('over gRPC the exporter brings them to the same collector, with our headers and our resource', async () => {
  const server = await collector('grpc');
  const config = { ...otlpConfig(server.port, { headers: { 'x-tenant': 'a' }, compression: 'gzip' }), logs: null };
  const collect = selfMetrics();
  const sink = await startSink(config, stateDirectory(), reports().logger, { selfMetrics: () => collect.collect() });
  await until(
    () => server.taken.filter(isSelf).length >= 2,
    () => server.taken.length,
  );
  const [first] = server.taken.filter(isSelf);
  assert.ok(first !== undefined && byExporter(first));
  assert.match(String(first.headers['user-agent']), /^faultline\/1\.2\.3 /);
  assert.equal(String(first.headers['x-tenant']), 'a');
  assert.equal(readMetrics(first.bytes).resource['k8s.node.name'], 'node-3');
  await until(
    () => (sink.counters().metrics?.sentRequests ?? 0) >= 2, // they count as requests of otlp/metrics
    () => sink.counters(),
  );
  await sink.stop();
});

test('points of them that the collector rejects are counted and reported once, as those of the spool are', async () => {
  const server = await collector('grpc');
  server.react = () => ({ rejected: 2 });
  const config = { ...otlpConfig(server.port), logs: null, traces: null };
  const collect = selfMetrics();
  const { logger, codes, lines } = reports();
  const sink = await startSink(config, stateDirectory(), logger, { selfMetrics: () => collect.collect() });
  await until(
    () => (sink.counters().metrics?.rejectedItems ?? 0) >= 4,
    () => sink.counters(),
  );
  await sink.stop();
  assert.ok(server.taken.filter(isSelf).some(byExporter));
  assert.deepEqual(codes, ['FL3205']);
  assert.match(lines[0] ?? '', /rejected 2 metrics items of a request it took: too old/);
});

test('over HTTP the spool brings them', async () => {
  const server = await collector('http');
  const config = { ...otlpConfig(server.port, { protocol: 'http/protobuf' }), logs: null };
  const collect = selfMetrics();
  const sink = await startSink(config, stateDirectory(), reports().logger, { selfMetrics: () => collect.collect() });
  await until(
    () => server.taken.some(isSelf),
    () => server.taken.length,
  );
  await sink.stop();
  assert.ok(server.taken.every((received) => !byExporter(received)));
});

test('while the collector is away they wait in the spool, and come in order when it is back', async () => {
  const first = await collector('grpc');
  const collect = selfMetrics();
  const config = otlpConfig(first.port, { timeoutMs: 500 });
  const collected: number[] = [];
  const sink = await startSink(config, stateDirectory(), reports().logger, {
    selfMetrics: async () => {
      collected.push(collected.length);
      return collect.collect();
    },
  });
  await until(
    () => first.taken.some((received) => isSelf(received) && byExporter(received)),
    () => first.taken.length,
  );
  first.kill();
  await until(
    () => collected.length >= 4,
    () => collected,
  );
  const second = await collector('grpc', first.port);
  await until(
    () => second.taken.some((received) => isSelf(received) && byExporter(received)),
    () => second.taken.map(byExporter),
  );
  await sink.stop();
  const came = times(first, second);
  assert.ok(new Set(came).size >= 4, `${came}`);
  assert.deepEqual(
    came.toSorted((a, b) => a - b),
    came,
    'no series runs backwards',
  );
  assert.ok(
    second.taken.some((received) => isSelf(received) && !byExporter(received)),
    'what was collected meanwhile came out of the spool',
  );
});

test('what the exporter has when the daemon stops outlives it in the spool', async () => {
  const silent = await collector('grpc');
  silent.react = () => ({ silent: true });
  const directory = stateDirectory();
  const collect = selfMetrics();
  const options = { selfMetrics: () => collect.collect() };
  const sink = await startSink(otlpConfig(silent.port), directory, reports().logger, options);
  await until(
    () => silent.asked > 0,
    () => silent.asked,
  );
  await sink.stop();
  silent.kill();
  const server = await collector('grpc', silent.port);
  const next = await startSink(otlpConfig(server.port), directory, reports().logger);
  await until(
    () => server.taken.some(isSelf),
    () => server.taken.length,
  );
  await next.stop();
});

test('the exporter is left out where the variables would add headers that are not in force', () => {
  const of = (headers: Record<string, string>) => target('http://127.0.0.1:4317', { headers });
  assert.equal(addsHeaders(of({}), {}), false);
  assert.equal(addsHeaders(of({ a: '1' }), { OTEL_EXPORTER_OTLP_HEADERS: 'A=1' }), false);
  assert.equal(addsHeaders(of({ a: '1' }), { OTEL_EXPORTER_OTLP_HEADERS: 'b=secret' }), true);
  assert.equal(addsHeaders(of({ a: '1' }), { OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'a=1,b=2' }), true);
  assert.equal(addsHeaders(of({ a: '1' }), { OTEL_EXPORTER_OTLP_HEADERS: 'not pairs' }), true);
});

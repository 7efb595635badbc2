// Collector faults: nothing is lost, nothing comes under a new id, what is refused is counted and reported once.

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { after, describe, test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { traceIdOf } from '../../../src/model/trace.ts';
import type { OtlpSink } from '../../../src/sinks/otlp/otlp-sink.ts';
import { smallIncident } from '../../incidents/sample.ts';
import { Collector, type Reaction } from './collector.ts';
import { otlpConfig, reports, startSink, stateDirectory, until } from './harness.ts';

const made: Collector[] = [];

async function collector(kind: 'grpc' | 'http' = 'grpc', port = 0): Promise<Collector> {
  const one = await Collector[kind](port);
  made.push(one);
  return one;
}

after(() => {
  for (const one of made) one.kill();
});

function feed(sink: OtlpSink, from: number, to: number): void {
  for (let number = from; number < to; number += 1) {
    const incident = smallIncident(number, 1, 'resolved');
    const whole = { ...incident, traceId: traceIdOf(incident.id) };
    for (const event of whole.events) sink.event(event);
    sink.incident(whole);
  }
}

/** Unique ids of what arrived, over several collectors. */
function ids(...servers: Collector[]): { records: Set<unknown>; incidents: Set<unknown>; spans: Set<string> } {
  const logs = servers.flatMap((server) => server.logs);
  return {
    records: new Set(logs.map((record) => record.attributes['log.record.uid'])),
    incidents: new Set(
      logs.map((record) => record.attributes['faultline.incident.id']).filter((id) => id !== undefined),
    ),
    spans: new Set(
      servers.flatMap((server) =>
        server.spans.filter(({ name }) => /^(gpu|incident)\//.test(name)).map(({ spanId }) => spanId),
      ),
    ),
  };
}

const wantedOf = (count: number) => ({ records: 2 * count, spans: 2 * count });

function sizes(...servers: Collector[]): { records: number; spans: number } {
  const seen = ids(...servers);
  return { records: seen.records.size, spans: seen.spans.size };
}

test('absent at the start: everything made meanwhile arrives when it comes', async () => {
  const probe = await collector();
  const { port } = probe;
  probe.kill();
  const { logger, codes } = reports();
  const sink = await startSink(otlpConfig(port), stateDirectory(), logger);
  feed(sink, 0, 20);
  await until(
    () => codes.filter((code) => code === 'FL3201').length === 2,
    () => codes,
  );
  assert.equal(sink.health().status, 'failing');
  const server = await collector('grpc', port);
  await until(
    () => sizes(server).records === 40 && sizes(server).spans === 40,
    () => sizes(server),
  );
  await until(
    () => codes.filter((code) => code === 'FL3208').length === 2,
    () => codes,
  );
  assert.equal(sink.health().status, 'works');
  await sink.stop();
  assert.deepEqual(codes.sort(), ['FL3201', 'FL3201', 'FL3208', 'FL3208'], 'reported once for each signal, both ways');
});

test('killed under load and back on the same port: nothing is lost', async () => {
  const first = await collector();
  const sink = await startSink(otlpConfig(first.port, { timeoutMs: 500 }), stateDirectory(), reports().logger);
  first.react = () => ({ afterMs: 2 });
  feed(sink, 0, 50);
  await until(
    () => first.asked > 0,
    () => first.asked,
  );
  first.kill();
  for (let number = 50; number < 100; number += 10) {
    feed(sink, number, number + 10);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const second = await collector('grpc', first.port);
  await until(
    () => sizes(first, second).records === 200 && sizes(first, second).spans === 200,
    () => sizes(first, second),
  );
  await sink.stop();
  assert.equal(sink.counters().logs?.droppedItems, 0);
});

test('slow: requests that time out are sent again until they are taken, and a new connection is tried', async () => {
  const server = await collector();
  const { logger, codes } = reports();
  const sink = await startSink(otlpConfig(server.port, { timeoutMs: 50 }), stateDirectory(), logger);
  server.react = (_, number) => (number <= 14 ? { afterMs: 10_000 } : {});
  feed(sink, 0, 3);
  await until(
    () => sizes(server).records === 6 && sizes(server).spans === 6,
    () => sizes(server),
  );
  await sink.stop();
  assert.ok(codes.includes('FL3201'));
});

describe('refusing', () => {
  const cases: readonly (readonly [string, 'grpc' | 'http', Reaction])[] = [
    ['UNAVAILABLE', 'grpc', { code: status.UNAVAILABLE }],
    ['UNAVAILABLE with a pause', 'grpc', { code: status.UNAVAILABLE, retryAfterMs: 60 }],
    ['RESOURCE_EXHAUSTED with a pause', 'grpc', { code: status.RESOURCE_EXHAUSTED, retryAfterMs: 60 }],
    ['RESOURCE_EXHAUSTED without one', 'grpc', { code: status.RESOURCE_EXHAUSTED }],
    ['ABORTED', 'grpc', { code: status.ABORTED }],
    ['INTERNAL', 'grpc', { code: status.INTERNAL }],
    ['UNAUTHENTICATED', 'grpc', { code: status.UNAUTHENTICATED }],
    ['UNIMPLEMENTED', 'grpc', { code: status.UNIMPLEMENTED }],
    ['503', 'http', { httpStatus: 503 }],
    ['429', 'http', { httpStatus: 429 }],
    ['500', 'http', { httpStatus: 500 }],
    ['401', 'http', { httpStatus: 401 }],
  ];
  for (const [name, kind, reaction] of cases) {
    test(`${name} for a while: nothing is lost`, async () => {
      const server = await collector(kind);
      const { logger } = reports();
      const protocol = kind === 'http' ? 'http/protobuf' : 'grpc';
      const sink = await startSink(otlpConfig(server.port, { protocol }), stateDirectory(), logger);
      server.react = (_, number) => (number <= 5 ? reaction : {});
      feed(sink, 0, 4);
      await until(
        () => sizes(server).records === 8 && sizes(server).spans === 8,
        () => sizes(server),
      );
      await sink.stop();
      assert.deepEqual([sink.counters().logs?.refusedItems, sink.counters().traces?.refusedItems], [0, 0]);
    });
  }

  const final: readonly (readonly [string, 'grpc' | 'http', Reaction])[] = [
    ['INVALID_ARGUMENT', 'grpc', { code: status.INVALID_ARGUMENT }],
    ['400', 'http', { httpStatus: 400 }],
  ];
  for (const [name, kind, reaction] of final) {
    test(`${name}: the request is given up, counted and reported once, and the next ones are sent`, async () => {
      const server = await collector(kind);
      const { logger, codes } = reports();
      const protocol = kind === 'http' ? 'http/protobuf' : 'grpc';
      const config = otlpConfig(server.port, { protocol });
      const sink = await startSink({ ...config, metrics: null, traces: null }, stateDirectory(), logger);
      server.react = () => reaction;
      feed(sink, 0, 2);
      await until(
        () => sink.counters().logs?.refusedItems === 4,
        () => sink.counters(),
      );
      feed(sink, 2, 3);
      await until(
        () => sink.counters().logs?.refusedItems === 6,
        () => sink.counters(),
      );
      server.react = () => ({});
      feed(sink, 3, 5);
      await until(
        () => sizes(server).records === 4,
        () => sizes(server),
      );
      await sink.stop();
      assert.deepEqual(codes, ['FL3204']);
    });
  }
});

test('partial success: rejected items are counted, reported once and not sent again', async () => {
  const server = await collector();
  const { logger, codes, lines } = reports();
  const config = otlpConfig(server.port);
  const sink = await startSink({ ...config, metrics: null, traces: null }, stateDirectory(), logger);
  server.react = () => ({ rejected: 1 });
  feed(sink, 0, 1);
  await until(
    () => sink.counters().logs?.rejectedItems === 1,
    () => sink.counters(),
  );
  feed(sink, 1, 2);
  await until(
    () => sink.counters().logs?.rejectedItems === 2,
    () => sink.counters(),
  );
  await sink.stop();
  assert.equal(server.asked, 2);
  assert.equal(sink.counters().logs?.sentItems, 2);
  assert.deepEqual(codes, ['FL3205']);
  assert.match(lines[0] ?? '', /too old/);
});

for (const kind of ['grpc', 'http'] as const) {
  test(`half open over ${kind}: after five requests without an answer a new connection is made`, async () => {
    const server = await collector(kind);
    const gate = await halfOpenGate(server.port);
    const protocol = kind === 'http' ? 'http/protobuf' : 'grpc';
    const config = otlpConfig(gate.port, { protocol, timeoutMs: 60 });
    const { logger } = reports();
    const sink = await startSink({ ...config, metrics: null, traces: null }, stateDirectory(), logger);
    feed(sink, 0, 1);
    await until(
      () => sizes(server).records === 2,
      () => sizes(server),
    );
    gate.freeze();
    feed(sink, 1, 3);
    await until(
      () => sizes(server).records === 6,
      () => [sizes(server), gate.connections()],
    );
    await sink.stop();
    gate.server.close();
    assert.ok(gate.connections() >= 2);
  });
}

test('a slow or dead collector does not slow the calls of the line', async () => {
  const server = await collector();
  server.react = () => ({ silent: true });
  const sink = await startSink(otlpConfig(server.port, { timeoutMs: 200 }), stateDirectory(), reports().logger);
  feed(sink, 0, 200);
  await until(
    () => (sink.counters().logs?.waitingRequests ?? 0) > 0,
    () => sink.counters(),
  );
  assert.deepEqual(wantedOf(200), { records: 400, spans: 400 });
  assert.equal(sink.counters().logs?.sentItems, 0);
  assert.equal(sink.counters().logs?.droppedItems, 0);
  await sink.stop();
});

/** A TCP relay; once frozen, the connections that exist swallow everything, as after a lost conntrack entry. */
async function halfOpenGate(
  to: number,
): Promise<{ server: Server; port: number; freeze: () => void; connections: () => number }> {
  const { connect } = await import('node:net');
  const frozen = { before: 0 };
  let count = 0;
  const server = createServer((client) => {
    count += 1;
    const number = count;
    const upstream = connect(to, '127.0.0.1');
    const swallow = () => number <= frozen.before;
    client.on('data', (data) => swallow() || upstream.write(data));
    upstream.on('data', (data) => swallow() || client.write(data));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => swallow() || client.destroy());
    client.on('error', () => undefined);
    upstream.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    server,
    port: address.port,
    freeze: () => {
      frozen.before = count;
    },
    connections: () => count,
  };
}

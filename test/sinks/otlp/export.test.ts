// What a collector gets: series as metrics, events and incidents as log records, one trace per incident.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { incidentToDocument } from '../../../src/model/documents/incident.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { spanIdOf, traceIdOf } from '../../../src/model/trace.ts';
import { BRAKES, event, gpu, incident, SAG, T0 } from '../../incidents/sample.ts';
import { Collector } from './collector.ts';
import { otlpConfig, reports, startSink, stateDirectory, until } from './harness.ts';
import { readLogs, readMetrics } from './otlp-proto.ts';

const ID = '0123456789ab';
const opened = incident(ID, { traceId: traceIdOf(ID) });
const cleared = event('e-sag-clear', 'power.voltage_sag', SAG.component, { timeMs: T0 + 4_000, state: 'clear' });
const resolved: Incident = {
  ...opened,
  revision: 2,
  state: 'resolved',
  updatedMs: T0 + 60_000,
  resolvedMs: T0 + 60_000,
};
const collectors: Collector[] = [];

async function collector(): Promise<Collector> {
  const made = await Collector.grpc();
  collectors.push(made);
  return made;
}

after(() => {
  for (const made of collectors) made.kill();
});

describe('over gRPC', () => {
  test('events and incidents are log records with name, times, severity and the ids of trace and span', async () => {
    const server = await collector();
    const { logger, codes } = reports();
    const sink = await startSink(otlpConfig(server.port), stateDirectory(), logger);
    const stray = event('e-stray', 'memory.ce', null, { timeMs: T0 + 50, observedMs: T0 + 90, severity: 'info' });
    for (const one of [SAG, ...BRAKES, stray]) sink.event(one);
    sink.incident(opened);
    sink.event(cleared);
    sink.incident(resolved);
    await until(
      () => server.logs.length >= 9,
      () => server.logs.map((record) => record.eventName),
    );
    await sink.stop();
    const records = server.logs;
    const named = (name: string) => records.filter((record) => record.eventName === name);
    const [sag, clear] = named('faultline.power.voltage_sag');
    assert.deepEqual(
      [sag?.timeMs, sag?.observedMs, sag?.severity, sag?.traceId, sag?.spanId, sag?.flags, sag?.body],
      [T0, T0 + 1, 17, opened.traceId, spanIdOf(ID, 'e-sag'), 1, 'voltage sag on pdu_phase/pdu-b-rack-14/1'],
    );
    assert.deepEqual([clear?.traceId, clear?.spanId], [opened.traceId, spanIdOf(ID, 'e-sag')]);
    assert.equal(clear?.attributes['faultline.event.state'], 'clear');
    assert.equal(sag?.attributes['faultline.event.attributes.before'], 121.4);
    assert.equal(sag?.attributes['faultline.component'], 'pdu_phase/pdu-b-rack-14/1');
    assert.equal(sag?.attributes['faultline.event.trust'], 'facility');
    assert.equal(named('faultline.gpu.power_brake').length, 4);
    assert.deepEqual(
      named('faultline.memory.ce').map(({ traceId, spanId, severity }) => [traceId, spanId, severity]),
      [['', '', 9]],
      'what belongs to no incident has no ids, not zeros',
    );
    const [open] = named('faultline.incident.opened');
    const [over] = named('faultline.incident.resolved');
    assert.deepEqual(JSON.parse(String(open?.attributes['faultline.incident.document'])), incidentToDocument(opened));
    assert.deepEqual([open?.timeMs, open?.severity, open?.spanId], [opened.openedMs, 17, spanIdOf(ID)]);
    assert.equal(over?.timeMs, T0 + 60_000);
    assert.equal(new Set(records.map((record) => record.attributes['log.record.uid'])).size, records.length);
    const [first] = server.taken.filter(({ signal }) => signal === 'logs');
    const { resource } = readLogs(first?.bytes ?? Buffer.alloc(0));
    assert.deepEqual(
      [resource['service.name'], resource['service.version'], resource['host.name'], resource['k8s.node.name']],
      ['faultline', '1.2.3', 'node-3', 'node-3'],
    );
    assert.match(String(resource['service.instance.id']), /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
    assert.deepEqual(codes, []);
  });

  test('an incident is one trace: a root over it, a span per link with true times, links to causes, our own work', async () => {
    const server = await collector();
    const sink = await startSink(otlpConfig(server.port), stateDirectory(), reports().logger);
    for (const one of [SAG, ...BRAKES]) sink.event(one);
    sink.work({ name: 'Detector/Detect', eventId: 'e-sag', startMs: T0, endMs: T0 + 1 });
    sink.incident(opened);
    sink.work({ name: 'IncidentLog/Append', incidentId: ID, startMs: T0 + 700, endMs: T0 + 702, skipped: 'disk full' });
    sink.event(cleared);
    sink.incident(resolved);
    await until(
      () => server.spans.length >= 9,
      () => server.spans.map((span) => span.name),
    );
    await sink.stop();
    const { spans } = server;
    assert.deepEqual(new Set(spans.map((span) => span.traceId)), new Set([opened.traceId]));
    assert.equal(new Set(spans.map((span) => span.spanId)).size, spans.length);
    const named = (name: string) => spans.filter((span) => span.name === name);
    const [root] = named('incident/power.voltage_sag');
    assert.deepEqual(
      [root?.spanId, root?.parentId, root?.startMs, root?.endMs, root?.error],
      [spanIdOf(ID), '', T0 - 2000, T0 + 60_000, resolved.title],
    );
    const [sag] = named('pdu_phase/power.voltage_sag');
    assert.deepEqual(
      [sag?.spanId, sag?.parentId, sag?.startMs, sag?.endMs],
      [spanIdOf(ID, 'e-sag'), spanIdOf(ID), T0 - 2000, T0 + 4_000],
      'from the earliest moment that it can have begun to its end',
    );
    const brakes = named('gpu/gpu.power_brake');
    assert.equal(brakes.length, 4);
    for (const [index, brake] of brakes.entries()) {
      assert.equal(brake.parentId, spanIdOf(ID, 'e-sag'));
      assert.deepEqual(brake.links, [
        { traceId: opened.traceId, spanId: spanIdOf(ID, 'e-sag'), relation: 'caused_by' },
      ]);
      assert.equal(brake.startMs, T0 + 600 + index);
      assert.equal(brake.endMs, T0 + 60_000, 'what never cleared lasts as long as the incident');
    }
    const [append] = named('IncidentLog/Append');
    assert.equal(append?.attributes['faultline.skip.reason'], 'disk full');
    assert.deepEqual(append?.links, [{ traceId: opened.traceId, spanId: spanIdOf(ID), relation: 'works_on' }]);
    assert.equal(named('Detector/Detect')[0]?.attributes['faultline.event.id'], 'e-sag');
  });

  test('series are metrics of the conventions with the time of the sample, lowest and highest with the last', async () => {
    const server = await collector();
    const sink = await startSink(
      otlpConfig(server.port, { headers: { 'x-tenant': 'a' } }),
      stateDirectory(),
      reports().logger,
    );
    const one = (key: string, last: number, lastTimeMs: number, min = last, max = last) => ({
      key, count: 2, min, max, mean: last, last, lastTimeMs,
    }); // biome-ignore format: one row
    sink.series([
      one('gpu/0000:1b:00.0#power', 400, T0, 380, 410),
      one('gpu/0000:1b:00.0#energy', 1000, T0),
      one('pdu_phase/pdu-b/1#voltage', 121, T0 + 1, 108, 122),
      one('gpu/0000:1b:00.0#hw_thermal_time', 3, T0),
      one('gpu/0000:1b:00.0#brand_new', 5, T0),
      one('nothing known#power', 5, T0),
      one('job/llama#step_time', 0.4, T0),
    ]);
    sink.series([one('gpu/0000:1b:00.0#power', 500, T0 + 1000), one('gpu/0000:1b:00.0#energy', 10, T0 + 1000)]);
    sink.event(event('e1', 'gpu.memory.dbe', gpu(0), { count: 3 }));
    sink.incident(opened);
    await until(
      () => server.points.length > 0,
      () => server.asked,
    );
    await sink.stop();
    const [request] = server.taken.filter(({ signal }) => signal === 'metrics');
    const { points, resource } = readMetrics(request?.bytes ?? Buffer.alloc(0));
    const of = (metric: string) =>
      points.filter((point) => point.metric === metric && point.attributes['hw.state'] === undefined);
    const id = { 'hw.id': '0000:1b:00.0', 'hw.type': 'gpu' };
    assert.deepEqual(
      of('hw.power').map(({ timeMs, value, unit, is, attributes }) => ({ timeMs, value, unit, is, attributes })),
      [
        { timeMs: T0, value: 400, unit: 'W', is: 'gauge', attributes: id },
        { timeMs: T0 + 1000, value: 500, unit: 'W', is: 'gauge', attributes: id },
      ],
      'around an incident every second is a point, in order',
    );
    assert.deepEqual(
      of('faultline.hw.power.min').map((point) => point.value),
      [380],
    );
    assert.deepEqual(
      of('faultline.hw.power.max').map((point) => point.value),
      [500],
    );
    const [energy] = of('hw.energy');
    assert.deepEqual(
      [energy?.is, energy?.value, energy?.startMs, energy?.timeMs],
      ['counter', 10, T0, T0 + 1000],
      'a counter that fell was reset',
    );
    assert.deepEqual(of('hw.voltage')[0]?.attributes, { 'hw.id': 'pdu-b/1', 'hw.type': 'pdu_phase' });
    assert.equal(of('faultline.gpu.throttle_time')[0]?.attributes['faultline.throttle.reason'], 'hw_thermal');
    assert.equal(of('faultline.gpu.brand_new')[0]?.value, 5);
    assert.deepEqual(of('faultline.job.step_time')[0]?.attributes, { 'faultline.job.id': 'llama' });
    assert.deepEqual(
      of('hw.errors').map(({ value, is, attributes }) => [value, is, attributes['error.type']]),
      [[3, 'counter', 'gpu.memory.dbe']],
    );
    const states = points.filter(
      (point) => point.metric === 'hw.status' && point.attributes['hw.id'] === '0000:1b:00.0',
    );
    assert.deepEqual(Object.fromEntries(states.map((point) => [point.attributes['hw.state'], point.value])), {
      ok: 0,
      degraded: 0,
      failed: 1,
    });
    assert.equal(resource['service.name'], 'faultline');
    assert.equal(request?.headers['x-tenant'], 'a');
  });

  test('the span of a long incident goes out once it is settled, and a revision never sends it again', async () => {
    const server = await collector();
    const sink = await startSink(otlpConfig(server.port), stateDirectory(), reports().logger, { settleMs: 0 });
    for (const one of [SAG, ...BRAKES]) sink.event(one);
    sink.incident(opened);
    sink.event(cleared);
    await until(
      () => server.spans.some((span) => span.name.startsWith('pdu_phase')),
      () => server.spans,
    );
    assert.ok(!server.spans.some((span) => span.name.startsWith('gpu/') || span.name.startsWith('incident/')));
    sink.incident({ ...opened, revision: 2 });
    sink.incident({ ...resolved, revision: 3 });
    const again = { reopened: 1, reopenedMs: T0 + 70_000 };
    sink.incident({ ...opened, ...again, revision: 4, updatedMs: T0 + 70_000 });
    sink.incident({ ...resolved, ...again, revision: 5, updatedMs: T0 + 80_000, resolvedMs: T0 + 80_000 });
    sink.incident({ ...resolved, ...again, revision: 6, updatedMs: T0 + 81_000, resolvedMs: T0 + 80_000 });
    await until(
      () => server.spans.filter((span) => span.name.startsWith('incident/')).length === 2,
      () => server.spans,
    );
    await sink.stop();
    const ids = server.spans.map((span) => span.spanId);
    assert.equal(new Set(ids).size, ids.length);
    const [first, second] = server.spans.filter((span) => span.name.startsWith('incident/'));
    assert.deepEqual([second?.parentId, second?.startMs, second?.endMs], [first?.spanId, T0 + 70_000, T0 + 80_000]);
    assert.deepEqual(
      [first, second].map((span) => span?.attributes['faultline.incident.reopened']),
      [0, 1],
    );
    assert.deepEqual(
      second?.links.map(({ spanId, relation }) => [spanId, relation]),
      [[first?.spanId, 'continues']],
    );
  });

  test('a share of traces is kept, and the records of the others say so', async () => {
    const server = await collector();
    const config = otlpConfig(server.port);
    const sink = await startSink(
      { ...config, traces: config.traces && { ...config.traces, ratio: 1e-9 } },
      stateDirectory(),
      reports().logger,
    );
    sink.incident(resolved);
    await until(
      () => server.logs.length === 1,
      () => server.asked,
    );
    await sink.stop();
    assert.deepEqual([server.logs[0]?.traceId, server.logs[0]?.flags, server.spans], [opened.traceId, 0, []]);
  });
});

test('over HTTP the same requests go to the path of each signal, gzipped where asked for', async () => {
  const server = await Collector.http();
  collectors.push(server);
  const config = otlpConfig(server.port, {
    protocol: 'http/protobuf',
    compression: 'gzip',
    headers: { authorization: 'Bearer x' },
  });
  const sink = await startSink(config, stateDirectory(), reports().logger);
  sink.event(SAG);
  sink.incident(opened);
  sink.incident(resolved);
  sink.series([{ key: 'gpu/0000:1b:00.0#power', count: 1, min: 1, max: 1, mean: 1, last: 1, lastTimeMs: T0 }]);
  await until(
    () => server.spans.length >= 6 && server.logs.length >= 3 && server.points.length > 0,
    () => server.asked,
  );
  await sink.stop();
  assert.deepEqual(
    new Set(
      server.taken.map(({ headers }) => `${headers.url} ${headers.authorization} ${headers['content-encoding']}`),
    ),
    new Set(['metrics', 'logs', 'traces'].map((signal) => `/v1/${signal} Bearer x gzip`)),
  );
});

// Spans of calls out: free where nothing traces, children of a stage, bounded, and with the context given on.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { SpanKind } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { callOut, httpCall, httpEnd, observeCalls, within } from '../../../../src/helpers/calls.ts';
import { spanIdOf, traceIdOf } from '../../../../src/model/trace.ts';
import { createAlertmanagerSink } from '../../../../src/sinks/alertmanager/alertmanager-sink.ts';
import { Backoff } from '../../../../src/sinks/delivery/send/backoff.ts';
import { createNotifySink } from '../../../../src/sinks/notify/notify-sink.ts';
import { CallBook } from '../../../../src/sinks/otlp/traces/call-book.ts';
import { HttpClient, JSON_TYPE } from '../../../../src/sources/kubernetes/api/http-client.ts';
import { until } from '../../../until.ts';
import { FakeApiServer } from '../../acting/fake-api-server.ts';
import { actingWith, lost, temporary } from '../../acting/harness.ts';
import { config as alertmanagerConfig } from '../../alertmanager/harness.ts';
import { sinkContext } from '../../context.ts';
import { channel, config as notifyConfig, incident as sent } from '../../notify/harness.ts';
import { HttpReceiver } from '../../notify/http-receiver.ts';

const ORIGIN = { resource: resourceFromAttributes({}), scope: { name: 'faultline', version: '1' } };

function book(all: boolean, nowMs = 1_000_000) {
  return new CallBook({ origin: ORIGIN, ratio: 1, all, now: () => nowMs });
}

const call = () => callOut(() => ({ name: 'snmp/Get', attributes: { 'rpc.system': 'snmp' } }));

test('nothing is made where no one traces, and nothing outside of an incident unless all are asked for', (t) => {
  const calls = callOut(() => assert.fail('it is not looked at'));
  assert.equal(calls.traceparent, null);
  const quiet = book(false);
  t.after(observeCalls(quiet.observe));
  call().end();
  assert.deepEqual(quiet.take(), []);
});

test('all: a trace of its own with kind, attributes and error; the URL without query and user', (t) => {
  const all = book(true);
  t.after(observeCalls(all.observe));
  const made = callOut(() => httpCall('GET', new URL('https://user:secret@bmc-1/redfish/v1?token=secret')));
  assert.match(made.traceparent ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  made.end(httpEnd(503));
  made.end(httpEnd(200));
  const [span, ...more] = all.take();
  assert.deepEqual([span?.name, span?.kind, span?.parentSpanContext, more], ['GET', SpanKind.CLIENT, undefined, []]);
  assert.deepEqual(span?.attributes, { 'http.request.method': 'GET', 'url.full': 'https://bmc-1/redfish/v1', 'server.address': 'bmc-1', 'server.port': 443, 'http.response.status_code': 503, 'error.type': '503' }); // biome-ignore format: one record
});

test('at most so many a minute, those that failed apart; the next says how many were left out', (t) => {
  let nowMs = 1_000_000;
  const all = new CallBook({ origin: ORIGIN, ratio: 1, all: true, now: () => nowMs });
  t.after(observeCalls(all.observe));
  for (let i = 0; i < 500; i += 1) call().end(i % 2 === 0 ? {} : { error: 'timeout' });
  const spans = all.take();
  assert.equal(spans.length, 120 + 60);
  nowMs += 60_000;
  call().end();
  const left = [...spans, ...all.take()].map(({ attributes }) => Number(attributes['faultline.calls.left_out'] ?? 0));
  assert.equal(
    left.reduce((sum, each) => sum + each, 0),
    500 - spans.length,
  );
});

test('what is not sampled makes no span and gives nothing on', (t) => {
  const none = new CallBook({ origin: ORIGIN, ratio: 1e-12, all: true, now: () => 1 });
  t.after(observeCalls(none.observe));
  const made = call();
  made.end();
  assert.deepEqual([made.traceparent, none.take()], [null, []]);
});

test('calls of an action are children of its stage, in the trace of the incident, and the API server is given that', async (t) => {
  const calls = book(false);
  t.after(observeCalls(calls.observe));
  const fake = await FakeApiServer.start(t, ['node-1', 'node-3']);
  const kubernetes = { taint: 'faultline.dev/fault', effect: 'NoSchedule', condition: 'F', url: fake.url, caFile: null, tokenFile: null, node: 'node-3' } as const; // biome-ignore format: one line
  const { sink, pass } = actingWith(t, { kubernetes });
  const id = '7f3c41d2a0b1';
  sink.incident(lost({ id, traceId: traceIdOf(id) }));
  await pass(70_000);
  const spans = calls.take();
  assert.equal(spans.length, fake.asked.length);
  const [parent] = new Set(spans.map((span) => span.parentSpanContext?.spanId));
  assert.equal(parent, spanIdOf(id, 'stage acting taint'));
  assert.deepEqual(new Set(spans.map((span) => span.spanContext().traceId)), new Set([traceIdOf(id)]));
  const given = fake.traceparents.map((text) => text?.split('-')[2]);
  assert.deepEqual(given, spans.map((span) => span.spanContext().spanId)); // biome-ignore format: one line
  assert.ok(spans.some(({ name }) => name === 'PATCH'));
});

for (const type of ['webhook', 'alertmanager'] as const)
  test(`what is sent of an incident is in its trace, each try, and the receiver is given that: ${type}`, async (t) => {
    const calls = book(false);
    t.after(observeCalls(calls.observe));
    const receiver = await new HttpReceiver().start();
    receiver.react = (number) => ({ status: number === 1 ? 503 : 200 });
    const folder = temporary(t);
    const tuning = { backoff: () => new Backoff(() => 0, 20, 50) };
    const [context, about] = [sinkContext(folder), sent(1)];
    const sink =
      type === 'webhook'
        ? await createNotifySink(notifyConfig([channel('hook', 'webhook', receiver.url)]), context, tuning)
        : await createAlertmanagerSink(alertmanagerConfig([receiver.url]), context, tuning);
    sink.start(new AbortController().signal);
    sink.incident(about);
    const tries = () => receiver.traceparents.length;
    await until(() => tries() >= 2 && sink.counts().every(({ waitingBytes }) => waitingBytes === 0), { seen: tries });
    await sink.stop();
    await receiver.stop();
    const spans = calls.take();
    assert.ok(spans.length >= 2);
    for (const span of spans)
      assert.deepEqual([span.spanContext().traceId, span.parentSpanContext?.spanId, span.kind], [traceIdOf(about.id), spanIdOf(about.id), SpanKind.CLIENT]);
    assert.equal(spans[0]?.attributes['error.type'], '503');
    assert.deepEqual(receiver.traceparents.slice(0, spans.length).map((text) => text?.split('-')[2]), spans.map((span) => span.spanContext().spanId));
  }); // biome-ignore format: one line each

test('an incident has so many spans of calls at most, however long its receiver is down', (t) => {
  const calls = book(false);
  t.after(observeCalls(calls.observe));
  for (const id of ['a', 'b'])
    for (let i = 0; i < 300; i += 1) {
      const parent = { traceId: traceIdOf(id), spanId: spanIdOf(id) };
      void within(parent, async () => call().end({ error: 'ECONNREFUSED' }));
    }
  assert.equal(calls.take().length, 2 * 128);
});

test('a server that is not there is an error of the call', async (t) => {
  const calls = book(false);
  t.after(observeCalls(calls.observe));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise((resolve) => server.close(resolve));
  const client = new HttpClient({ url, tokenFile: null, caFile: null, insecure: false, name: null, trust: '' });
  const parent = { traceId: traceIdOf('a'), spanId: spanIdOf('a') };
  await assert.rejects(within(parent, () => client.get('/api', JSON_TYPE, 2000)));
  assert.equal(calls.take()[0]?.attributes['error.type'], 'down');
});

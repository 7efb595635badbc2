// Alerts in over real HTTP: who may send, what is taken, what it becomes, and what hostile senders get.

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { checkConfig } from '../../../src/daemon/config.ts';
import type { Work } from '../../../src/identity/work/work.ts';
import type { Component } from '../../../src/model/component.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { fromAlertmanagerApi } from '../../../src/sources/alerts-in/alert.ts';
import { AlertDesk } from '../../../src/sources/alerts-in/alert-desk.ts';
import { AlertsSource } from '../../../src/sources/alerts-in/alerts-source.ts';
import { placeOf } from '../../../src/sources/alerts-in/place.ts';
import { until } from '../../until.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'fl-alerts-'));
const TOKEN = 't'.repeat(32);
writeFileSync(join(FOLDER, 'token'), TOKEN);
chmodSync(join(FOLDER, 'token'), 0o600);
const NOW = Date.UTC(2026, 10, 27, 14, 0, 0);

async function settingsOf(section: string) {
  const surroundings = { environment: {}, uid: 0, home: '/root', hostname: 'node-3' };
  const text = `sources: {alerts_in: {${section}}}\n`;
  return (await checkConfig(text, join(FOLDER, 'faultline.yaml'), surroundings)).config.sources['alerts-in'];
}

const GPU: Component = { type: 'gpu', id: '0000:9b:00.0', host: 'node-3' };
const known: Readonly<Record<string, Component>> = { 'gpu 3': GPU, 'GPU-aa': GPU, '0000:9b:00.0': GPU };
const llama = {
  id: '4711',
  aliases: ['llama'],
  pods: [{ namespace: 'ml', name: 'llama-0', uid: 'u', container: null }],
};
const placing = {
  host: 'node-3',
  jobs: () => [llama as unknown as Work], // all that is looked at
  resolve: (component: Component) => known[component.id] ?? component,
  addresses: () => ['10.0.0.3'],
};

class Sender {
  readonly events: EventInput[] = [];
  nowMs = NOW;
  readonly source: AlertsSource;

  constructor(settings: Awaited<ReturnType<typeof settingsOf>>) {
    this.source = new AlertsSource(settings, {
      now: () => this.nowMs,
      steady: (wallMs) => wallMs,
      placeOf: (labels) => placeOf(labels, placing),
      logger: { info() {}, warn() {} },
    });
    const emit = {
      samples() {},
      text() {},
      discovery() {},
      event: (event: EventInput) => void this.events.push(event),
    };
    this.source.start(emit, new AbortController().signal);
  }

  async send(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}, method = 'POST') {
    const [port] = await until(() => (this.source.ports.length > 0 ? this.source.ports : null));
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return await new Promise<{ status: number; body: string; headers: object }>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
        let answer = '';
        response.on('data', (part: Buffer) => {
          answer += part.toString();
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: answer, headers: response.headers }),
        );
      });
      asked.once('error', reject).end(text);
    });
  }

  said(): string[] {
    return this.events.splice(0).map(({ state, component, attributes }) => `${attributes?.alert} ${state} ${component?.type}/${component?.id}`);
  } // biome-ignore format: one line
}

async function sender(
  context: { after(end: () => Promise<void>): void },
  section = 'listen: ["127.0.0.1:0"]',
): Promise<Sender> {
  const made = new Sender(await settingsOf(section));
  context.after(() => made.source.stop());
  return made;
}

const alert = (labels: object, status = 'firing') => ({
  status,
  labels: { alertname: 'GpuErrors', severity: 'critical', ...labels },
  annotations: { summary: 'errors' },
  startsAt: '2026-11-27T13:59:30.5Z',
  endsAt: '0001-01-01T00:00:00Z',
  fingerprint: '0123456789abcdef',
});
const webhook = (...alerts: object[]) => ({ version: '4', status: 'firing', receiver: 'faultline', alerts });

describe('alerts in', () => {
  test('the webhook of Alertmanager: an alert begins once, whatever is sent again, and ends once', async (context) => {
    const made = await sender(context);
    const one = alert({ instance: 'node-3:9400', gpu: '3' });
    for (let i = 0; i < 3; i += 1) assert.equal((await made.send('/v1/alertmanager', webhook(one))).status, 200);
    const [begun] = made.events;
    assert.deepEqual([begun?.kind, begun?.state, begun?.trust, begun?.component, begun?.severity], ['alert.firing', 'onset', 'tenant', GPU, undefined]); // biome-ignore format: one line
    assert.deepEqual([begun?.attributes?.alert_severity, begun?.attributes?.summary, begun?.attributes?.from], ['critical', 'errors', 'alertmanager']); // biome-ignore format: one line
    assert.equal(begun?.timeMs, NOW - 29_500);
    assert.deepEqual(made.said(), ['GpuErrors onset gpu/0000:9b:00.0']);
    for (let i = 0; i < 2; i += 1) await made.send('/v1/alertmanager', webhook({ ...one, status: 'resolved' }));
    assert.deepEqual(made.said(), ['GpuErrors clear gpu/0000:9b:00.0']);
    assert.match(made.source.health()[0]?.detail ?? '', /5 alerts, 0 firing/);
  });

  test('what Prometheus and VMAlert post to an Alertmanager: over by its end', async (context) => {
    const made = await sender(context);
    const one = { labels: { alertname: 'Hot', node: 'node-3' }, startsAt: '2026-11-27T13:59:50Z' };
    assert.equal((await made.send('/api/v2/alerts', [{ ...one, endsAt: '2999-01-01T00:00:00Z' }])).status, 200);
    assert.equal((await made.send('/api/v2/alerts', [{ ...one, endsAt: '2026-01-01T00:00:00Z' }])).status, 200);
    assert.deepEqual(made.said(), ['Hot onset host/node-3', 'Hot clear host/node-3']);
  });

  test('the same alert by another way is the same', async (context) => {
    const made = await sender(context);
    const one = alert({ node: 'node-3' });
    await made.send('/v1/alertmanager', webhook(one));
    await made.send('/api/v2/alerts', [{ labels: one.labels, startsAt: one.startsAt }]);
    assert.equal(made.events.length, 1);
  });

  test('any JSON by pointers of the configuration', async (context) => {
    const made = await sender(
      context,
      'listen: ["127.0.0.1:0"], generic: [{name: dcim, items: /data/list, alert: /title, status: /state, resolved: [OK], labels: /tags, summary: /text}]',
    );
    const one = { title: 'Rack door', state: 'BAD', tags: { host: 'node-3.example.com', n: 3 }, text: 'open' };
    assert.equal((await made.send('/v1/webhook/dcim', { data: { list: [one] } })).status, 200);
    assert.equal((await made.send('/v1/webhook/dcim', { data: { list: [{ ...one, state: 'OK' }] } })).status, 200);
    assert.deepEqual(made.said(), ['Rack door onset host/node-3', 'Rack door clear host/node-3']);
    const wrong = await made.send('/v1/webhook/dcim', { data: { list: [{ state: 'BAD' }] } });
    assert.deepEqual([wrong.status, /has no text at \/title/.test(wrong.body)], [400, true]);
  });

  test('an alert that is not sent again is over after its time, one that is lasts', () => {
    const events: EventInput[] = [];
    const emit = { samples() {}, text() {}, discovery() {}, event: (event: EventInput) => void events.push(event) };
    let nowMs = NOW;
    const place = { type: 'host', id: 'node-3' } as const;
    const desk = new AlertDesk(
      { trust: 'tenant', expireMs: 600_000, now: () => nowMs, steady: (wallMs) => wallMs, placeOf: () => place },
      emit,
    );
    const [one, other] = fromAlertmanagerApi([{ labels: { alertname: 'a' } }, { labels: { alertname: 'b' } }], NOW);
    assert.ok(one !== undefined && other !== undefined);
    for (const each of [one, other]) desk.take(each, { from: 'test', by: 'uid-1' });
    nowMs += 599_000;
    desk.take(other, { from: 'test', by: 'uid-1' });
    desk.expire();
    assert.equal(events.length, 2);
    nowMs += 1_000;
    desk.expire();
    assert.deepEqual(
      [events[2]?.state, events[2]?.attributes?.alert, events[2]?.attributes?.status],
      ['clear', 'a', 'expired'],
    );
    assert.deepEqual([events.length, desk.firing], [3, 1]);
  });

  test('a system that floods takes no other’s place, and its own newest alerts are followed', () => {
    const said: string[] = [];
    const emit = {
      samples() {},
      text() {},
      discovery() {},
      event: ({ state, attributes }: EventInput) => void said.push(`${attributes?.alert} ${state}`),
    };
    const place = { type: 'host', id: 'node-3' } as const;
    const clock = { now: () => NOW, steady: (wallMs: number) => wallMs };
    const desk = new AlertDesk({ trust: 'tenant', expireMs: 600_000, ...clock, placeOf: () => place }, emit);
    const alerts = (...names: string[]) =>
      fromAlertmanagerApi(
        names.map((alertname) => ({ labels: { alertname } })),
        NOW,
      );
    for (const each of alerts('a', 'b')) desk.take(each, { from: 'quiet', by: 'uid-1' });
    for (let i = 0; i < 2000; i += 1)
      for (const each of alerts(`flood${i}`)) desk.take(each, { from: 'loud', by: 'uid-1' });
    for (const each of alerts('c', 'flood1999'))
      desk.take(each, { from: each.name === 'c' ? 'quiet' : 'loud', by: 'uid-1' });
    assert.deepEqual(
      said.filter((text) => /^[abc] /.test(text)),
      ['a onset', 'b onset', 'c onset'],
    );
    assert.deepEqual([desk.firing, desk.counts.repeated], [1024, 1]);
    assert.equal(said.filter((text) => text === 'flood0 clear').length, 1);
  });

  test('whoever sends without a token has a share of its own on the same path, and ends no alert of another', () => {
    const said: string[] = [];
    const event = ({ state, attributes }: EventInput) =>
      void said.push(`${attributes?.alert} ${state} ${attributes?.sent_by}`);
    const emit = { samples() {}, text() {}, discovery() {}, event };
    const place = { type: 'host', id: 'node-3' } as const;
    const clock = { now: () => NOW, steady: (wallMs: number) => wallMs };
    const desk = new AlertDesk({ trust: 'tenant', expireMs: 600_000, ...clock, placeOf: () => place }, emit);
    const send = (alertname: string, by: string, from = 'alertmanager', endsAt?: string) => {
      const body = [{ labels: { alertname }, ...(endsAt === undefined ? {} : { endsAt }) }];
      for (const alert of fromAlertmanagerApi(body, NOW)) desk.take(alert, { from, by });
    };
    for (let i = 0; i < 300; i += 1) send(`real${i}`, 'uid-990');
    for (let i = 0; i < 5000; i += 1) send(`flood${i}`, 'uid-1001', ['alertmanager', 'alertmanager api', 'dcim'][i % 3]);
    send('real7', 'uid-1001', 'alertmanager', '2020-01-01T00:00:00Z');
    assert.deepEqual(said.filter((text) => /^real\d+ clear/.test(text)), []);
    send('real7', 'uid-990', 'alertmanager', '2020-01-01T00:00:00Z');
    assert.deepEqual(said.filter((text) => /^real\d+ clear/.test(text)), ['real7 clear uid-990']);
  }); // biome-ignore format: one line each

  test('own addresses are asked for once for many alerts', (context) => {
    const asked = context.mock.method(os, 'networkInterfaces');
    syncBuiltinESMExports();
    context.after(() => {
      context.mock.restoreAll();
      syncBuiltinESMExports();
    });
    const { addresses: _given, ...own } = placing;
    for (let i = 0; i < 1000; i += 1) placeOf(new Map([['instance', `10.1.2.${i}:9100`]]), own);
    assert.ok(asked.mock.callCount() <= 2, `${asked.mock.callCount()} times`);
  });

  const places: readonly [object, string | null][] = [
    [{ instance: 'node-3:9100' }, 'host/node-3'],
    [{ instance: '10.0.0.3:9100' }, 'host/node-3'],
    [{ Hostname: 'node-3.cluster.local', UUID: 'GPU-aa' }, 'gpu/0000:9b:00.0'],
    [{ node: 'node-3', pci_bus_id: '00000000:9B:00.0' }, 'gpu/0000:9b:00.0'],
    [{ node: 'node-3', gpu: '7' }, 'host/node-3'],
    [{ node: 'node-4', gpu: '3' }, null],
    [{ node: 'node-33' }, null],
    [{ node: 'node-4', instance: 'node-3:8080' }, null],
    [{ instance: '127.0.0.1:9100' }, null],
    [{}, null],
    [{ namespace: 'ml', pod: 'llama-0' }, 'job/4711'],
    [{ namespace: 'other', pod: 'llama-0' }, null],
    [{ slurm_job_id: '4711', node: 'node-4' }, 'job/4711'],
    [{ node: 'node-3', job_id: '4711' }, 'job/4711'],
    [{ job: 'llama' }, null], // the name of a scrape job is not that of a job
  ];
  for (const [labels, expected] of places) {
    test(`${JSON.stringify(labels)} is ${expected ?? 'nothing of this host'}`, () => {
      const found = placeOf(new Map(Object.entries(labels)), placing);
      assert.equal(found === null ? null : `${found.type}/${found.id}`, expected);
    });
  }

  const refused: readonly [string, string, unknown, string, number, RegExp][] = [
    ['another path', '/v1/x', {}, 'POST', 404, /Known: \/v1\/alertmanager/],
    ['GET', '/v1/alertmanager', '', 'GET', 405, /takes POST/],
    ['no JSON', '/v1/alertmanager', '{', 'POST', 400, /not JSON/],
    ['no list', '/v1/alertmanager', { version: '4' }, 'POST', 400, /alerts must be a list/],
    ['another version', '/v1/alertmanager', { version: '3', alerts: [] }, 'POST', 400, /version must be/],
    ['another status', '/v1/alertmanager', webhook({ ...alert({}), status: 'maybe' }), 'POST', 400, /alerts\[0\]\.status/],
    ['no name', '/v1/alertmanager', webhook({ status: 'firing', labels: {} }), 'POST', 400, /no alertname/],
    ['labels that are a list', '/v1/alertmanager', webhook({ status: 'firing', labels: [] }), 'POST', 400, /must be an object/],
    ['too many alerts', '/api/v2/alerts', Array.from({ length: 1001 }, () => ({})), 'POST', 400, /at most 1000/],
    ['a body that is too long', '/v1/alertmanager', 'x'.repeat(1_100_000), 'POST', 413, /longer than/],
  ]; // biome-ignore format: a table
  for (const [what, path, body, method, status, message] of refused) {
    test(`refuses ${what}: ${status}`, async (context) => {
      const made = await sender(context);
      const answer = await made.send(path, body, {}, method);
      assert.equal(answer.status, status);
      assert.match(answer.body, message);
      assert.deepEqual(made.events, []);
      assert.match(made.source.health()[0]?.notes?.[0] ?? '', new RegExp(`last refusal: ${status}`));
      assert.equal((await made.send('/v1/alertmanager', webhook(alert({ node: 'node-3' })))).status, 200);
    });
  }

  test('with a token only those who show it may send, and it is in no message', async (context) => {
    const made = await sender(context, 'listen: ["127.0.0.1:0"], token_file: token, trust: facility');
    const body = webhook(alert({ node: 'node-3' }));
    const basic = (token: string) => `Basic ${Buffer.from(`am:${token}`).toString('base64')}`;
    for (const authorization of ['', 'Bearer wrong', basic('wrong'), 'Bearer '])
      assert.equal(
        (await made.send('/v1/alertmanager', body, authorization === '' ? {} : { authorization })).status,
        401,
      );
    assert.deepEqual(made.events, []);
    assert.ok(!JSON.stringify(made.source.health()).includes(TOKEN));
    for (const authorization of [`Bearer ${TOKEN}`, basic(TOKEN)])
      assert.equal((await made.send('/v1/alertmanager', body, { authorization })).status, 200);
    assert.deepEqual(
      made.events.map(({ trust }) => trust),
      ['facility'],
    );
  });

  test('a flood of alerts is refused for a while, and what is followed is bounded', async (context) => {
    const made = await sender(context);
    const many = (from: number) =>
      Array.from({ length: 1000 }, (_, i) => ({ labels: { alertname: `a${from + i}`, node: 'node-3' } }));
    const answers = [];
    for (const from of [0, 1000, 2000]) answers.push((await made.send('/api/v2/alerts', many(from))).status);
    assert.deepEqual(answers, [200, 200, 429]);
    const states = made.events.map(({ state, attributes }) => `${state} ${attributes?.status}`);
    const count = (wanted: string) => states.filter((state) => state === wanted).length;
    assert.deepEqual([count('onset firing'), count('clear crowded out')], [2000, 976]);
    assert.match(made.source.health()[0]?.detail ?? '', /1024 firing, 976 too many/);
  });

  test('a socket is for the own group alone', async (context) => {
    const path = join(FOLDER, 'alerts.sock');
    await sender(context, `listen: ["unix:${path}"]`);
    const { mode } = await until(() => statSync(path, { throwIfNoEntry: false }) ?? null);
    assert.equal(mode & 0o777, 0o660);
  });

  test('hostile payloads: whatever comes, an answer, and events whose texts are bounded', async (context) => {
    const made = await sender(
      context,
      'listen: ["127.0.0.1:0"], generic: [{name: any, alert: /labels/alertname, labels: /labels}]',
    );
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constant('x'.repeat(5000)),
      fc.jsonValue(),
      fc.constant('__proto__'),
    );
    const hostile = fc.record(
      { status: fc.oneof(fc.constant('firing'), value), labels: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('alertname', 'node', '__proto__', 'constructor')), value), annotations: value, startsAt: value, endsAt: value },
      { requiredKeys: [] },
    ); // biome-ignore format: one line
    const payload = fc.oneof(
      hostile.map((one) => webhook({ ...one, status: 'firing' })),
      fc.array(hostile),
      hostile,
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/v1/alertmanager', '/api/v2/alerts', '/v1/webhook/any'),
        payload,
        async (path, body) => {
          const { status } = await made.send(path, body);
          assert.ok(status === 200 || status === 400, String(status));
        },
      ),
      { numRuns: 120, seed: 16 },
    );
    for (const { attributes = {}, component } of made.events) {
      assert.ok(component !== null);
      for (const text of Object.values(attributes)) assert.ok(String(text).length <= 400);
    }
    assert.equal((await made.send('/v1/alertmanager', webhook(alert({ node: 'node-3' })))).status, 200);
  });

  const wrong: readonly [string, RegExp][] = [
    ['listen: ["0.0.0.0:9467"]', /reached by other hosts.*token_file, certificate_file and key_file/],
    ['listen: ["somewhere"]', /is not an address/],
    ['listen: ["127.0.0.1:9467"], trust: facility', /needs token_file/],
    ['listen: ["127.0.0.1:9467"], certificate_file: a.pem', /together/],
    ['listen: ["127.0.0.1:9467"], token_file: nothing', /does not exist/],
    ['listen: ["127.0.0.1:9467"], generic: [{name: a, alert: title}]', /JSON pointer/],
    ['listen: ["127.0.0.1:9467"], generic: [{name: a, alert: /t}, {name: a, alert: /t}]', /name of another/],
    ['listen: ["127.0.0.1:9467"], expire_after: 1s', /expire_after/],
  ];
  for (const [text, message] of wrong) {
    test(`refuses the configuration ${text}`, async () => assert.rejects(settingsOf(text), message));
  }
});

// The Alertmanager sink against servers that speak the API: replicas, outages, restarts, silences, revisions.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Silence } from '../../../src/model/note.ts';
import { complaints, load } from '../../config/helpers.ts';
import { smallIncident, T0 } from '../../incidents/sample.ts';
import { until } from '../../until.ts';
import { certificate } from '../certificate.ts';
import { FakeAlertmanager } from './fake-alertmanager.ts';
import { config, later, over, startSink } from './harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'fl-alertmanager-'));
const ends: (() => Promise<void>)[] = [];
after(async () => {
  for (const end of ends) await end();
  rmSync(folder, { recursive: true, force: true });
});

async function server(): Promise<FakeAlertmanager> {
  const one = await new FakeAlertmanager().start();
  ends.push(() => one.stop());
  return one;
}

async function start(...given: Parameters<typeof startSink> extends [string, ...infer Rest] ? Rest : never) {
  const started = await startSink(folder, ...given);
  ends.push(() => started.sink.stop());
  return started;
}

for (const [when, unsent] of [
  ['before the next start', false],
  ['behind what the journal has', true],
] as const)
  test(`an alert whose severity rose at a kill is ended under the labels that it had: ${when}`, async () => {
    const receiver = await server();
    const settings = config([receiver.url]);
    const one = { ...smallIncident(1), severity: 'warning' } as const;
    const name = `risen ${unsent}`;
    const first = await start(name, settings);
    first.sink.incident(one);
    await until(() => receiver.posted.length > 0);
    await first.sink.stop();
    const [error, critical] = [later(one, { severity: 'error' }), later(later(one, {}), { severity: 'critical' })];
    const logged = unsent ? [{ incident: error }, { incident: critical }] : [];
    await start(name, settings, { restored: [critical], loggedAfter: async () => logged });
    const states = () => Object.fromEntries(receiver.posted.map(({ labels, endsAt }) => [labels.severity, Date.parse(endsAt) > T0 + 3_600_000 ? 'open' : 'over'])); // biome-ignore format: one record
    const expected = unsent
      ? { warning: 'over', error: 'over', critical: 'open' }
      : { warning: 'over', critical: 'open' };
    await until(() => states().critical === 'open', { seen: states });
    await until(() => Object.keys(states()).length === Object.keys(expected).length && states().warning === 'over', { seen: states }); // biome-ignore format: one line
    assert.deepEqual(states(), expected);
  });

test('an incident is one alert with labels that stay, the first lines as annotations, and an end', async () => {
  const receiver = await server();
  const { sink } = await start('one', config([receiver.url]));
  const first = smallIncident(1);
  sink.incident(first);
  const again = later(first, { confidence: 0.9 });
  sink.incident(again);
  sink.incident(over(again));
  await until(() => receiver.posted.some(({ endsAt }) => Date.parse(endsAt) < T0 + 60_000), {
    seen: () => receiver.posted,
  });
  const [open] = receiver.posted;
  assert.deepEqual(open?.labels, {
    alertname: 'FaultlineIncident',
    incident: first.id,
    host: 'node-3',
    rack: 'r14',
    severity: first.severity,
    kind: 'gpu.lost',
    component: 'gpu/0000:1c:00.0',
    component_type: 'gpu',
  });
  assert.equal(open?.annotations.runbook_url, 'https://wiki.example/faultline/docs/runbooks/gpu.md#gpulost');
  assert.equal(open?.annotations.explain, 'faultline explain 000000');
  assert.ok((open?.annotations.summary ?? '').length > 5);
  assert.equal(Date.parse(open?.startsAt ?? ''), first.openedMs);
  assert.equal(new Set(receiver.posted.map(({ labels }) => JSON.stringify(labels))).size, 1, 'one alert');
  assert.deepEqual(receiver.firing(T0 + 60_000), []);
});

test('a root that is revised ends the alert of the one before; a severity only rises', async () => {
  const receiver = await server();
  const { sink } = await start('revised', config([receiver.url]));
  const first = { ...smallIncident(2), severity: 'warning' } as const;
  sink.incident(first);
  const worse = later(first, { severity: 'error', root: { ...first.root, kind: 'gpu.memory.dbe' } });
  sink.incident(worse);
  sink.incident(later(worse, { severity: 'warning' }));
  await until(() => receiver.posted.length >= 3);
  const ofKind = (kind: string) => receiver.posted.filter(({ labels }) => labels.kind === kind).at(-1);
  assert.ok(Date.parse(ofKind('gpu.lost')?.endsAt ?? '') < T0 + 60_000);
  assert.equal(ofKind('gpu.memory.dbe')?.labels.severity, 'error');
  assert.deepEqual(receiver.firing(T0 + 60_000), [first.id]);
});

test('every replica gets every alert, one that is down holds up no other and gets it when it is back', async () => {
  const [up, down] = [await server(), await server()];
  await down.stop();
  const { sink, context } = await start('replicas', config([up.url, down.url]));
  for (let number = 10; number < 40; number += 1) sink.incident(smallIncident(number));
  await until(() => up.posted.length >= 30, { seen: () => up.posted.length });
  await until(() => context.logged.length > 0);
  assert.deepEqual(
    context.logged.map(({ code }) => code),
    ['FL3501'],
  );
  assert.equal(sink.health().status, 'failing');
  for (let number = 10; number < 25; number += 1) sink.incident(over(smallIncident(number)));
  await down.start();
  await until(() => down.posted.length >= 45, { seen: () => down.posted.length });
  const expected = Array.from({ length: 15 }, (_, at) => smallIncident(25 + at).id);
  assert.deepEqual(down.firing(T0 + 3_000_000), expected);
  assert.equal(sink.health().status, 'works');
});

test('what is refused, hangs, fails or is cut off is sent again, and nothing is resolved that is open again', async () => {
  const receiver = await server();
  const reactions = [
    { status: 429, headers: { 'retry-after': '0' } },
    { status: 500 },
    'cut',
    'silent',
    { status: 503 },
  ];
  receiver.react = (number) => (reactions[number - 1] as { status: number } | undefined) ?? { status: 200 };
  const settings = config([receiver.url]);
  const { sink } = await start('refusing', { ...settings, reach: { ...settings.reach, timeoutMs: 150 } });
  const first = smallIncident(50);
  sink.incident(first);
  sink.incident(over(first));
  sink.incident(later(over(first), { state: 'open', resolvedMs: null, reopened: 1 }));
  sink.incident(over(smallIncident(51)));
  await until(() => receiver.posted.some(({ labels }) => labels.incident === smallIncident(51).id), {
    seen: () => receiver.requests.length,
  });
  assert.deepEqual(receiver.firing(T0 + 120_000), [first.id]);
  const own = receiver.posted.filter(({ labels }) => labels.incident === first.id);
  assert.ok(
    own.every(({ endsAt }) => Date.parse(endsAt) > T0 + 120_000),
    'it was open by the time it could be sent',
  );
});

test('open ones are sent again, also by the next run; what ended between two runs is ended', async () => {
  const receiver = await server();
  const first = await start('restart', config([receiver.url]));
  const [one, two] = [smallIncident(60), smallIncident(61)];
  for (const incident of [one, two]) first.sink.incident(incident);
  await until(() => receiver.posted.length === 2);
  await first.sink.stop();
  const unsent = [{ incident: over(one) }];
  await start('restart', config([receiver.url], { resendMs: 30 }), {
    restored: [two],
    known: [two],
    loggedAfter: async () => unsent,
    now: () => T0 + 100_000,
  });
  await until(() => receiver.posted.length > 6);
  assert.deepEqual(receiver.firing(T0 + 100_050), [two.id]);
});

test('below the severity, unsure or silenced is not sent; a silence that ends lets through what is still open', async () => {
  const receiver = await server();
  const silences = new Set<string>();
  const { sink } = await start(
    'quiet',
    config([receiver.url], { severity: 'error', minConfidence: 0.5, resendMs: 20 }),
    {
      now: () => T0 + 100_000,
      silenced: ({ incident: [id = ''] = [] }) => (silences.has(id) ? ({ id: 's' } as Silence) : null), // all that is used of it
    },
  );
  const hidden = smallIncident(70);
  silences.add(hidden.id);
  sink.incident({ ...smallIncident(71), severity: 'warning' });
  sink.incident({ ...smallIncident(72), confidence: 0.2 });
  sink.incident(hidden);
  const sent = smallIncident(73);
  sink.incident(sent);
  await until(() => receiver.posted.length > 3);
  assert.deepEqual([...new Set(receiver.posted.map(({ labels }) => labels.incident))], [sent.id]);
  silences.add(sent.id);
  silences.delete(hidden.id);
  await until(() => receiver.firing(T0 + 100_040).length === 2);
  assert.deepEqual(receiver.firing(T0 + 100_040), [hidden.id, sent.id], 'a silence does not end what was sent');
});

test('from the configuration: replicas behind TLS, a token from a file, a proxy; what is wrong is named', async () => {
  const own = certificate(folder, 'server');
  const receiver = await new FakeAlertmanager(own).start();
  ends.push(() => receiver.stop());
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, 's3cret\n', { mode: 0o600 });
  const proxied: string[] = [];
  const proxy = createServer().on('connect', (request, socket: Socket) => {
    proxied.push(request.url ?? '');
    const through = connect(receiver.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      through.pipe(socket).pipe(through);
    });
    for (const end of [through, socket]) end.on('error', () => {});
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  ends.push(async () => proxy.closeAllConnections());
  ends.push(async () => void proxy.close());
  const { port } = proxy.address() as AddressInfo; // a TCP server has an address object
  const { config: loaded } = await load(`
alertmanager:
  urls: ["${receiver.url}/"]
  token_file: ${tokenFile}
  ca_file: ${own.certFile}
  proxy: http://127.0.0.1:${port}
  labels: [rack=r14, cluster=eu-1]
`);
  assert.ok(loaded.alertmanager !== null);
  const { sink } = await start('tls', loaded.alertmanager);
  sink.incident(smallIncident(90));
  await until(() => receiver.posted.length === 1, { seen: () => sink.health() });
  assert.equal(receiver.requests[0]?.headers.authorization, 'Bearer s3cret');
  assert.deepEqual(proxied, [`127.0.0.1:${receiver.port}`]);
  assert.equal(receiver.posted[0]?.labels.cluster, 'eu-1');
});

test('what is wrong in its section is named with what to write', async () => {
  const wrong = await complaints(`
alertmanager:
  urls: [ftp://x, "http://anna:pw@am:9093", "http://am:9093"]
  user: anna
  certificate_file: c.pem
  labels: [severity=high, "rack"]
`);
  for (const word of ['urls[0]', 'urls[1]', 'password_file', 'key_file', 'labels[0]', 'labels[1]'])
    assert.ok(
      wrong.some((line) => line.includes(word)),
      `${word}: ${wrong.join(' | ')}`,
    );
  assert.ok(!wrong.join().includes('pw'), 'no secret in what is said');
});

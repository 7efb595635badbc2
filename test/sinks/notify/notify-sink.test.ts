// The notify sink from a revision to a real HTTP server: dead, slow, refusing, cut off, restarted, flooded.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Incident } from '../../../src/model/incident.ts';
import type { SinkContext } from '../../../src/sinks/define-sink.ts';
import { Backoff } from '../../../src/sinks/delivery/send/backoff.ts';
import { createSinks } from '../../../src/sinks/index.ts';
import { notify } from '../../../src/sinks/notify/index.ts';
import { createNotifySink, type NotifySink } from '../../../src/sinks/notify/notify-sink.ts';
import type { NotifyConfig } from '../../../src/sinks/notify/settings.ts';
import { runs } from '../../runs.ts';
import { until } from '../../until.ts';
import { sinkContext, type TestContext } from '../context.ts';
import { channel, config, incident, later, over, route } from './harness.ts';
import { HttpReceiver, type Reaction } from './http-receiver.ts';

const folder = mkdtempSync(join(tmpdir(), 'fl-notify-'));
const ends: (() => Promise<void>)[] = [];
after(async () => {
  for (const end of ends) await end();
  rmSync(folder, { recursive: true, force: true });
});

async function server(): Promise<HttpReceiver> {
  const one = await new HttpReceiver().start();
  ends.push(() => one.stop());
  return one;
}

async function start(
  name: string,
  settings: NotifyConfig,
  more: Partial<SinkContext> = {},
): Promise<{ sink: NotifySink; context: TestContext }> {
  const context = sinkContext(join(folder, name), more);
  const sink = await createNotifySink(settings, context, { backoff: () => new Backoff(() => 0, 20, 50), tickMs: 20 });
  sink.start(new AbortController().signal);
  ends.push(() => sink.stop());
  return { sink, context };
}

const waiting = (sink: NotifySink) => sink.counts().reduce((sum, { waitingBytes = 0 }) => sum + waitingBytes, 0);

test('an incident through a channel that hangs, asks to wait, fails, is cut off and refuses: all arrives, in order, once', async () => {
  const receiver = await server();
  const reactions: Reaction[] = [
    'silent',
    { status: 429, headers: { 'retry-after': '0' } },
    { status: 500 },
    'cut',
    { status: 401 },
    { status: 503 },
    { status: 302 },
  ];
  receiver.react = (number) => reactions[number - 1] ?? { status: 200 };
  const hook = channel('hook', 'webhook', receiver.url);
  const { sink } = await start('trouble', config([{ ...hook, reach: { ...hook.reach, timeoutMs: 1000 } }]));
  const first = incident(1);
  for (const one of [first, later(first, { severity: 'critical' }), over(first)]) sink.incident(one);
  await until(() => receiver.bodies.some(({ what }) => what === 'resolved'), { seen: () => sink.health() });
  assert.deepEqual([...new Set(receiver.bodies.map(({ what }) => what))], ['opened', 'revised', 'resolved']);
  assert.ok(receiver.asked >= 10);
  await until(() => sink.health().status === 'works');
});

test('a channel that is dead holds up no other, and is reported once; no secret is on disk', async () => {
  const [up, down] = [await server(), await server()];
  await down.stop();
  const channels = [channel('up', 'slack', up.url), channel('down', 'pagerduty', down.url, { secret: 'R0UT1NG' })];
  const { sink, context } = await start('two', config(channels));
  for (let number = 0; number < 20; number += 1) sink.incident(incident(number));
  await until(() => up.taken.length >= 20, { seen: () => up.taken.length });
  await until(() => context.logged.length > 0);
  assert.deepEqual(
    context.logged.map(({ code }) => code),
    ['FL3511'],
  );
  await until(() => waiting(sink) > 0);
  const spool = join(folder, 'two', 'spool', 'notify', 'down');
  const kept = readdirSync(spool).map((name) => readFileSync(join(spool, name), 'utf8'));
  assert.ok(kept.join().includes('faultline/notification/1'), 'it waits on disk');
  assert.ok(!kept.join().includes('R0UT1NG'));
  await down.start();
  const keys = () => [...new Set(down.bodies.map(({ dedup_key: key }) => key))];
  await until(() => keys().length === 20, { seen: () => sink.health() });
  assert.deepEqual(
    keys(),
    Array.from({ length: 20 }, (_, number) => `node-3/${incident(number).id}`),
  );
});

test('a storm through a dead channel: the budget holds, memory is bounded, nothing is lost or twice', async () => {
  const receiver = await server();
  await receiver.stop();
  const storm = runs(2_000, 10_000);
  const { sink } = await start('storm', config([channel('hook', 'webhook', receiver.url)], { limitADay: 100 }));
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  for (let number = 0; number < storm; number += 1) {
    const first = incident(number);
    sink.incident(first);
    sink.incident(over(first));
    if (number % 250 === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, process.memoryUsage().heapUsed - before);
    }
  }
  assert.ok(most < 200 * 1024 * 1024, `${most}`);
  await receiver.start();
  // An answer that came too late makes it be sent again, under the same key.
  const byKey = () => new Map(receiver.bodies.map(({ key, what }) => [key, what]));
  await until(() => byKey().size >= 201 && waiting(sink) === 0, {
    seen: () => [byKey().size, waiting(sink), sink.health()],
  });
  const counted = new Map<unknown, number>();
  for (const what of byKey().values()) counted.set(what, (counted.get(what) ?? 0) + 1);
  assert.deepEqual([...counted].sort(), [
    ['held', 1],
    ['opened', 100],
    ['resolved', 100],
  ]);
});

test('restarted it continues: no second message, the thread continues, what came meanwhile is sent as it is now', async () => {
  const receiver = await server();
  receiver.react = () => ({ status: 200, body: '{"ok":true,"ts":"17.1"}' });
  const settings = config([channel('bot', 'slack_bot', receiver.url, { secret: 'x', to: ['#ops'] })]);
  const first = await start('again', settings);
  const [stays, goes] = [incident(1), incident(2)];
  first.sink.incident(stays);
  first.sink.incident(goes);
  await until(() => receiver.taken.length === 2);
  await first.sink.stop();
  const fresh = incident(3);
  const unsent = [fresh, over(goes), over(fresh), later(over(fresh), { state: 'open', resolvedMs: null })].map(
    (one) => ({ incident: one }),
  );
  const { sink } = await start('again', settings, {
    restored: [stays],
    known: [stays],
    loggedAfter: async () => unsent,
  });
  await until(() => receiver.taken.length >= 4, { seen: () => sink.health() });
  sink.incident(over(stays));
  await until(() => receiver.taken.length >= 5, { seen: () => sink.health() });
  const texts = receiver.bodies
    .slice(2)
    .map(({ text, thread_ts: thread }) => `${String(text).split(' ')[0]} ${thread ?? '-'}`);
  assert.deepEqual(texts.sort(), ['ERROR -', 'Resolved 17.1', 'Resolved 17.1']);
});

test('escalated, repeated and acknowledged by the clock of the daemon', async () => {
  const receiver = await server();
  let nowMs = Date.UTC(2026, 10, 27, 12);
  let by: string | null = null;
  const hooks = [channel('ops', 'webhook', receiver.url), channel('boss', 'webhook', `${receiver.url}/boss`)];
  const routes = [route(['ops'], { escalate: { afterMs: 900_000, to: ['boss'] }, repeatMs: 3_600_000 })];
  const ack = () =>
    by === null ? null : { kind: 'ack' as const, id: 'n', host: 'h', atMs: nowMs, by, note: null, incidentId: '' };
  const { sink } = await start('clock', config(hooks, { routes }), {
    now: () => nowMs,
    said: () => ({ acknowledged: ack(), verdict: null }),
  });
  sink.incident(incident(1));
  await until(() => receiver.taken.length === 1);
  nowMs += 901_000;
  await until(() => receiver.taken.length === 2);
  assert.equal(receiver.taken[1]?.path, '/hook/boss');
  nowMs += 3_600_000;
  await until(() => receiver.taken.length === 3);
  by = 'anna';
  await until(() => receiver.taken.length === 5);
  assert.deepEqual(
    receiver.bodies.map(({ what }) => what),
    ['opened', 'escalated', 'repeated', 'acknowledged', 'acknowledged'],
  );
});

test('in shadow mode nothing is sent, also not afterwards', async () => {
  const receiver = await server();
  const settings = config([channel('hook', 'webhook', receiver.url)]);
  const state = join(folder, 'shadow');
  const directories = { state, log: state, runtime: state };
  const silent = { warn: () => {}, info: () => {} };
  const core = { now: () => 0, seriesKeys: () => [] } as unknown as Parameters<typeof createSinks>[1]['core']; // all that is used of it
  const given = {
    version: '1',
    core,
    restored: [],
    known: [],
    sources: () => [],
    log: () => null,
    servers: () => ({}),
    logger: silent,
  };
  const made = { host: 'node-3', directories, simulated: false, shadow: true, notify: settings };
  const sinks = await createSinks(made, given, [notify]);
  sinks.start(new AbortController().signal);
  sinks.incident(incident(1));
  assert.equal(sinks.health()[0]?.status, 'off');
  await sinks.stop();
  const { sink } = await start('shadow', settings, { known: [incident(1)] as readonly Incident[] });
  sink.incident(incident(2));
  await until(() => receiver.taken.length > 0);
  assert.deepEqual(
    receiver.bodies.map(({ conversation }) => conversation),
    [`node-3/${incident(2).id}`],
  );
});

test('what people were sent is known after a restart, and a damaged file of it ends nothing', async () => {
  const receiver = await server();
  const settings = config([channel('hook', 'webhook', receiver.url)]);
  const { sink } = await start('history', settings);
  sink.incident(incident(1));
  await until(() => sink.notifications().some(({ state }) => state === 'sent'));
  await sink.stop();
  const again = (await start('history', settings)).sink;
  assert.deepEqual(again.notifications(), sink.notifications());
  await again.stop();
  writeFileSync(join(folder, 'history', 'notify-history.json'), '{"schema":"faultline/notify-history/1","sent":[7,{"key":"x"},null]}');
  assert.deepEqual((await start('history', settings)).sink.notifications(), []);
}); // biome-ignore format: one line

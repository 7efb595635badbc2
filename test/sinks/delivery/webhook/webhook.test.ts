// A sink of delivery alone against a real server: dead, slow, refusing, killed in between; nothing is lost, ids stay.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compose } from '../../../../src/config/compose.ts';
import { checkConfig } from '../../../../src/config/load-config.ts';
import { NOTHING_SAID } from '../../../../src/model/note.ts';
import type { NativeCore } from '../../../../src/native.ts';
import { Backoff } from '../../../../src/sinks/delivery/send/backoff.ts';
import { createSinks } from '../../../../src/sinks/index.ts';
import { SINKS } from '../../../../src/sinks/registry.ts';
import { LabelBook } from '../../../../src/sinks/work/label-book.ts';
import { surroundings } from '../../../config/helpers.ts';
import { smallIncident, T0 } from '../../../incidents/sample.ts';
import { until } from '../../../until.ts';
import { webhook } from './index.ts';
import { Receiver } from './receiver.ts';
import { createWebhookSink, type WebhookOptions, type WebhookSink } from './webhook-sink.ts';

const WRITER = fileURLToPath(new URL('./write-until-killed.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fl-webhook-'));
const receivers: Receiver[] = [];
after(async () => {
  for (const receiver of receivers) await receiver.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function receiver(): Promise<Receiver> {
  const one = await new Receiver().start();
  receivers.push(one);
  return one;
}

interface Started {
  readonly sink: WebhookSink;
  readonly codes: string[];
}

async function start(url: string, name: string, more: WebhookOptions = {}): Promise<Started> {
  const codes: string[] = [];
  const log = (fields: unknown) => codes.push(String((fields as { code?: string }).code)); // every line has a code
  const context = {
    host: 'node-3',
    version: '1.2.3',
    simulated: false,
    shadow: false,
    stateDirectory: join(folder, name),
    logDirectory: folder,
    acted: () => {},
    releaseDevices: () => false,
    logger: { info: log, warn: log },
    now: () => T0,
    restored: [],
    known: [],
    loggedAfter: async () => [],
    silenced: () => null,
    said: () => NOTHING_SAID,
    labels: new LabelBook(),
    selfMetrics: () => Promise.reject(new Error('not wanted here')),
  };
  const sink = await createWebhookSink(url, context, { backoff: () => new Backoff(() => 0, 20, 50), ...more });
  sink.start(new AbortController().signal);
  return { sink, codes };
}

function feed(sink: WebhookSink, from: number, to: number): void {
  for (let number = from; number < to; number += 1) sink.incident(smallIncident(number));
}

test('one more entry in the list of sinks makes it, from its key in the configuration to its request', async () => {
  const server = await receiver();
  const list = [...SINKS, webhook] as const;
  const composed = compose({ sources: [], sinks: list });
  const core = { now: () => T0, seriesKeys: () => [] } as unknown as NativeCore; // what the sinks use of it
  const logger = { info: () => {}, warn: () => {} };
  const given = { version: '1', core, restored: [], known: [], sources: () => [], log: () => null, logger };
  const made = async (text: string) => {
    const { config } = await checkConfig(composed, text, 'faultline.yaml', surroundings());
    const state = join(folder, 'listed');
    return createSinks(
      { ...config, directories: { state, log: state, runtime: state } },
      { ...given, servers: () => ({}) },
      list,
    );
  };
  assert.deepEqual((await made('host: node-3')).health(), [], 'off without an address');
  const sinks = await made(`webhook: "${server.url}"`);
  sinks.start(new AbortController().signal);
  sinks.incident(smallIncident(1));
  await until(() => server.taken.length === 1, {});
  await sinks.stop();
  assert.deepEqual(sinks.health(), [{ sink: 'webhook', status: 'works', detail: '1 request sent' }]);
});

test('killed with SIGKILL again and again, every revision of the log arrives, and no message under two keys', async () => {
  const server = await receiver();
  server.react = (number) => (number % 7 === 0 ? { status: 503 } : { status: 204 });
  const directory = join(folder, 'killed');
  let promised: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const last = round === 2;
    const child = spawn(process.execPath, [WRITER, directory, server.url, String(round * 1000)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (text) => {
        said += text;
        if (!last && said.split('\n').length > 10 + 15 * round) child.kill('SIGKILL');
      });
      child.on('close', () => resolve());
      // The last run makes up for what the others left.
      if (last) {
        void until(() => promised.every((revision) => server.seen.has(revision)), {
          seen: () => promised.filter((revision) => !server.seen.has(revision)),
        })
          .catch(() => null)
          .finally(() => child.kill('SIGKILL'));
      }
    });
    if (!last)
      promised = [
        ...promised,
        ...said
          .split('\n')
          .slice(0, -1)
          .filter((line) => line !== 'ready'),
      ];
  }
  assert.ok(promised.length > 30);
  assert.deepEqual(
    promised.filter((revision) => !server.seen.has(revision)),
    [],
  );
  const keys = new Map<string, Set<string>>();
  for (const { key, id, revision } of server.taken) {
    keys.set(`${id} ${revision}`, (keys.get(`${id} ${revision}`) ?? new Set()).add(key));
  }
  assert.deepEqual(
    [...keys].filter(([, own]) => own.size > 1),
    [],
    'a message keeps its key over every resend and restart',
  );
});

test('dead: all waits on disk under the caps, memory stays, and all arrives in order once it is back', async () => {
  const server = await receiver();
  await server.stop();
  const { sink, codes } = await start(server.url, 'dead');
  feed(sink, 0, 200);
  await until(() => sink.delivery.counts().retries > 0 && sink.delivery.counts().memoryBytes === 0, {
    seen: () => sink.delivery.counts(),
  });
  assert.equal(sink.health().status, 'failing');
  assert.deepEqual(codes, ['FL9901'], 'reported once');
  await server.start();
  await until(() => server.taken.length >= 200, { seen: () => server.taken.length });
  await sink.stop();
  assert.deepEqual(
    server.taken.map(({ id }) => id),
    Array.from({ length: 200 }, (_, number) => smallIncident(number).id),
  );
  assert.deepEqual(codes, ['FL9901', 'FL9908']);
  assert.equal(sink.health().detail, '200 requests sent');
});

test('dead for longer than the caps: the oldest go and are counted, the newest arrive', async () => {
  const server = await receiver();
  await server.stop();
  const { sink, codes } = await start(server.url, 'capped', { caps: { maxBytes: 65_536, maxAgeMs: 86_400_000 } });
  for (let number = 0; number < 3000; number += 100) {
    feed(sink, number, number + 100);
    await until(() => sink.delivery.counts().memoryBytes === 0, { seen: () => sink.delivery.counts() });
  }
  const { droppedItems, spoolBytes } = sink.delivery.counts();
  assert.ok(droppedItems > 0 && spoolBytes <= 2 * 65_536, `${droppedItems} ${spoolBytes}`);
  assert.ok(codes.includes('FL9907'));
  await server.start();
  await until(() => server.taken.length + sink.delivery.counts().droppedItems >= 3000, {
    seen: () => [server.taken.length, sink.delivery.counts()],
  });
  await sink.stop();
  assert.equal(server.taken.at(-1)?.id, smallIncident(2999).id);
});

test('slow and refusing: time-outs, 429, 500 and 401 cost nothing but time; 400 is given up and counted', async () => {
  const server = await receiver();
  const reactions = ['silent', { status: 429 }, { status: 500 }, { status: 401 }, { status: 302 }] as const;
  server.react = (number) => reactions[number - 1] ?? { status: 204 };
  const { sink } = await start(server.url, 'refusing', { timeoutMs: 200 });
  feed(sink, 0, 5);
  await until(() => server.taken.length >= 5, { seen: () => sink.delivery.counts() });
  assert.equal(sink.delivery.counts().refusedItems, 0);
  server.react = () => ({ status: 400 });
  feed(sink, 5, 6);
  await until(() => sink.delivery.counts().refusedItems === 1, { seen: () => sink.delivery.counts() });
  await sink.stop();
  assert.equal(sink.counts?.()[0]?.exports.rejected, 1);
});

test('stopped while nothing is answered it keeps what it has within its second, and the next run sends it', async () => {
  const server = await receiver();
  server.react = () => 'silent';
  const first = await start(server.url, 'stopped', { timeoutMs: 60_000 });
  feed(first.sink, 0, 20);
  await until(() => server.asked > 0, {});
  await first.sink.stop();
  server.react = () => ({ status: 204 });
  const second = await start(server.url, 'stopped');
  await until(() => server.seen.size === 20, { seen: () => server.seen.size });
  await second.sink.stop();
  const keys = server.taken.map(({ key }) => key);
  assert.equal(new Set(keys).size, 20);
});

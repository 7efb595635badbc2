// Slow connections of any user shut no one out: who comes with a whole request is answered within a second.
// Runs alone: its assertions are timed.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { noRequests } from '../../src/api/answer.ts';
import { startApi } from '../../src/api/api-server.ts';
import { ProbeListener } from '../../src/api/probe-listener.ts';
import { boundedServer } from '../../src/helpers/http/bounded-server.ts';
import { until } from '../until.ts';
import { connected, raw, TestBackend, temporaryFolder } from './helpers.ts';
import { SLOW, SlowConnections, type Slowness, scrape } from './slow-connections.ts';

const BIG = {
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  body: Buffer.from('# a line\n'.repeat(25_000)),
};
const ROUNDS = 3;

const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function listener(body = BIG.body): Promise<{ target: { host: string; port: number }; probes: ProbeListener }> {
  const backend = new TestBackend();
  backend.exposition = { ...BIG, body };
  const probes = new ProbeListener(backend, { host: '127.0.0.1', port: 0, onTrouble: assert.fail });
  await probes.start();
  closing.push(() => probes.close());
  return { target: { host: '127.0.0.1', port: probes.port() ?? 0 }, probes };
}

async function served(target: Parameters<typeof scrape>[0], paths: readonly string[], mostMs = 5000): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const path of paths) {
      const { status, bytes, ms } = await scrape(target, path);
      assert.equal(status, 200, `${path} in round ${round}`);
      if (path === '/metrics') assert.equal(bytes, BIG.body.length);
      assert.ok(ms < mostMs, `${path} took ${ms} ms`);
    }
    await sleep(100);
  }
}

describe('a scraper from the same address', () => {
  for (const count of [40, 400]) {
    for (const slowness of Object.keys(SLOW) as Slowness[]) {
      test(`is served while ${count} others ${slowness}`, async () => {
        const { target, probes } = await listener();
        const slow = new SlowConnections(target, slowness, count);
        closing.push(() => slow.stop());
        await until(() => slow.size >= Math.min(count, 60));
        // Here the others share a thread with the server; bench/slow-connections.mjs measures them apart.
        await served(target, ['/metrics', '/healthz'], count > 64 ? 15_000 : 5000);
        if (count > 64) assert.ok(probes.counters.evicted + slow.lost > 0);
      });
    }
  }
});

test('a command on the socket is answered while 100 others of the group say nothing, and a follower stays', async () => {
  const backend = new TestBackend();
  const api = await startApi(backend, temporaryFolder());
  closing.push(() => api.close());
  const follower = await connected(api.path);
  closing.push(() => {
    follower.destroy();
  });
  follower.write('GET /v1/events?follow=1 HTTP/1.1\r\nhost: x\r\n\r\n');
  await until(() => backend.eventListeners.size > 0);
  const slow = new SlowConnections({ path: api.path }, 'say nothing', 100);
  closing.push(() => slow.stop());
  await served({ path: api.path }, ['/v1/status', '/healthz']);
  assert.ok(api.counters.evicted > 0);
  assert.equal(backend.eventListeners.size, 1);
});

for (const [what, begun] of [
  ['nothing at all', ''],
  ['half a header', 'GET / HTTP/1.1\r\nhost:'],
  ['half a body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{'],
] as const) {
  test(`hangs up on who sends ${what} for too long, in words, and counts it`, async () => {
    const counts = noRequests();
    const { server, close } = boundedServer((request) => request.resume(), counts, { requestMs: 200, checkMs: 50 });
    const path = join(temporaryFolder(), 'socket');
    server.listen(path);
    closing.push(close);
    await once(server, 'listening');
    assert.match(await raw(path, begun), /^HTTP\/1\.1 408 /);
    assert.equal(counts.refused, 1);
  });
}

test('answers that are not read are bounded in bytes over all connections', async () => {
  // More than the kernel takes of one connection.
  const { target, probes } = await listener(Buffer.alloc(40 * BIG.body.length, 10));
  const slow = new SlowConnections(target, 'do not read the answer', 12);
  closing.push(() => slow.stop());
  await until(() => probes.counters.evicted >= 11, { seen: () => probes.counters });
});

test('a thousand that connect at once turn no one away before the daemon has looked', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fl-crowd-'));
  const api = await startApi(new TestBackend(), directory);
  closing.push(() => api.close());
  const most = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  const refused: string[] = [];
  // All in one turn of the loop that they share with the server: each waits in the kernel's queue.
  const crowd = Array.from({ length: Math.min(1000, most - 1) }, () =>
    connect(api.path).on('error', ({ message }) => refused.push(message)),
  );
  closing.push(() => crowd.forEach((socket) => void socket.destroy()));
  const { status } = await scrape({ path: api.path }, '/healthz');
  assert.deepEqual(refused.filter((message) => message.includes('EAGAIN')), []); // biome-ignore format: one line
  assert.equal(status, 200);
});

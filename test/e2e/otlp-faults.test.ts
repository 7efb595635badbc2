// Collectors that are absent, killed, slow or refuse, against the real daemon: nothing is lost or comes under a second id.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { CollectorUnderTest, collectorMissing } from '../otlp-collector/collector-under-test.ts';
import { Collector, type Reaction } from '../sinks/otlp/collector.ts';
import { DaemonUnderTest, exitOf, type Json } from './daemon-under-test.ts';
import { balanced, ledger } from './otlp-ledger.ts';

/** bench/otlp-daemon.mjs has the long one, of ten minutes. */
const OUTAGE_MS = 18_000;
/** Far above what a run of this length varies by, far below what keeping everything in memory would take. */
const MOST_GROWTH_MIB = 64;

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
});

function daemonTo(endpoint: string, more = ''): DaemonUnderTest {
  const daemon = new DaemonUnderTest({
    gpus: 2,
    extra: `correlation: {hold: 1s, lateness: 1s}
otlp: {endpoint: "${endpoint}", metrics: {interval: 1s}${more}}
`,
  });
  closing.push(daemon);
  return daemon;
}

async function stub(): Promise<Collector> {
  const server = await Collector.grpc();
  closing.push({ close: async () => server.kill() });
  return server;
}

/** Processes that are killed for memory, `perSecond` of them, until it is stopped. */
class Load {
  #pid: number;
  readonly #timer: NodeJS.Timeout;

  constructor(daemon: DaemonUnderTest, perSecond: number, firstPid = 50_000) {
    this.#pid = firstPid;
    this.#timer = setInterval(() => {
      this.#pid += 1;
      daemon.kernel(
        `Out of memory: Killed process ${this.#pid} (python) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:0`,
      );
    }, 1000 / perSecond);
    closing.push({ close: async () => this.stop() });
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function rssMib(pid: number | undefined): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1]) / 1024;
}

async function sinkDetail(daemon: DaemonUnderTest): Promise<string> {
  const sinks = ((await daemon.status())?.sinks ?? []) as Json[]; // contracts' status
  return String(sinks.find(({ sink }) => sink === 'otlp')?.detail);
}

/** Longest time without a point of this series, over all that came. */
function longestGapMs(times: readonly number[]): number {
  const sorted = [...new Set(times)].sort((a, b) => a - b);
  return Math.max(...sorted.slice(1).map((time, i) => time - (sorted[i] ?? time)));
}

describe('a real collector', { skip: collectorMissing() }, () => {
  test('absent at the start, then killed under load: all of it arrives, in bounded memory', async () => {
    const collector = await CollectorUnderTest.absent();
    closing.push(collector);
    const daemon = daemonTo(collector.grpc);
    const child = await daemon.start();
    const load = new Load(daemon, 10);
    await daemon.until('the absence is reported', () => daemon.stderr.includes('FL3201'));
    await collector.start();
    await daemon.until('what waited arrives', () => collector.records().length > 20);
    const before = rssMib(child.pid);
    await collector.kill();
    const rss: number[] = [];
    for (const end = performance.now() + OUTAGE_MS; performance.now() < end; rss.push(rssMib(child.pid)))
      await sleep(1000);
    assert.match(await sinkDetail(daemon), /logs: .* waiting \(\d+ bytes on disk\)/);
    await collector.start();
    load.stop();
    const { compared } = await balanced(daemon, () => ({ records: collector.records(), spans: collector.spans() }));
    assert.ok(compared > 200, `${compared} compared`);
    const energy = () =>
      collector.points().filter((p) => p.metric === 'hw.energy' && p.attributes['hw.id'] === '0000:1b:00.0');
    const newest = Date.now();
    await daemon.until('metrics of now arrive', () => energy().some(({ timeMs }) => timeMs >= newest), 90_000);
    assert.ok(longestGapMs(energy().map(({ timeMs }) => timeMs)) < OUTAGE_MS / 3, 'metrics of the outage arrive too');
    assert.ok(
      Math.max(...rss) < before + MOST_GROWTH_MIB,
      `RSS ${before.toFixed(0)} → ${rss.map(Math.round).join(' ')} MiB`,
    );
    assert.doesNotMatch(await sinkDetail(daemon), /lost/);
  });

  test('the daemon is killed while the collector is away: its next run sends what it kept, under the same ids', async () => {
    const collector = await CollectorUnderTest.absent();
    closing.push(collector);
    const daemon = daemonTo(collector.grpc);
    const first = await daemon.start();
    const load = new Load(daemon, 20);
    await daemon.until('there is something to lose', () => daemon.logged('incident').length > 20);
    load.stop();
    await daemon.until('the spool has it', async () => / waiting \(\d+ bytes/.test(await sinkDetail(daemon)));
    await sleep(1500); // events are held for a second
    first.kill('SIGKILL');
    await exitOf(first);
    await daemon.start();
    await collector.start();
    await balanced(daemon, () => ({ records: collector.records(), spans: collector.spans() }));
  });
});

test('a daemon that is killed again and again in the middle of it leaves nothing out and sends nothing in two versions', async () => {
  const server = await stub();
  const daemon = daemonTo(`http://127.0.0.1:${server.port}`);
  // bench/kill.mjs does this for as long as one likes.
  for (let round = 1; round <= 3; round += 1) {
    const child = await daemon.start();
    const load = new Load(daemon, 40, 50_000 + round * 1_000);
    const known = daemon.logged('incident').length;
    await daemon.until('there is something to lose', () => daemon.logged('incident').length > known + 12);
    child.kill('SIGKILL'); // at whatever it is about: between log and spool, spool and journal, journal and collector
    load.stop();
    await exitOf(child);
  }
  await daemon.start();
  await balanced(daemon, () => ({ records: server.logs, spans: server.spans }));
});

describe('for a while', () => {
  const cases: readonly (readonly [string, Reaction])[] = [
    ['slow: no answer within the timeout', { afterMs: 10_000 }],
    ['UNAVAILABLE', { code: status.UNAVAILABLE }],
    ['RESOURCE_EXHAUSTED with a pause', { code: status.RESOURCE_EXHAUSTED, retryAfterMs: 500 }],
  ];
  for (const [name, reaction] of cases) {
    test(`${name}: reported, then everything arrives once`, async () => {
      const server = await stub();
      let bad = true;
      server.react = () => (bad ? reaction : {});
      const daemon = daemonTo(`http://127.0.0.1:${server.port}`, ', timeout: 1s');
      await daemon.start();
      const load = new Load(daemon, 10);
      await daemon.until('it is reported', () => /FL320[13]/.test(daemon.stderr));
      await daemon.until('there is something to lose', () => daemon.logged('incident').length > 20);
      await daemon.until('every signal was tried again', () => server.asked > 8);
      bad = false;
      load.stop();
      await balanced(daemon, () => ({ records: server.logs, spans: server.spans }), 150_000);
    });
  }
});

test('INVALID_ARGUMENT gives that request up, counts and tells it, and nothing behind it waits', async () => {
  const server = await stub();
  let refused = 0;
  server.react = (signal) => {
    if (signal !== 'logs' || refused >= 3) return {};
    refused += 1;
    return { code: status.INVALID_ARGUMENT };
  };
  const daemon = daemonTo(`http://127.0.0.1:${server.port}`);
  await daemon.start();
  const load = new Load(daemon, 10);
  await daemon.until('three requests are refused and later ones taken', () => refused === 3 && server.logs.length > 20);
  load.stop();
  assert.match(daemon.stderr, /FL3204 .*logs .*INVALID_ARGUMENT/);
  assert.equal(daemon.stderr.split('\n').filter((line) => line.includes('FL3204')).length, 1, 'reported once');
  const lost = Number(/logs: [^;]*?(\d+) items lost/.exec(await sinkDetail(daemon))?.[1]);
  const settled = () => ledger(daemon, { records: server.logs, spans: server.spans }).missing;
  await daemon.until('only what was refused is missing', () => {
    const missing = settled();
    return missing.length <= lost && missing.every((key) => !/^(span|end) /.test(key));
  });
  assert.ok(settled().length > 0);
});

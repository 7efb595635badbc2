// An hour with 10,000 incidents through a channel that is down, played in seconds: nothing is lost, nothing comes twice under another
// key, memory is bounded, and who has a limit of a day is sent no more than that. By scripts/test-delivery, which prints the figures.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Backoff } from '../../../src/sinks/delivery/send/backoff.ts';
import { createNotifySink } from '../../../src/sinks/notify/notify-sink.ts';
import type { NotifyConfig } from '../../../src/sinks/notify/settings.ts';
import { T0 } from '../../incidents/sample.ts';
import { until } from '../../until.ts';
import { sinkContext } from '../context.ts';
import { channel, config, incident, over, route } from './harness.ts';
import { HttpReceiver } from './http-receiver.ts';

const INCIDENTS = 10_000;
const HOUR_MS = 3_600_000;
const MIB = 1024 * 1024;
const ROOM = 100 * MIB;

const folder = mkdtempSync(join(tmpdir(), 'fl-hour-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Sent {
  readonly key: string;
  readonly what: string;
  readonly conversation: string;
}

/** What arrives once the channel is back, and what it took meanwhile. */
async function hour(
  name: string,
  more: Partial<NotifyConfig>,
): Promise<{ sent: readonly Sent[]; heapMiB: number; diskMiB: number }> {
  const receiver = await new HttpReceiver().start();
  await receiver.stop();
  let nowMs = T0;
  const context = sinkContext(join(folder, name), { now: () => nowMs });
  const hook = channel('hook', 'webhook', receiver.url);
  const sink = await createNotifySink(config([hook], more), context, {
    backoff: () => new Backoff(() => 0, 20, 50),
    tickMs: 50,
  });
  sink.start(new AbortController().signal);
  const used = () => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed + process.memoryUsage().external;
  };
  const waiting = () => sink.counts().reduce((sum, { waitingBytes = 0 }) => sum + waitingBytes, 0);
  const before = used();
  let most = 0;
  for (let number = 0; number < INCIDENTS; number += 1) {
    nowMs = T0 + (number * HOUR_MS) / INCIDENTS;
    const first = incident(number);
    sink.incident(first);
    sink.incident(over(first));
    // The hour is played faster than a disk writes: what is not on it yet waits in memory, of which there is little.
    if (number % 50 === 49) await until(() => waiting() - onDisk(join(folder, name)) < MIB);
    if (number % 1000 === 999) most = Math.max(most, used() - before);
  }
  const disk = waiting();
  await receiver.start();
  await until(() => waiting() === 0, { seen: () => [receiver.taken.length, waiting()], limitMs: 600_000 });
  await sink.stop();
  await receiver.stop();
  const bodies = receiver.bodies as unknown as Sent[]; // what the webhook posts
  return {
    sent: [...new Map(bodies.map((body) => [body.key, body])).values()],
    heapMiB: most / MIB,
    diskMiB: disk / MIB,
  };
}

function onDisk(path: string): number {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((each) => each.endsWith('.spool'));
  return names.reduce((sum, each) => sum + (statSync(join(path, each), { throwIfNoEntry: false })?.size ?? 0), 0);
}

const count = (sent: readonly Sent[], what: string) => sent.filter((each) => each.what === what).length;

test('without a limit: each incident opened and resolved, in order, under one key each', async (t) => {
  const { sent, heapMiB, diskMiB } = await hour('all', {
    limitADay: 100_000,
    caps: { maxBytes: 512 * MIB, maxAgeMs: 86_400_000 },
  });
  assert.deepEqual(
    [count(sent, 'opened'), count(sent, 'resolved'), sent.length],
    [INCIDENTS, INCIDENTS, 2 * INCIDENTS],
  );
  const first = new Map<string, string>();
  for (const { conversation, what } of sent) if (!first.has(conversation)) first.set(conversation, what);
  assert.deepEqual(new Set(first.values()), new Set(['opened']));
  assert.ok(heapMiB < ROOM / MIB, `${heapMiB}`);
  t.diagnostic(
    `${sent.length} messages, none lost, none under two keys; memory +${heapMiB.toFixed(0)} MiB, on disk ${diskMiB.toFixed(0)} MiB`,
  );
});

test('as it comes: 50 a day, one word that more is held back, and no message without its end', async (t) => {
  const { sent, heapMiB, diskMiB } = await hour('limited', {});
  assert.deepEqual([count(sent, 'opened'), count(sent, 'held'), count(sent, 'resolved')], [50, 1, 50]);
  t.diagnostic(
    `${sent.length} messages of ${INCIDENTS} incidents; memory +${heapMiB.toFixed(0)} MiB, on disk ${diskMiB.toFixed(1)} MiB`,
  );
});

test('grouped by what is the same: no more conversations than the limit', async (t) => {
  const { sent } = await hour('grouped', { routes: [route(['hook'], { groupBy: ['kind'] })] });
  t.diagnostic(
    `${sent.length} messages in ${new Set(sent.map(({ conversation }) => conversation)).size} conversations`,
  );
  assert.ok(sent.length <= 101, `${sent.length}`);
});

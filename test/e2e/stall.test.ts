// One of eight GPUs hangs inside its driver: the samples of the others, kernel lines, the API and shutdown continue as before.
// Runs alone: its assertions are timed.
// The short form of bench/stall.mjs: what is during is held against what was before, never against a clock.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DaemonUnderTest, exitOf } from './daemon-under-test.ts';

const BEFORE_MS = 5_000;
const DURING_MS = 8_000;
const STUCK = 3;
/** A busy machine makes a single request ten times slower; one that waits for the hung call is a hundred times slower. */
const MOST_TIMES_SLOWER = 20;
const LEAST_SHARE = 0.5;

const closing: DaemonUnderTest[] = [];
afterEach(async () => {
  for (const daemon of closing.splice(0)) await daemon.close();
});

interface Phase {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly api: number[];
  readonly lines: number[];
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

let lines = 0;

/** Asks the API all the time, and writes a kernel line every second, each about another device. */
async function phase(daemon: DaemonUnderTest, durationMs: number): Promise<Phase> {
  const api: number[] = [];
  const reported: number[] = [];
  const fromMs = Date.now();
  for (let turn = 0; Date.now() < fromMs + durationMs; turn += 1) {
    const asked = performance.now();
    assert.notEqual(await daemon.status(), null, 'the API answers');
    api.push(performance.now() - asked);
    if (turn % 10 === 0) reported.push(await line(daemon));
    await sleep(100);
  }
  return { fromMs, untilMs: Date.now(), api, lines: reported };
}

async function line(daemon: DaemonUnderTest): Promise<number> {
  lines += 1;
  const before = daemon.logged('incident').length;
  const written = performance.now();
  daemon.kernel(`NVRM: Xid (PCI:00${(0x10 + lines).toString(16)}:01:00): 79, GPU has fallen off the bus.`);
  await daemon.until('the kernel line is an incident', () => daemon.logged('incident').length > before);
  return performance.now() - written;
}

/** Seconds of each GPU's power in a phase, in the order of their names: the recording has the newest value of each. */
function sampled(daemon: DaemonUnderTest, { fromMs, untilMs }: Phase): Map<string, number> {
  const seen = new Map<string, Set<number>>();
  for (const text of readFileSync(daemon.recording, 'utf8').split('\n').slice(0, -1)) {
    const { background } = JSON.parse(text);
    for (const [i, key] of (background?.keys ?? []).entries()) {
      const timeMs = background.timesMs[i];
      if (!/^gpu\/[^#]*#power$/.test(key) || timeMs < fromMs || timeMs > untilMs) continue;
      seen.set(key, (seen.get(key) ?? new Set()).add(timeMs));
    }
  }
  const counts = [...seen].map(([key, times]) => [key, (1000 * times.size) / (untilMs - fromMs)] as const);
  return new Map(counts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

test('a GPU that hangs costs the other seven, the kernel log, the API and shutdown nothing', async () => {
  const daemon = new DaemonUnderTest({ gpus: 8 });
  closing.push(daemon);
  const child = await daemon.start();
  await daemon.until('there are samples', async () => Number(Object(await daemon.status()).native?.samples) > 100);
  const before = await phase(daemon, BEFORE_MS);
  daemon.control(`devices 8\ngpu.${STUCK}.hang 1\n`);
  const during = await phase(daemon, DURING_MS);
  child.kill('SIGTERM');
  assert.equal((await exitOf(child)).code, 0);

  const usual = sampled(daemon, before);
  const then = sampled(daemon, during);
  assert.equal(usual.size, 8);
  const [stuck] = [...usual.keys()].slice(STUCK);
  for (const [key, rate] of usual) {
    const share = (then.get(key) ?? 0) / rate;
    if (key === stuck) assert.equal(share < LEAST_SHARE, true, `${key} hangs, and has ${share} of its samples`);
    else assert.equal(share >= LEAST_SHARE, true, `${key} has ${share} of its samples`);
  }
  for (const what of ['api', 'lines'] as const) {
    const [ago, now] = [median(before[what]), median(during[what])];
    assert.equal(now <= MOST_TIMES_SLOWER * ago, true, `${what}: ${now} ms, before ${ago} ms`);
  }
});

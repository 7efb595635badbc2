// Speed gate: through the real native detector — uneven jobs, starts and saves raise nothing; real slowdowns do, at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Detection } from '../../src/detection/detection.ts';
import { native } from '../../src/native.ts';
import { type RandomStream, randomStream } from '../../src/simulator/random.ts';

const T0 = Date.UTC(2026, 10, 27, 14, 32, 0);
const STEP_MS = 1000;

class Job {
  readonly #core = new (native().Core)({ historySeconds: 180, maxSeries: 64 });
  readonly #detection = new Detection(this.#core, 'node-3');
  readonly told: string[] = [];
  readonly attributes: Record<string, unknown>[] = [];
  #step = 0;
  #line = 0;

  /** One line of the log that tells a step of so many milliseconds. */
  step(ms: number): this {
    this.#step += 1;
    return this.line(
      ` iteration ${this.#step}/ 100000 | elapsed time per iteration (ms): ${ms.toFixed(1)} | lm loss: 2.0E+00 |`,
    );
  }

  line(text: string): this {
    this.#line += 1;
    const timeMs = T0 + this.#step * STEP_MS;
    const attributes = { job: 'llama', framework: 'megatron' };
    const record = {
      source: 'job-log',
      trust: 'tenant',
      stream: 'log',
      position: this.#line,
      timeMs,
      timeDigits: 3,
    } as const;
    this.#take(this.#detection.text({ ...record, observedMs: timeMs, text, attributes }));
    this.#take(this.#detection.edges(this.#core.drain().edges, timeMs));
    return this;
  }

  #take(detected: ReturnType<Detection['text']>): void {
    for (const { event } of detected) {
      if (event.kind !== 'job.throughput_drop') continue;
      this.told.push(`${event.state} ${this.#step}`);
      this.attributes.push({ ...event.attributes });
    }
  }

  close(): void {
    this.#core.close();
  }
}

function job(t: { after(done: () => void): void }): Job {
  const made = new Job();
  t.after(() => made.close());
  return made;
}

test('an even job that slows is told with the second slow step, and its end with the first usual one', (t) => {
  const made = job(t);
  for (let i = 0; i < 30; i += 1) made.step(400 + (i % 3));
  made.step(560).step(565).step(570).step(401);
  assert.deepEqual(made.told, ['onset 32', 'clear 34']);
  assert.ok(Number(made.attributes[0]?.spread) < 0.01);
});

test('a job whose steps differ by a fifth raises nothing in a day, and is told when it slows for real', (t) => {
  const made = job(t);
  const random = randomStream(7, 'an uneven job');
  const noisy = () => 400 * (1 + 0.2 * normal(random));
  for (let i = 0; i < 20_000; i += 1) made.step(Math.max(noisy(), 40));
  assert.deepEqual(made.told, []);
  for (let i = 0; i < 20; i += 1) made.step(noisy() + 1200);
  assert.match(String(made.told), /^onset 2000\d$/);
});

test('an onset that was held back is told when it grows, and its end only where it was told', (t) => {
  const made = job(t);
  for (let i = 0; i < 40; i += 1) made.step(i % 2 === 0 ? 360 : 440);
  made.step(560).step(560);
  assert.deepEqual(made.told, [], 'within four deviations');
  made.step(900).step(900);
  assert.deepEqual(made.told, ['onset 44']);
  made.step(400);
  assert.deepEqual(made.told, ['onset 44', 'clear 45']);
  made.step(560).step(560).step(400);
  assert.deepEqual(made.told, ['onset 44', 'clear 45'], 'held back and over again');
});

test('the first steps after a start compile and warm up; one that stays slow is told', (t) => {
  const made = job(t);
  for (let i = 0; i < 20; i += 1) made.step(400);
  made.line('[before the start of training step] training ...');
  made.step(9000).step(1500).step(700).step(401).step(400);
  assert.deepEqual(made.told, []);
  made.line('[before the start of training step] training ...');
  made.step(9000).step(1500).step(700).step(700).step(700);
  assert.deepEqual(made.told, ['onset 30']);
});

/** Box and Muller's. */
function normal(random: RandomStream): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

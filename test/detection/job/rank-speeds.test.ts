// Ranks that report their own speed: one that is slow alone is reported, all together are the job's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Detection } from '../../../src/detection/detection.ts';
import { MAX_RANKS, RankSpeeds } from '../../../src/detection/job/rank-speeds.ts';
import type { RankStep } from '../../../src/detection/text/job/decoded.ts';
import { EMPTY_STEP } from '../../../src/detection/text/job/progress.ts';
import { Identity } from '../../../src/identity/identity.ts';
import { LocalRanks } from '../../../src/identity/rank/local-ranks.ts';
import { native } from '../../../src/native.ts';
import { jobDiscoveries } from '../../../src/sources/job-log/discovery.ts';
import { T0 } from '../logged-job.ts';

const STEP_MS = 10_000;

/** A job whose ranks each write a torchtitan line a step, with so many tokens per second. */
class Ranks {
  readonly #core = new (native().Core)({ historySeconds: 600, maxSeries: 256 });
  readonly #identity = new Identity('node-3');
  readonly #detection = new Detection(this.#core, 'node-3', { identity: this.#identity });
  readonly #ranks: readonly number[];
  readonly #prefix: (index: number) => string;
  readonly reported: string[] = [];
  readonly trusts = new Set<string>();
  #step = 0;
  #position = 0;

  constructor(ranks: readonly number[], prefix: (index: number) => string, configured: boolean) {
    this.#ranks = ranks;
    this.#prefix = prefix;
    const config = { job: 'llama', path: '/l', framework: 'auto', ranks: [...ranks], worldSize: null } as const;
    if (configured) for (const found of jobDiscoveries(config, 'node-3')) this.#identity.learn(found);
  }

  /** So many steps; `speed` gives the tokens of the n-th rank, null where it writes nothing. */
  run(steps: number, speed: (index: number) => number | null, first = 0): this {
    for (let i = 0; i < steps; i += 1) {
      this.#step += 1;
      for (let n = 0; n < this.#ranks.length; n += 1) {
        const index = (n + first) % this.#ranks.length;
        const tokens = speed(index);
        if (tokens === null) continue;
        const jitter = (this.#step + index) % 3;
        this.line(`${this.#prefix(index)} step: ${this.#step}  loss:  2.3100  tps: ${tokens + jitter}`, index);
      }
    }
    return this;
  }

  line(text: string, afterMs = 0): this {
    this.#position += 1;
    const timeMs = T0 + this.#step * STEP_MS + afterMs;
    const attributes = { job: 'llama', framework: 'auto' };
    const where = { source: 'job-log', trust: 'tenant', stream: 'log', position: this.#position } as const;
    const record = { ...where, timeMs, timeDigits: 3, observedMs: timeMs, text, attributes };
    const found = [...this.#detection.text(record), ...this.#detection.edges(this.#core.drain().edges, timeMs)];
    for (const { event } of found) {
      if (event.attributes?.quantity === 'step time') continue;
      const { type, id } = event.component ?? { type: 'none', id: '' };
      this.reported.push(`${event.kind} ${type}/${id} ${event.state} ${this.#step}`);
      this.trusts.add(event.trust);
    }
    return this;
  }

  close(): void {
    this.#core.close();
  }
}

function ranks(
  t: { after(done: () => void): void },
  numbers = [8, 9, 10, 11],
  prefix = (index: number) => `[rank${numbers[index]}]:`,
  configured = true,
): Ranks {
  const made = new Ranks(numbers, prefix, configured);
  t.after(() => made.close());
  return made;
}

const usual = () => 6000;
const only =
  (slow: number, tokens = 3000) =>
  (index: number) =>
    index === slow ? tokens : 6000;

test('a rank that is slow alone is reported, with its end, and the job is not', (t) => {
  const job = ranks(t).run(30, usual).run(8, only(2)).run(4, usual);
  assert.deepEqual(job.reported, ['job.straggler rank/llama/10 onset 33', 'job.straggler rank/llama/10 clear 39']);
  assert.deepEqual([...job.trusts], ['tenant']);
});

test('the same where the slow rank writes first, so that the job is known by its lines', (t) => {
  const job = ranks(t).run(30, usual, 2).run(8, only(2), 2).run(4, usual, 2);
  assert.deepEqual(job.reported, ['job.straggler rank/llama/10 onset 33', 'job.straggler rank/llama/10 clear 39']);
});

test('ranks that are slow all together are the job, once, and armed again afterwards', (t) => {
  const job = ranks(t).run(30, usual);
  job
    .run(8, () => 3000)
    .run(10, usual)
    .run(4, () => 3000);
  const reported = ['onset 32', 'clear 39', 'onset 50'].map((what) => `job.throughput_drop job/llama ${what}`);
  assert.deepEqual(job.reported, reported);
});

test('the one that stays slow when the others are well again is reported then', (t) => {
  const job = ranks(t)
    .run(30, usual)
    .run(5, () => 3000)
    .run(5, only(1));
  assert.equal(job.reported[0], 'job.throughput_drop job/llama onset 32');
  assert.deepEqual(
    job.reported.filter((what) => what.startsWith('job.straggler')),
    ['job.straggler rank/llama/9 onset 37'],
  );
});

test('a rank that writes alone has no other to be held against: the job is reported', (t) => {
  const job = ranks(t, [0])
    .run(30, usual)
    .run(5, () => 3000);
  assert.deepEqual(job.reported, ['job.throughput_drop job/llama onset 32']);
});

test('what the others reported before they fell silent counts for nothing', (t) => {
  const job = ranks(t)
    .run(30, usual)
    .run(5, (index) => (index === 0 ? 3000 : null));
  assert.deepEqual(job.reported, ['job.throughput_drop job/llama onset 32']);
});

test('what the log says of an evaluation holds for every rank', (t) => {
  const job = ranks(t).run(30, usual);
  job.line('[rank8]: validate step: 30  loss:  2.2000  memory: 20.00GiB(25.00%)  tps: 9,000', 500);
  job.run(2, only(0)).run(4, usual);
  assert.deepEqual(job.reported, []);
});

test('torchrun’s own prefix counts ranks of this host', (t) => {
  const job = ranks(t, [8, 9, 10, 11], (index) => `[default${index}]:`)
    .run(30, usual)
    .run(5, only(3));
  assert.deepEqual(job.reported, ['job.straggler rank/llama/11 onset 33']);
});

test('local ranks say nothing where the ranks are not configured, global ones do', (t) => {
  const local = ranks(t, [8, 9], (index) => `[default${index}]:`, false)
    .run(30, usual)
    .run(5, only(1));
  assert.deepEqual(local.reported, []);
  const global = ranks(t, [0, 1], (index) => `[rank${index}]:`, false)
    .run(30, usual)
    .run(5, only(1));
  assert.deepEqual(global.reported, ['job.straggler rank/llama/1 onset 33']);
});

test('no more ranks of a job are watched than the cap says', () => {
  const speeds = new RankSpeeds(new LocalRanks());
  const progress = { ...EMPTY_STEP, step_time_ms: 400, step_time_from: 'printed', time: null, rank: null } as const;
  for (let number = 0; number < 3 * MAX_RANKS; number += 1) {
    const step: RankStep = { label: { number, means: 'global' }, timeMs: T0, progress };
    const samples = speeds.samples('llama', [step]);
    assert.equal(samples?.keys.length ?? 0, number < MAX_RANKS ? 1 : 0);
  }
  assert.equal(speeds.of('llama').length, MAX_RANKS);
});

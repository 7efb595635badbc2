// What a saved log shows of a job a daemon that knows nothing but that log says as well, once the log shows it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pipeline } from '../../../src/daemon/pipeline.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { LOG_READ_EVERY_MS, logRead } from '../../../src/model/log-read.ts';
import { native } from '../../../src/native.ts';

const START = Date.UTC(2026, 10, 27, 12, 0, 0);

/** A daemon that follows one log, and reads nothing else. */
class Follower {
  readonly #core = new (native().Core)({ historySeconds: 180, maxSeries: 64 });
  readonly #incidents = new Map<string, Incident>();
  readonly #pipeline: Pipeline;
  #nowMs = START;
  #lines = 0;
  #unsaid = 0;

  constructor() {
    this.#pipeline = new Pipeline({
      host: 'node-3',
      core: this.#core,
      latenessMs: 30_000,
      holdMs: 30_000,
      links: [],
      now: () => this.#nowMs,
      onEvent: () => {},
      onIncident: (incident) => this.#incidents.set(incident.id, incident),
    });
  }

  line(text: string): void {
    this.#unsaid += 1;
    this.#lines += 1;
    const attributes = { job: 'bloom', framework: 'auto' };
    this.#pipeline.text({ source: 'job-log', trust: 'tenant', stream: 'job/bloom:/x.log', position: this.#lines, timeMs: null, timeDigits: 0, observedMs: this.#nowMs, text, attributes }); // biome-ignore format: one record
  }

  /** A line without a word of any rule, which the source only counts. */
  passed(): void {
    this.#unsaid += 1;
  }

  wait(ms: number): void {
    for (const untilMs = this.#nowMs + ms; this.#nowMs < untilMs; ) {
      this.#nowMs = Math.min(untilMs, this.#nowMs + LOG_READ_EVERY_MS);
      this.#pipeline.samples(logRead('job-log', 'bloom', this.#nowMs, this.#unsaid));
      this.#unsaid = 0;
      this.#pipeline.advance(this.#nowMs);
    }
  }

  end(): string[] {
    this.#pipeline.finish();
    this.#core.close();
    return [...this.#incidents.values()].filter(({ mergedInto }) => mergedInto === null).map(({ root }) => root.kind);
  }
}

const step = (iteration: number, seconds: number): string =>
  `[default7]: iteration ${iteration}/ 115311 | consumed samples: 7145 | elapsed time per iteration (s): ${seconds.toFixed(2)} | lm loss: 2.117E+00 |`;

test('a scheduler’s pulses for hours behind one step are a hang', () => {
  const log = new Follower();
  log.line(step(45_000, 111));
  for (let hour = 0; hour < 2; hour += 1) {
    log.wait(3_600_000);
    log.passed();
  }
  log.wait(120_000);
  assert.deepEqual(log.end(), ['job.hang']);
});

test('a silent log behind one step is none: the job may be over', () => {
  const log = new Follower();
  log.line(step(45_000, 111));
  log.wait(7_200_000);
  assert.deepEqual(log.end(), []);
});

test('steps that took a few percent longer to the end are a drop once the log fell silent', () => {
  for (const [slow, kinds] of [
    [110, ['job.throughput_drop']],
    [105.4, []],
  ] as const) {
    const log = new Follower();
    for (const [i, seconds] of [105.16, 105.17, 105.3, slow, slow + 0.3].entries()) {
      log.line(step(42_780 + i, seconds));
      log.wait(seconds * 1000);
    }
    log.wait(900_000);
    assert.deepEqual(log.end(), kinds);
  }
});

test('steps hours apart, whose lines say another day, are no hang', () => {
  const log = new Follower();
  for (const [day, iteration, rank] of [
    ['20251023', 424, '63/64'],
    ['20251121', 5, '31/32'],
    ['20251202', 2200, '7/8'],
  ] as const) {
    log.line(`[${day} 12:39:12][rank-${rank}][INFO ] [--------trainer.py:2382] :  iteration ${iteration}/   40000 | consumed samples:        27136 | elapsed time per iteration (ms): 16601.3/17219.3 | lm loss: 4.447942E+00 |`); // biome-ignore format: one line
    log.wait(7_200_000);
  }
  assert.deepEqual(log.end(), []);
});

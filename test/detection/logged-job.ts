// A job whose log goes line by line through the real detection, for tests of what is reported its speed.

import { Detection } from '../../src/detection/detection.ts';
import { native } from '../../src/native.ts';

export const T0 = Date.UTC(2026, 10, 27, 14, 32, 0);
/** The log's clock moves on by this much for each step, whatever the line says of it, unless reported otherwise. */
const STEP_MS = 1000;

export class LoggedJob {
  readonly #core = new (native().Core)({ historySeconds: 180, maxSeries: 64 });
  readonly #detection = new Detection(this.#core, 'node-3');
  /** "onset 32", "clear 34", "pause evaluation 34": what was reported, and after how many steps. */
  readonly reported: string[] = [];
  readonly attributes: Record<string, unknown>[] = [];
  readonly #name: string;
  #step = 0;
  #line = 0;
  #nowMs = T0;

  constructor(name = 'llama') {
    this.#name = name;
  }

  get steps(): number {
    return this.#step;
  }

  /** One line of the log that reports a step of so many milliseconds. */
  step(ms: number, more = ''): this {
    this.#step += 1;
    this.#nowMs += STEP_MS;
    return this.line(
      ` iteration ${this.#step}/ 100000 | elapsed time per iteration (ms): ${ms.toFixed(1)} | lm loss: 2.0E+00 | ${more}`,
    );
  }

  /** The same in torchtitan's words, with so many tokens per second and GPU. */
  titanStep(tokensPerSecond: number): this {
    this.#step += 1;
    this.#nowMs += STEP_MS;
    return this.line(
      `[rank0]:[titan] 2026-11-27 14:33:00,000 - root - INFO - step: ${this.#step}  loss:  2.3100  memory: 20.00GiB(25.00%)  tps: ${tokensPerSecond.toLocaleString('en-US')}  tflops: 100.00  mfu: 30.00%`,
    );
  }

  run(steps: number, ms: number): this {
    for (let i = 0; i < steps; i += 1) this.step(ms + (i % 3));
    return this;
  }

  /** Time without a line. */
  wait(ms: number): this {
    this.#nowMs += ms;
    return this;
  }

  line(text: string): this {
    this.#line += 1;
    const timeMs = this.#nowMs;
    const attributes = { job: this.#name, framework: 'auto' };
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
      if (event.kind === 'job.pause') this.reported.push(`pause ${event.attributes?.why} ${this.#step}`);
      if (event.kind !== 'job.throughput_drop') continue;
      this.reported.push(`${event.state} ${this.#step}`);
      this.attributes.push({ ...event.attributes });
    }
  }

  close(): void {
    this.#core.close();
  }
}

export function loggedJob(t: { after(done: () => void): void }, name?: string): LoggedJob {
  const made = new LoggedJob(name);
  t.after(() => made.close());
  return made;
}

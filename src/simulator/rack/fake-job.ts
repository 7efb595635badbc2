// A training job that writes a progress line at the end of each step, as Megatron or torchtitan does.

import { closeSync, openSync, writeSync } from 'node:fs';
import { jitter, type RandomStream } from '../random.ts';
import type { HostChanges } from '../scenario/changes/host.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import type { PlannedJob } from '../scenario/world.ts';
import type { Cancel, ScenarioClock } from '../scenario-clock.ts';

const BATCH = 2048;
/** TFLOP/s of a GPU at the usual step time. */
const USUAL_TFLOPS = 412.6;

/** What a job writes in its lines, where it is not the usual. */
export type Numbers = Partial<Omit<NonNullable<HostChanges['job_numbers']>, 'job'>>;

export class FakeJob {
  readonly job: PlannedJob;
  readonly #clock: ScenarioClock;
  readonly #random: RandomStream;
  readonly #jitter: number;
  readonly #file: number;
  #iteration: number;
  #factor = 1;
  /** Of the step under way; null while the job hangs. */
  #cancel: Cancel | null = null;

  constructor(path: string, job: PlannedJob, clock: ScenarioClock, random: RandomStream, jitterShare: number) {
    this.job = job;
    this.#clock = clock;
    this.#random = random;
    this.#jitter = jitterShare;
    this.#iteration = 100 + Math.floor(random() * 400);
    this.#file = openSync(path, 'a', 0o600);
    this.#begin();
  }

  /** Steps that begin from now on take longer; a hang holds the one under way as well. */
  update(changes: readonly PlannedChange[]): void {
    this.#factor = 1;
    let hangs = false;
    for (const change of changes) {
      // It writes as one: a rank that is slow alone shows nowhere.
      const slows = change.type === 'job_slowdown' && change.job === this.job.id && change.rank === undefined;
      if (slows) this.#factor = change.factor;
      if (change.type === 'job_hang' && change.job === this.job.id) hangs = true;
    }
    if (hangs) {
      this.#cancel?.();
      this.#cancel = null;
    } else if (this.#cancel === null) this.#begin();
  }

  close(): void {
    this.#cancel?.();
    closeSync(this.#file);
  }

  #begin(): void {
    const stepMs = jitter(this.#random, this.job.stepTimeMs * this.#factor, this.#jitter * 5);
    this.#cancel = this.#clock.at(this.#clock.now() + stepMs, () => {
      this.#iteration += 1;
      writeSync(this.#file, `${progressLine(this.job, this.#iteration, stepMs, this.#random, new Date())}\n`);
      this.#begin();
    });
  }
}

/** One line; `now` is written in local time, as the frameworks do. */
export function progressLine(
  job: PlannedJob,
  iteration: number,
  stepMs: number,
  random: RandomStream,
  now: Date,
  numbers: Numbers = {},
): string {
  const usualLoss = jitter(random, 2.1 * (1 + 8 / (iteration + 20)), 0.01);
  const usualNorm = jitter(random, 0.92, 0.05);
  const [loss, norm] = [Number(numbers.loss ?? usualLoss), Number(numbers.grad_norm ?? usualNorm)];
  const tflops = numbers.tflops ?? (USUAL_TFLOPS * job.stepTimeMs) / stepMs;
  const { date, time } = stamped(now);
  if (job.framework === 'torchtitan') {
    const tps = Math.round((job.tokensPerStep / (job.worldSize ?? 8) / stepMs) * 1000);
    return `${titan(now)}step: ${iteration}  loss: ${fixed(loss, 4)}  grad_norm: ${fixed(norm, 4)}  memory: 61.23GiB(77.30%)  tps: ${tps.toLocaleString('en-US')}  tflops: ${tflops.toFixed(2)}  mfu: ${((tflops / 989) * 100).toFixed(2)}%`;
  }
  const parts = [
    ` [${date} ${time}] iteration ${String(iteration).padStart(8)}/${String(job.iterations).padStart(8)}`,
    `consumed samples: ${String(iteration * BATCH).padStart(12)}`,
    `elapsed time per iteration (ms): ${stepMs.toFixed(1)}`,
    `throughput per GPU (TFLOP/s/GPU): ${tflops.toFixed(1)}`,
    'learning rate: 1.500000E-04',
    `global batch size: ${String(BATCH).padStart(5)}`,
    `lm loss: ${scientific(loss)}`,
    'loss scale: 1.0',
    `grad norm: ${fixed(norm, 3)}`,
    `number of skipped iterations: ${String(numbers.skipped_iterations ?? 0).padStart(3)}`,
    `number of nan iterations: ${String(numbers.nan_iterations ?? 0).padStart(3)} |`,
  ];
  return parts.join(' | ');
}

/** What the frameworks print once all steps are done: Megatron's training.py, torchtitan's train.py. */
export function lastLines({ framework }: PlannedJob, now: Date): string[] {
  const { date, time } = stamped(now);
  if (framework === 'torchtitan') return [`${titan(now)}Training completed`, `${titan(now)}Process group destroyed.`];
  return [`[after training is done] datetime: ${date} ${time} `];
}

function stamped(now: Date): { readonly date: string; readonly time: string } {
  const two = (value: number) => String(value).padStart(2, '0');
  return {
    date: `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`,
    time: `${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`,
  };
}

function titan(now: Date): string {
  const { date, time } = stamped(now);
  return `[titan] ${date} ${time},${String(now.getMilliseconds()).padStart(3, '0')} - root - INFO - `;
}

/** As C and Python print it: nan, inf, -inf. */
function odd(value: number): string | null {
  if (Number.isNaN(value)) return 'nan';
  return Number.isFinite(value) ? null : value > 0 ? 'inf' : '-inf';
}

function fixed(value: number, digits: number): string {
  return odd(value) ?? value.toFixed(digits);
}

/** C's %.6E: an exponent of two digits at least. */
function scientific(value: number): string {
  const word = odd(value);
  if (word !== null) return word.toUpperCase();
  const [mantissa, exponent] = value.toExponential(6).split('e');
  const power = Number(exponent);
  return `${mantissa}E${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

// Progress: one training step as its log line reports it, in the shape of the `progress` entries that commands print.

import { seriesKey } from '../../../model/reading.ts';
import type { SampleBatch } from '../../../model/record.ts';
import type { Framework } from './framework.ts';
import { isFiniteNumber, type LoggedNumber } from './number.ts';

/** Keys as in the documents that commands print; units in the names, ratios 0 to 1, absent is null. */
export interface Progress {
  readonly framework: Framework;
  /** RFC 3339; null when the line has no time of its own that can be trusted. */
  readonly time: string | null;
  readonly rank: number | null;
  /** Null where the framework prints none with these numbers. */
  readonly iteration: number | null;
  readonly target_iteration: number | null;
  readonly step_time_ms: number | null;
  /** `printed` by the framework, or the difference of line times (torchtitan prints none), or of arrivals: coarse. */
  readonly step_time_from: 'printed' | 'line_times' | 'arrival' | null;
  /** Of the whole job, where the framework prints that. */
  readonly tokens_per_second: number | null;
  readonly tokens_per_second_per_gpu: number | null;
  readonly samples_per_second: number | null;
  readonly tflops_per_gpu: number | null;
  readonly loss: LoggedNumber | null;
  readonly loss_scale: LoggedNumber | null;
  readonly grad_norm: LoggedNumber | null;
  /** Gradients that are zero. */
  readonly num_zeros: number | null;
  readonly learning_rate: number | null;
  readonly global_batch_size: number | null;
  readonly consumed_samples: number | null;
  readonly consumed_tokens: number | null;
  readonly memory_used_gb: number | null;
  readonly memory_free_gb: number | null;
  readonly memory_total_gb: number | null;
  readonly memory_ratio: number | null;
  readonly mfu: number | null;
  readonly skipped_iterations: number | null;
  readonly nan_iterations: number | null;
}

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What one line says by itself, before times are put in. */
export type StepLine = Omit<Progress, 'time' | 'rank'>;

/** A line that reports nothing. */
export const EMPTY_STEP: StepLine = {
  framework: 'other',
  iteration: null,
  target_iteration: null,
  step_time_ms: null,
  step_time_from: null,
  tokens_per_second: null,
  tokens_per_second_per_gpu: null,
  samples_per_second: null,
  tflops_per_gpu: null,
  loss: null,
  loss_scale: null,
  grad_norm: null,
  num_zeros: null,
  learning_rate: null,
  global_batch_size: null,
  consumed_samples: null,
  consumed_tokens: null,
  memory_used_gb: null,
  memory_free_gb: null,
  memory_total_gb: null,
  memory_ratio: null,
  mfu: null,
  skipped_iterations: null,
  nan_iterations: null,
};

const GB = 1e9;

/** What each series of a job, or of a rank, is of a step: quantity, and its value in SI units. */
const SERIES: readonly (readonly [quantity: string, of: (progress: Progress) => LoggedNumber | null])[] = [
  ['step_time', ({ step_time_ms: ms, step_time_from: from }) => (from === 'arrival' ? null : scaled(ms, 0.001))],
  ['tokens_per_second', (progress) => progress.tokens_per_second],
  ['tokens_per_second_per_gpu', (progress) => progress.tokens_per_second_per_gpu],
  ['samples_per_second', (progress) => progress.samples_per_second],
  ['tflops_per_gpu', (progress) => progress.tflops_per_gpu],
  ['mfu', (progress) => progress.mfu],
  ['iteration', (progress) => progress.iteration],
  ['target_iteration', (progress) => progress.target_iteration],
  ['loss', (progress) => progress.loss],
  ['loss_scale', (progress) => progress.loss_scale],
  ['grad_norm', (progress) => progress.grad_norm],
  ['zeros', (progress) => progress.num_zeros],
  ['learning_rate', (progress) => progress.learning_rate],
  ['batch_size', (progress) => progress.global_batch_size],
  ['consumed_samples', (progress) => progress.consumed_samples],
  ['consumed_tokens', (progress) => progress.consumed_tokens],
  ['memory_used', (progress) => scaled(progress.memory_used_gb, GB)],
  ['memory_free', (progress) => scaled(progress.memory_free_gb, GB)],
  ['memory_total', (progress) => scaled(progress.memory_total_gb, GB)],
  ['memory_ratio', (progress) => progress.memory_ratio],
  ['skipped_iterations', (progress) => progress.skipped_iterations],
  ['nan_iterations', (progress) => progress.nan_iterations],
];

/** Of these each rank has a series of its own: what differs from rank to rank. The rest is the job's. */
const OF_RANKS: ReadonlySet<string> = new Set([
  'step_time',
  'tokens_per_second_per_gpu',
  'tflops_per_gpu',
  'loss',
  'grad_norm',
  'memory_used',
  'memory_ratio',
]);
const RANK_SERIES = SERIES.filter(([quantity]) => OF_RANKS.has(quantity));

/** Which quantities of a step were samples: a bit each. */
export interface Reported {
  bits: number;
}

/** Of the job that was asked for last: nearly all lines in a row are of one. */
let keysOf: { readonly job: string; readonly keys: readonly string[] } = { job: '', keys: [] };

function seriesOf(job: string): readonly string[] {
  if (keysOf.job !== job || keysOf.keys.length === 0)
    keysOf = { job, keys: SERIES.map(([quantity]) => seriesKey(`job/${job}`, quantity)) };
  return keysOf.keys;
}

/**
 * The step's numbers as samples of the job; what is not a finite number is not a sample, and what `reported` holds was one before for
 * the same step: some frameworks spread it over several lines. What is reported now is added.
 */
export function progressSamples(
  job: string,
  source: string,
  progress: Progress,
  timeMs: number,
  reported: Reported,
): SampleBatch | null {
  const series = seriesOf(job);
  const keys: string[] = [];
  const values: number[] = [];
  const timesMs: number[] = [];
  for (let i = 0; i < SERIES.length; i += 1) {
    const value = SERIES[i]?.[1](progress) ?? null;
    if (value === null || !isFiniteNumber(value) || (reported.bits & (1 << i)) !== 0) continue;
    reported.bits |= 1 << i;
    keys.push(series[i] ?? '');
    values.push(value);
    timesMs.push(timeMs);
  }
  return keys.length === 0 ? null : { source, trust: 'tenant', keys, values, timesMs };
}

export const RANK_QUANTITIES: readonly string[] = RANK_SERIES.map(([quantity]) => quantity);

/** What one rank reports of the quantity of that place; null where that is not a finite number. */
export function rankValue(progress: Progress, place: number): number | null {
  const value = RANK_SERIES[place]?.[1](progress) ?? null;
  return isFiniteNumber(value) ? value : null;
}

function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}

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
  readonly grad_norm: LoggedNumber | null;
  readonly learning_rate: number | null;
  readonly global_batch_size: number | null;
  readonly consumed_samples: number | null;
  readonly consumed_tokens: number | null;
  readonly memory_used_gb: number | null;
  readonly memory_ratio: number | null;
  readonly mfu: number | null;
  readonly skipped_iterations: number | null;
  readonly nan_iterations: number | null;
}

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
  grad_norm: null,
  learning_rate: null,
  global_batch_size: null,
  consumed_samples: null,
  consumed_tokens: null,
  memory_used_gb: null,
  memory_ratio: null,
  mfu: null,
  skipped_iterations: null,
  nan_iterations: null,
};

/**
 * The step's numbers as samples of the job; what is not a finite number is not a sample, and what `reported` holds was one before for
 * the same step: some frameworks spread it over several lines. What is reported now is added.
 */
export function progressSamples(
  job: string,
  source: string,
  progress: Progress,
  timeMs: number,
  reported: Set<string>,
): SampleBatch | null {
  const component = `job/${job}`;
  const measured: readonly (readonly [string, LoggedNumber | null])[] = [
    ['step_time', progress.step_time_from === 'arrival' ? null : inSeconds(progress.step_time_ms)],
    ['tokens_per_second_per_gpu', progress.tokens_per_second_per_gpu],
    ['samples_per_second', progress.samples_per_second],
    ['tflops_per_gpu', progress.tflops_per_gpu],
    ['iteration', progress.iteration],
    ['loss', progress.loss],
  ];
  const keys: string[] = [];
  const values: number[] = [];
  for (const [quantity, value] of measured) {
    if (!isFiniteNumber(value) || reported.has(quantity)) continue;
    reported.add(quantity);
    keys.push(seriesKey(component, quantity));
    values.push(value);
  }
  if (keys.length === 0) return null;
  return { source, trust: 'tenant', keys, values, timesMs: keys.map(() => timeMs) };
}

function inSeconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : milliseconds / 1000;
}

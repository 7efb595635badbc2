// JobState: what one job's lines reported so far, whichever of its ranks and files reported it.

import { remember } from '../../../helpers/remember.ts';
import type { Attributes, AttributeValue, Evidence } from '../../../model/event.ts';
import type { EventInput } from '../../../model/record.ts';
import { traitsOf } from './framework.ts';
import type { Milestone } from './milestone.ts';
import { isFiniteNumber, type LoggedNumber } from './number.ts';
import type { LineTime } from './prefix.ts';
import type { Mutable, Reported, StepLine } from './progress.ts';
import { isPlaced } from './step-seen.ts';

/** Ranks that print for one job on one host. */
const MAX_PRINTERS = 256;
const NOTHING: readonly never[] = [];

/** A step that the framework counts. */
export type NumberedStep = StepLine & { readonly iteration: number };

/** Where and when a line was seen: the parts that all of its events share. */
export type LineBase = Omit<EventInput, 'kind'> & { readonly attributes: Attributes; readonly evidence: Evidence[] };

/** Made only for what is reported. */
export interface Based {
  readonly base: () => LineBase;
}

interface LastStep {
  readonly iteration: number;
  readonly time: LineTime;
}

export class JobState {
  /** Last step by stream and rank. */
  readonly #last = new Map<string, LastStep>();
  #iteration: number | null = null;
  #nan: 'loss' | 'grad_norm' | null = null;
  /** A step of this run reported a loss. */
  #hadLoss = false;
  #saving: { readonly iteration: number | null; readonly startMs: number } | null = null;
  #savedIteration: number | null = null;
  #startReported = false;
  /** Quantities that the current iteration reported. */
  #reported: Reported = { bits: 0 };

  /** Step time from this printer's step before, where the framework prints none. */
  stepTime(printer: string, step: NumberedStep, time: LineTime, history: boolean): NumberedStep {
    if (step.step_time_ms !== null) return step;
    const before = this.#last.get(printer);
    const steps = step.iteration - (before?.iteration ?? step.iteration);
    const elapsed = time.timeMs - (before?.time.timeMs ?? time.timeMs);
    if (before === undefined || steps <= 0 || elapsed <= 0) return step;
    const printed = before.time.from === 'line' && time.from === 'line';
    if (!printed && history) return step;
    const timed: Mutable<NumberedStep> = isPlaced(step) ? step : { ...step };
    timed.step_time_ms = elapsed / steps;
    timed.step_time_from = printed ? 'line_times' : 'arrival';
    return timed;
  }

  /** A pause after this step is over: the time of the next one counts from here, where it is taken from line times. */
  resume(printer: string, iteration: number, time: LineTime): void {
    const last = this.#last.get(printer);
    if (last === undefined || last.iteration !== iteration || time.timeMs < last.time.timeMs) return;
    this.#last.set(printer, { iteration, time });
  }

  /**
   * Takes a step in. `fresh` is true for the first line about an iteration: other ranks' lines about the same one are no
   * samples of the job, but for what none reported before: `reported` holds what was. `moved`: this printer reported another
   * iteration than before.
   */
  step(
    printer: string,
    step: NumberedStep,
    time: LineTime,
    base: Based['base'],
  ): { reported: Reported | null; moved: boolean; events: readonly EventInput[] } {
    const before = this.#last.get(printer);
    const restarted = before !== undefined && step.iteration < before.iteration;
    if (restarted) this.#last.clear();
    const moved = before?.iteration !== step.iteration;
    remember(this.#last, printer, { iteration: step.iteration, time }, MAX_PRINTERS);
    const fresh = restarted || this.#iteration === null || step.iteration > this.#iteration;
    if (!fresh) {
      const same = step.iteration === this.#iteration;
      return { reported: same ? this.#reported : null, moved, events: same ? this.#nanEvents(step, base) : NOTHING };
    }
    const restarts = restarted && !this.#startReported ? [restart(step.iteration, this.#iteration, base)] : NOTHING;
    this.#iteration = step.iteration;
    this.#startReported = false;
    this.#reported = { bits: 0 };
    const broken = this.#nanEvents(step, base);
    return { reported: this.#reported, moved, events: restarts.length === 0 ? broken : [...restarts, ...broken] };
  }

  /** A line with the numbers of a step that the framework does not count. */
  uncounted(step: StepLine, base: Based['base']): readonly EventInput[] {
    return this.#nanEvents(step, base);
  }

  milestone(milestone: Milestone, time: LineTime, base: Based['base']): EventInput[] {
    if (milestone.what === 'started') {
      if (this.#startReported) return [];
      this.#startReported = true;
      return [{ ...base(), kind: 'job.started', attributes: { ...base().attributes, ...known(milestone) } }];
    }
    const iteration = milestone.iteration ?? this.#iteration;
    if (milestone.what === 'saving') {
      this.#saving ??= { iteration, startMs: time.timeMs };
      return [];
    }
    if (iteration !== null && iteration === this.#savedIteration) return [];
    const started = this.#saving;
    const elapsed = started === null || time.timeMs < started.startMs ? null : time.timeMs - started.startMs;
    this.#saving = null;
    this.#savedIteration = iteration;
    const duration = milestone.durationMs ?? elapsed;
    const attributes = {
      ...base().attributes,
      ...known({ ...milestone, iteration }),
      ...(duration === null ? {} : { duration_s: duration / 1000 }),
      ...(duration === null ? {} : { duration_from: milestone.durationMs === null ? 'line_times' : 'printed' }),
    };
    return [{ ...base(), kind: 'job.checkpoint_saved', attributes }];
  }

  /** First iteration with a value that is not a number, and the first one that is well again. */
  #nanEvents(step: StepLine, base: Based['base']): readonly EventInput[] {
    const what = notANumber(step) ?? (this.#lossIsGone(step) ? 'loss' : null);
    if (isFiniteNumber(step.loss)) this.#hadLoss = true;
    if ((what === null) === (this.#nan === null)) return NOTHING;
    // Lines that do not speak of it say nothing of its end.
    if (what === null && (this.#nan === 'loss' ? step.loss : step.grad_norm) === null) return [];
    const state = what === null ? 'clear' : 'onset';
    const attributes: Record<string, AttributeValue> = { ...base().attributes, iteration: step.iteration };
    attributes.what = what ?? this.#nan;
    attributes.value = what === null ? null : String((what === 'loss' ? step.loss : step.grad_norm) ?? 'left out');
    this.#nan = what;
    return [{ ...base(), kind: 'job.nan', state, attributes }];
  }

  /**
   * Megatron prints a loss that is above nothing, and NaN is not: the field is left out, as it is of an iteration that was
   * skipped, and the count of NaN iterations says which of both it was. Where that is not printed, a loss that was there counts.
   */
  #lossIsGone({ framework, loss, skipped_iterations: skipped, nan_iterations: nans }: StepLine): boolean {
    if (loss !== null || traitsOf(framework)?.nan_loss_left_out !== true) return false;
    if (nans !== null) return nans > 0;
    return this.#hadLoss && skipped === 0;
  }
}

/**
 * Which value is nan or inf; null when none is. An iteration that dynamic loss scaling skipped has no gradient norm to
 * speak of, and is normal.
 */
function notANumber(step: StepLine): 'loss' | 'grad_norm' | null {
  if (broken(step.loss)) return 'loss';
  if (!broken(step.grad_norm)) return null;
  // Such a framework says nothing of skipped steps.
  if (traitsOf(step.framework)?.zero_loss_is_nan === true) return step.loss === 0 ? 'grad_norm' : null;
  const skipped = (step.skipped_iterations ?? 0) > 0 && (step.nan_iterations ?? 0) === 0;
  return skipped ? null : 'grad_norm';
}

function broken(value: LoggedNumber | null): boolean {
  return value !== null && !isFiniteNumber(value);
}

function restart(iteration: number, previous: number | null, base: Based['base']): EventInput {
  const attributes = { ...base().attributes, iteration, restarted: true, previous_iteration: previous };
  return { ...base(), kind: 'job.started', attributes };
}

function known(milestone: Milestone): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {};
  if (milestone.iteration !== null) attributes.iteration = milestone.iteration;
  if (milestone.path !== null) attributes.path = milestone.path;
  return attributes;
}

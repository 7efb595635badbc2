// Pace: when the last step of a job ended and how long its steps take, for what its log reports between two of them.

import { upperMedian } from '../../../helpers/median.ts';

const KEPT_STEPS = 15;
/** No job waits longer between two steps: another run, or a clock that was set. */
const LONGEST_MS = 86_400_000;

export class Pace {
  #lastMs = Number.NaN;
  readonly #stepsMs: number[] = [];

  /** A step ended at `timeMs`; `stepMs` is what it took, null where it is not known. */
  step(timeMs: number, stepMs: number | null): void {
    if (!(timeMs > this.#lastMs)) {
      if (Number.isNaN(this.#lastMs)) this.#lastMs = timeMs;
      return;
    }
    this.#lastMs = timeMs;
    if (stepMs === null || !(stepMs > 0)) return;
    this.#stepsMs.push(stepMs);
    if (this.#stepsMs.length > KEPT_STEPS) this.#stepsMs.shift();
  }

  /** As attributes of an event at `timeMs`; null where no pace is known. */
  at(timeMs: number): { since_step_ms: number; step_ms: number } | null {
    const since = timeMs - this.#lastMs;
    const step = upperMedian(this.#stepsMs);
    if (step === null || !(since >= 0) || since > LONGEST_MS) return null;
    return { since_step_ms: Math.max(1, Math.round(since)), step_ms: Math.round(step) };
  }
}

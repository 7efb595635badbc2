// OpenStep: the step of a run whose numbers come one by one, put together until the next step begins.

import type { StepNumbers } from './read/messages.ts';

/** A step has some dozen numbers; a file may repeat its step without end. */
export const MOST_NUMBERS = 512;

type Numbers = StepNumbers['numbers'][number];

export class OpenStep {
  #open: { readonly step: number; wallMs: number | null; readonly numbers: Numbers[] } | null = null;

  /** The step that this one ends; null where it continues the open one, or is the first. */
  take({ step, wallMs, numbers }: StepNumbers): StepNumbers | null {
    const ended = this.#open?.step === step ? null : this.close();
    this.#open ??= { step, wallMs: null, numbers: [] };
    this.#open.wallMs = wallMs ?? this.#open.wallMs;
    const room = Math.max(0, MOST_NUMBERS - this.#open.numbers.length);
    this.#open.numbers.push(...numbers.slice(0, room));
    return ended;
  }

  /** What there is of the open step; null where none is open. */
  close(): StepNumbers | null {
    const open = this.#open;
    this.#open = null;
    return open;
  }
}

// Refusal: why a request is not taken: what, which field, what to do.

import { Busy } from '../../../helpers/http/budget.ts';

/**
 * malformed: no decoder reads it. too_large: it never fits. busy: it fits later. unsupported: another path, type or compression.
 * slow: it did not come in time. As OTLP has them: only `busy` is worth another try.
 */
export type RefusalReason = 'malformed' | 'too_large' | 'busy' | 'unsupported' | 'slow';

export class Refusal extends Error {
  readonly reason: RefusalReason;
  /** When to try again; null: never, as it is. */
  readonly retryMs: number | null;
  readonly #what: string;
  #path: string;

  constructor(reason: RefusalReason, what: string, retryMs: number | null = null) {
    super(what);
    this.reason = reason;
    this.retryMs = retryMs;
    this.#what = what;
    this.#path = '';
  }

  /** The same, of a field of a message: called from the inside out. */
  within(field: string): this {
    this.#path = this.#path === '' ? field : `${field}.${this.#path}`;
    this.message = `${this.#path}: ${this.#what}`;
    return this;
  }
}

/** Of a request that takes longer to come than `ms`. */
export function tooSlow(ms: number): Refusal {
  return new Refusal(
    'slow',
    `the request was not whole after ${ms / 1000} seconds. Send smaller batches, or end what is begun`,
  );
}

/** What a decoder threw, as a refusal. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof Busy) return new Refusal('busy', error.message, error.retryMs);
  const text = error instanceof RangeError ? 'ends in the middle of a value' : 'cannot be decoded';
  return new Refusal('malformed', `${text}. Send what the OpenTelemetry protocol defines for this path`);
}

// Whether a device answers: failed polls are counted, and three in a row after a good one are an event.

import type { DeviceError } from './poll-answer.ts';

/** Failed polls in a row before the device counts as unreachable. */
export const UNREACHABLE_AFTER = 3;

/** The device stopped answering, or answers again; times are epoch ms. */
export type ReachChange =
  | {
      readonly edge: 'onset';
      /** The last good poll. */
      readonly afterMs: number;
      /** The first failed one: when it began, and when it was known to have failed. */
      readonly timeMs: number;
      readonly noticedMs: number;
      readonly failures: number;
      readonly error: DeviceError;
    }
  | { readonly edge: 'clear'; readonly afterMs: number; readonly timeMs: number };

export class Reachability {
  #failures = 0;
  #error: DeviceError | null = null;
  #lastGoodMs: number | null = null;
  #firstFailedMs = 0;
  #firstNoticedMs = 0;
  #lastFailedMs = 0;
  #reported = false;

  /** Failed polls in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** Of the last poll; null where it was good. */
  get error(): DeviceError | null {
    return this.#error;
  }

  get wasGood(): boolean {
    return this.#lastGoodMs !== null;
  }

  /** Null where it was not reported as unreachable. */
  succeeded(nowMs: number): ReachChange | null {
    const change = this.#reported ? ({ edge: 'clear', afterMs: this.#lastFailedMs, timeMs: nowMs } as const) : null;
    this.#failures = 0;
    this.#error = null;
    this.#reported = false;
    this.#lastGoodMs = nowMs;
    return change;
  }

  /** `startedMs`: when the poll began. */
  failed(error: DeviceError, startedMs: number, nowMs: number): ReachChange | null {
    const afterMs = this.#lastGoodMs;
    if (this.#failures === 0) {
      // The first part of the poll may have been good: then what failed came after that.
      this.#firstFailedMs = Math.max(startedMs, afterMs ?? startedMs);
      this.#firstNoticedMs = nowMs;
    }
    this.#failures += 1;
    this.#lastFailedMs = startedMs;
    this.#error = error;
    // A device that never answered has not stopped answering: health says why it is silent.
    if (this.#failures < UNREACHABLE_AFTER || this.#reported || afterMs === null) return null;
    this.#reported = true;
    const times = { afterMs, timeMs: this.#firstFailedMs, noticedMs: this.#firstNoticedMs };
    return { edge: 'onset', ...times, failures: this.#failures, error };
  }
}

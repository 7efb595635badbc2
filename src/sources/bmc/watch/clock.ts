// How far the BMC's clock is from ours, as an interval that every answer narrows.

import type { Interval } from '../../../model/time.ts';

/** Two quartz clocks drift apart by less than this share. */
const DRIFT = 2e-4;
/** The Date header (RFC 9110) and Manager.DateTime have whole seconds. */
const RESOLUTION_MS = 1000;

/** BMC minus ours, ms. */
export interface ClockOffset {
  readonly lowMs: number;
  readonly highMs: number;
}

export class BmcClock {
  #offset: ClockOffset | null = null;
  #atMs = 0;

  /** `stampMs`: what the BMC's clock showed, cut to whole seconds, at some moment between sending and receiving. */
  observe(stampMs: number, sentMs: number, receivedMs: number): void {
    const seen = { lowMs: stampMs - receivedMs, highMs: stampMs + RESOLUTION_MS - sentMs };
    const widened = this.#widened(receivedMs);
    this.#atMs = receivedMs;
    const lowMs = Math.max(seen.lowMs, widened?.lowMs ?? Number.NEGATIVE_INFINITY);
    const highMs = Math.min(seen.highMs, widened?.highMs ?? Number.POSITIVE_INFINITY);
    // Nothing in common: the clock was set.
    this.#offset = lowMs <= highMs ? { lowMs, highMs } : seen;
  }

  get offset(): ClockOffset | null {
    return this.#offset;
  }

  /** When, on our clock, the BMC's clock showed `stampMs` (whole seconds); null while the offset is not known. */
  toOurs(stampMs: number): Interval | null {
    if (this.#offset === null) return null;
    return { earliestMs: stampMs - this.#offset.highMs, latestMs: stampMs + RESOLUTION_MS - this.#offset.lowMs };
  }

  #widened(nowMs: number): ClockOffset | null {
    if (this.#offset === null) return null;
    const by = Math.max(0, nowMs - this.#atMs) * DRIFT;
    return { lowMs: this.#offset.lowMs - by, highMs: this.#offset.highMs + by };
  }
}

/** Middle of the interval in s, one decimal; null while it is not known. */
export function offsetSeconds(offset: ClockOffset | null): number | null {
  return offset === null ? null : Math.round((offset.lowMs + offset.highMs) / 200) / 10;
}

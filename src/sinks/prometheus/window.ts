// The lowest and highest value of about the last minute, so that a scrape sees what happened between two scrapes.

const SLICE_MS = 10_000;
const SLICES = 6;

export class MinuteWindow {
  readonly #slices: { slice: number; min: number; max: number }[] = [];
  /** The same object each time. */
  readonly #range = { min: 0, max: 0 };

  take(min: number, max: number, timeMs: number): void {
    const slice = Math.floor(timeMs / SLICE_MS);
    const last = this.#slices.at(-1);
    if (last !== undefined && last.slice >= slice) {
      last.min = Math.min(last.min, min);
      last.max = Math.max(last.max, max);
      return;
    }
    this.#slices.push({ slice, min, max });
    if (this.#slices.length > SLICES) this.#slices.shift();
  }

  /** Over the last 50 to 60 s before `nowMs`, good until it is asked again; null when nothing came in that time. */
  range(nowMs: number): { readonly min: number; readonly max: number } | null {
    const oldest = Math.floor(nowMs / SLICE_MS) - SLICES + 1;
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const slice of this.#slices) {
      if (slice.slice < oldest) continue;
      min = Math.min(min, slice.min);
      max = Math.max(max, slice.max);
    }
    if (min > max) return null;
    this.#range.min = min;
    this.#range.max = max;
    return this.#range;
  }
}

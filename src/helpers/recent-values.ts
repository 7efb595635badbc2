// Recent values: the last values of a series, kept in order of size as well, so that what is usual is looked up and not sorted for.

export class RecentValues {
  readonly #came: Float64Array;
  /** The first `#size` of them, in rising order. */
  readonly #sorted: Float64Array;
  #size = 0;
  /** Where the next one goes in `#came`: the oldest is there once all places are taken. */
  #next = 0;

  constructor(most: number) {
    this.#came = new Float64Array(most);
    this.#sorted = new Float64Array(most);
  }

  get size(): number {
    return this.#size;
  }

  /** Finite; in place of the oldest where all places are taken. */
  add(value: number): void {
    if (this.#size === this.#came.length) this.#remove(this.#came[this.#next] ?? 0);
    this.#came[this.#next] = value;
    this.#next = (this.#next + 1) % this.#came.length;
    const at = this.#placeOf(value);
    this.#sorted.copyWithin(at + 1, at, this.#size);
    this.#sorted[at] = value;
    this.#size += 1;
  }

  /** One of the values: of an even number the upper of the two in the middle; 0 of none. */
  get median(): number {
    return this.#size === 0 ? 0 : (this.#sorted[this.#size >> 1] ?? 0);
  }

  /** The same of how far each is from `middle`. */
  differenceFrom(middle: number): number {
    const sorted = this.#sorted;
    let above = this.#placeOf(middle);
    let below = above - 1;
    let difference = 0;
    for (let left = this.#size === 0 ? 0 : (this.#size >> 1) + 1; left > 0; left -= 1) {
      const up = above < this.#size ? Math.abs((sorted[above] ?? 0) - middle) : Number.POSITIVE_INFINITY;
      const down = below >= 0 ? Math.abs((sorted[below] ?? 0) - middle) : Number.POSITIVE_INFINITY;
      difference = Math.min(up, down);
      if (up <= down) above += 1;
      else below -= 1;
    }
    return difference;
  }

  #remove(value: number): void {
    const at = this.#placeOf(value);
    this.#sorted.copyWithin(at, at + 1, this.#size);
    this.#size -= 1;
  }

  /** Of the first that is not smaller. */
  #placeOf(value: number): number {
    let [from, to] = [0, this.#size];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#sorted[middle] ?? 0) < value) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

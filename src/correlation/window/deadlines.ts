// Deadlines: what is due when event time moves on, earliest first; a binary heap that never looks at a clock.

export interface Deadline<Item> {
  readonly atMs: number;
  readonly item: Item;
}

/** One that was not taken yet. */
export interface Waiting<Item> extends Deadline<Item> {
  atMs: number;
  /** Of equal times the lower one comes first. */
  order: number;
  /** Where it is in the heap. */
  place: number;
}

export class Deadlines<Item> {
  readonly #heap: Waiting<Item>[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** Time of the earliest deadline, infinity when there is none. */
  get nextMs(): number {
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  add(atMs: number, item: Item): Waiting<Item> {
    const entry = { atMs, item, order: this.#order++, place: this.#heap.length };
    this.#heap.push(entry);
    this.#rise(entry);
    return entry;
  }

  /** Puts one that was not taken yet to an earlier time, as if it were entered now. */
  hasten(waiting: Waiting<unknown>, atMs: number): void {
    const entry = this.#heap[waiting.place];
    if (entry === undefined || entry !== waiting)
      throw new Error('a deadline that was taken cannot be put to another time');
    if (atMs >= entry.atMs) throw new Error(`${atMs} ms is not earlier than the deadline, ${entry.atMs} ms`);
    entry.atMs = atMs;
    entry.order = this.#order++;
    this.#rise(entry);
  }

  /** Takes the earliest deadline at or before `nowMs`; null when none is due. Equal times come out in order of entry. */
  take(nowMs: number): Deadline<Item> | null {
    const top = this.#heap[0];
    if (top === undefined || top.atMs > nowMs) return null;
    const last = this.#heap.pop();
    if (last !== undefined && last !== top) this.#sink(last);
    return top;
  }

  #rise(entry: Waiting<Item>): void {
    let at = entry.place;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = this.#heap[up];
      if (parent === undefined || before(parent, entry)) break;
      this.#put(parent, at);
      at = up;
    }
    this.#put(entry, at);
  }

  #sink(entry: Waiting<Item>): void {
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      let child = this.#heap[down];
      if (child === undefined) break;
      const right = this.#heap[down + 1];
      if (right !== undefined && before(right, child)) {
        child = right;
        down += 1;
      }
      if (before(entry, child)) break;
      this.#put(child, at);
      at = down;
    }
    this.#put(entry, at);
  }

  #put(entry: Waiting<Item>, at: number): void {
    entry.place = at;
    this.#heap[at] = entry;
  }
}

function before(a: { atMs: number; order: number }, b: { atMs: number; order: number }): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

// Deadlines: what is due when event time moves on, earliest first; a binary heap that never looks at a clock.

export interface Deadline<Item> {
  readonly atMs: number;
  readonly item: Item;
}

export class Deadlines<Item> {
  readonly #heap: (Deadline<Item> & { readonly order: number })[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** Time of the earliest deadline, infinity when there is none. */
  get nextMs(): number {
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  add(atMs: number, item: Item): void {
    const entry = { atMs, item, order: this.#order++ };
    let at = this.#heap.length;
    this.#heap.push(entry);
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = this.#heap[up];
      if (parent === undefined || before(parent, entry)) break;
      this.#heap[at] = parent;
      at = up;
    }
    this.#heap[at] = entry;
  }

  /** Takes the earliest deadline at or before `nowMs`; null when none is due. Equal times come out in order of entry. */
  take(nowMs: number): Deadline<Item> | null {
    const top = this.#heap[0];
    if (top === undefined || top.atMs > nowMs) return null;
    const last = this.#heap.pop();
    if (last !== undefined && last !== top) this.#sink(last);
    return top;
  }

  #sink(entry: Deadline<Item> & { readonly order: number }): void {
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
      this.#heap[at] = child;
      at = down;
    }
    this.#heap[at] = entry;
  }
}

function before(a: { atMs: number; order: number }, b: { atMs: number; order: number }): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

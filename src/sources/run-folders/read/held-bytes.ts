// HeldBytes: how much all readers together keep of records that are not whole yet.

/** Up to here a record is always kept: those of steps are small, and a file with large ones must not cost another its steps. */
const SMALL = 64 * 1024;
const MOST = 8 * 1024 * 1024;

export class HeldBytes {
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** The reader that kept `before` is to keep `after`. False where that is too much: then it still counts as keeping `before`. */
  change(before: number, after: number): boolean {
    const bytes = this.#bytes + after - before;
    if (after > before && after > SMALL && bytes > MOST) return false;
    this.#bytes = bytes;
    return true;
  }
}

// ReadBudget: how fast the files of one log are read. Whoever writes faster has the newest read, and the rest counted.

const BYTES_A_SECOND = 4 * 1024 * 1024;
const BURST_BYTES = 16 * 1024 * 1024;

export class ReadBudget {
  readonly #now: () => number;
  #left = BURST_BYTES;
  #sinceMs: number;

  /** `now`: ms on any clock that does not go back. */
  constructor(now = () => performance.now()) {
    this.#now = now;
    this.#sinceMs = now();
  }

  /** Whether so many bytes may be read at once; not a part of them, as small reads cost as much as large ones. */
  take(bytes: number): boolean {
    const now = this.#now();
    this.#left = Math.min(BURST_BYTES, this.#left + ((now - this.#sinceMs) / 1000) * BYTES_A_SECOND);
    this.#sinceMs = now;
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

// Turns for large bodies: what all BMCs together may have sent that is not read out yet. The rest waits in the kernel.

/** Of each answer, whatever the others take: more than nearly all have. */
const OWN_BYTES = 64 * 1024;
/** Of all answers beyond that. */
const SHARED_BYTES = 4 * 1024 * 1024;

export class BodyTurns {
  readonly #shared: number;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(shared = SHARED_BYTES) {
    this.#shared = shared;
  }

  get takenBytes(): number {
    return this.#taken;
  }

  body(): BodyTurn {
    return new BodyTurn(this);
  }

  /** False when the shared part is used up. */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#shared && this.#taken > 0) return false;
    this.#taken += bytes;
    return true;
  }

  wait(again: () => void): void {
    this.#waiting.push(again);
  }

  give(bytes: number): void {
    this.#taken -= bytes;
    for (const again of this.#waiting.splice(0)) again();
  }
}

/** One answer's part. */
export class BodyTurn {
  readonly #turns: BodyTurns;
  #length = 0;
  #taken = 0;
  #over = false;

  constructor(turns: BodyTurns) {
    this.#turns = turns;
  }

  /** Bytes that have come. `hold` is called when no more should, and `release` when they may again. */
  add(bytes: number, hold: () => void, release: () => void): void {
    this.#length += bytes;
    const wanted = Math.max(0, this.#length - OWN_BYTES) - this.#taken;
    if (wanted <= 0 || this.#take(wanted)) return;
    hold();
    const again = (): void => {
      if (this.#over) return;
      if (this.#take(wanted)) release();
      else this.#turns.wait(again);
    };
    this.#turns.wait(again);
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#turns.give(this.#taken);
  }

  #take(bytes: number): boolean {
    const taken = this.#turns.take(bytes);
    if (taken) this.#taken += bytes;
    return taken;
  }
}

/** One for the process: the memory is the process's. */
export const bodyTurns = new BodyTurns();

// OwnerWave: the dumps of one user in a folder, and when they have come to rest; files of other users do not hold them up.

import { inTurns } from './in-turns.ts';

/** Looked at in one turn of the loop: some tenths of a millisecond. */
export const A_TURN = 512;
/** Dumps further apart than this are not of one stall. */
export const WAVE_MS = 15 * 60_000;
/** A file that ends in the middle and does not grow for so long stays so: its writer hung or died. */
const CUT_MS = 30_000;
/** A wave goes as it is after this: a file that is written over and over comes to no rest. */
const LONGEST_WAIT_MS = 30_000;
/** Reading takes at most a sixth of the time of one reader, so that it is free for others. */
const PAUSE_SHARE = 5;

export interface Seen {
  size: number;
  mtimeMs: number;
  /** Looks in a row at which size and time were the same. */
  steady: number;
  sinceMs: number;
  whole: boolean;
}

export interface Wave {
  readonly paths: readonly string[];
  readonly newestMs: number;
  /** Uid of the user whose dumps these are. */
  readonly owner: number;
}

export class OwnerWave {
  readonly owner: number;
  readonly #files = new Map<string, Seen>();
  /** Grows with every file that comes, changes or goes: comparing thousands of names would hold up the loop. */
  #generation = 0;
  #analysed = 0;
  /** When something last changed. */
  #changedMs = 0;
  /** When the first of what was not given yet changed; null where all was. */
  #waitingMs: number | null = null;
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(owner: number) {
    this.owner = owner;
  }

  get files(): number {
    return this.#files.size;
  }

  /** Nothing has to be remembered of this user. */
  isOver(nowMs: number): boolean {
    return this.#files.size === 0 && nowMs >= this.#notBeforeMs;
  }

  get waitingMs(): number {
    return this.#waitingMs ?? Number.POSITIVE_INFINITY;
  }

  /** What is known of a file that is there; `steady` 1 where it came or changed since the last look. */
  take(name: string, size: number, mtimeMs: number, nowMs: number): Seen {
    const known = this.#files.get(name);
    if (known !== undefined && known.size === size && known.mtimeMs === mtimeMs) {
      known.steady += 1;
      return known;
    }
    const seen = { size, mtimeMs, steady: 1, sinceMs: nowMs, whole: false };
    this.#files.set(name, seen);
    this.#changedMs = nowMs;
    this.#waitingMs ??= nowMs;
    this.#generation += 1;
    return seen;
  }

  async keep(present: ReadonlySet<string>, nowMs: number): Promise<void> {
    for await (const portion of inTurns(this.#files.keys(), A_TURN)) {
      for (const name of portion) {
        if (present.has(name)) continue;
        this.#files.delete(name);
        this.#waitingMs ??= nowMs;
        this.#generation += 1;
      }
    }
  }

  /** What was there before anybody looked, for longer than a wave lasts, is of an earlier job. */
  async forgetOld(nowMs: number): Promise<void> {
    const newestMs = await this.#newest();
    if (newestMs > 0 && nowMs - newestMs > WAVE_MS) this.#given();
  }

  /**
   * The files of the newest wave when there are new ones and all of them have come to rest: each whole and the same at two
   * looks, and `expected` of them there or none new for `graceMs`; or when the first has waited for half a minute.
   */
  async ready(prefix: string, nowMs: number, expected: number | null, graceMs: number): Promise<Wave | null> {
    if (this.#files.size === 0 || this.#generation === this.#analysed || nowMs < this.#notBeforeMs) return null;
    const newestMs = await this.#newest();
    const paths: string[] = [];
    let resting = true;
    for await (const portion of inTurns(this.#files, A_TURN)) {
      for (const [name, seen] of portion) {
        if (newestMs - seen.mtimeMs > WAVE_MS) continue;
        resting &&= seen.steady >= 2 && (seen.whole || nowMs - seen.sinceMs >= CUT_MS);
        paths.push(`${prefix}${name}`);
      }
    }
    const complete = expected !== null && paths.length >= expected;
    const late = nowMs - this.waitingMs >= LONGEST_WAIT_MS;
    if (!late && (!resting || (!complete && nowMs - this.#changedMs < graceMs))) return null;
    this.#given();
    return { paths, newestMs, owner: this.owner };
  }

  /** Reading the last wave took so long. */
  took(ms: number, nowMs: number): void {
    this.#notBeforeMs = nowMs + PAUSE_SHARE * ms;
  }

  #given(): void {
    this.#analysed = this.#generation;
    this.#waitingMs = null;
  }

  async #newest(): Promise<number> {
    let newestMs = 0;
    for await (const portion of inTurns(this.#files.values(), A_TURN)) {
      for (const { mtimeMs } of portion) newestMs = Math.max(newestMs, mtimeMs);
    }
    return newestMs;
  }
}

// Ladder: the first of several feeds that works, what the others lack, and a look at the better ones from time to time.

import { kubeError } from '../kubelet/kubelet-error.ts';
import type { Feed, PodSink } from './feed.ts';

/** A better feed may be there by then: kubelet was updated, a right was given. */
const AGAIN_MS = 300_000;
/** None works: kubelet or the network may not be there yet. */
const SOON_MS = 15_000;
/** One that does not answer for so long is left for the next that works. */
const PATIENCE_MS = 60_000;

export interface Rung {
  readonly feed: Feed;
  /** Why it is not taken; null where it is, or was not tried. */
  why: string | null;
}

export class Ladder {
  readonly rungs: readonly Rung[];
  readonly #sink: PodSink;
  readonly #onTaken: (name: string | null) => void;
  #taken: Rung | null = null;
  #climbing = false;
  #stopped = false;
  #triedMs = Number.NEGATIVE_INFINITY;
  #troubledMs: number | null = null;

  /** `onTaken`: called with the name of the feed that feeds from now on, before it does; null: none. */
  constructor(feeds: readonly Feed[], sink: PodSink, onTaken: (name: string | null) => void) {
    this.rungs = feeds.map((feed) => ({ feed, why: null }));
    this.#sink = sink;
    this.#onTaken = onTaken;
  }

  get taken(): Feed | null {
    return this.#taken?.feed ?? null;
  }

  /** Called every so often, and after something changed. Never rejects. */
  async climb(nowMs: number, changed = false): Promise<void> {
    const trouble = this.#taken?.feed.trouble ?? null;
    if (trouble === null) this.#troubledMs = null;
    else this.#troubledMs ??= nowMs;
    const dead = this.#troubledMs !== null && nowMs - this.#troubledMs >= PATIENCE_MS;
    const pauseMs = this.#taken === null ? SOON_MS : AGAIN_MS;
    const due = changed || nowMs - this.#triedMs >= pauseMs || (dead && nowMs - this.#triedMs >= SOON_MS);
    if (!due || this.#climbing || this.#stopped) return;
    this.#climbing = true;
    this.#triedMs = nowMs;
    try {
      await this.#try(dead);
    } finally {
      this.#climbing = false;
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const { feed } of this.rungs) feed.stop();
  }

  async #try(dead: boolean): Promise<void> {
    for (const rung of this.rungs) {
      // Those below it are worse; one that is dead has to answer again.
      if (rung === this.#taken && !dead) return;
      try {
        await rung.feed.probe();
        if (this.#stopped) return;
        rung.why = null;
        if (rung !== this.#taken) this.#take(rung);
        return;
      } catch (error) {
        rung.why = kubeError(error).message;
        if (rung === this.#taken) continue;
        rung.feed.stop();
      }
    }
    // None answers: what is known stays with the one that was taken, which tries on its own.
    if (this.#taken === null && !this.#stopped) this.#onTaken(null);
  }

  #take(rung: Rung): void {
    this.#taken?.feed.stop();
    this.#taken = rung;
    this.#troubledMs = null;
    this.#onTaken(rung.feed.name);
    rung.feed.start(this.#sink);
  }
}

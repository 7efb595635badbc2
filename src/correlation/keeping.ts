// Keeping: which conditions are held — taken in, joined to nothing any more, and given up when nothing needs them.

import type { Place } from '../identity/aliases.ts';
import type { FaultEvent } from '../model/event.ts';
import type { Condition } from './belief/condition.ts';
import { leave } from './belief/condition-family.ts';
import type { ClusterBook } from './cluster-book.ts';
import { detach } from './graph/neighbours.ts';
import type { Rechecks } from './rechecks.ts';
import type { TopologyIndex } from './topology/topology-index.ts';
import { evictMs } from './window/eviction.ts';
import { LONGEST_MS } from './window/facts.ts';
import type { PastEvents } from './window/past-events.ts';
import type { Added, WindowStore } from './window/window-store.ts';
import type { World } from './world.ts';

export interface KeepingOptions {
  readonly topology: TopologyIndex;
  readonly store: WindowStore;
  readonly book: ClusterBook;
  readonly rechecks: Rechecks;
  readonly past: PastEvents;
  readonly world: World;
  /** How long all must have been over before it is given up, ms. */
  readonly quietMs: () => number;
  /** Asks to look at a condition at a time, which is earlier than that of before. */
  readonly schedule: (atMs: number, condition: Condition) => void;
}

export class Keeping {
  readonly #options: KeepingOptions;

  constructor(options: KeepingOptions) {
    this.#options = options;
  }

  /** Null where there is no room for it: a flood of one kind can only push out its own. */
  takeIn(event: FaultEvent, place: Place | null, history: boolean, nowMs: number): Added | null {
    const { store } = this.#options;
    const added = store.add(event, place, history) ?? this.#makeRoom(event, place, history, nowMs);
    if (added?.fresh) this.retain(added.condition);
    return added;
  }

  /** Gives up the condition that was over first. */
  #makeRoom(event: FaultEvent, place: Place | null, history: boolean, nowMs: number): Added | null {
    const { store, book } = this.#options;
    const quietMs = this.#options.quietMs();
    const old = store.oldestFinished(store.isFull(event.kind) ? event.kind : null, nowMs - quietMs);
    if (old === null || book.of(old)?.last.ended === false) {
      store.dropped += 1;
      return null;
    }
    this.#drop(old);
    return store.add(event, place, history);
  }

  retain({ component, text }: Condition): void {
    const { topology, world } = this.#options;
    if (component !== null && topology.retain(component, text)) world.changed();
  }

  /** Takes the edges of one away that is gone; returns where they led. */
  detach(gone: Condition): Condition[] {
    const near = detach(gone);
    leave(gone);
    if (gone.component !== null) this.#options.topology.release(gone.component, gone.text);
    return near;
  }

  /** An earlier deadline than the one set replaces it. */
  evictLater(condition: Condition, notBeforeMs = Number.NEGATIVE_INFINITY): void {
    const due = Math.max(evictMs(condition, this.#options.quietMs()), notBeforeMs);
    if (condition.eviction === null || condition.eviction.atMs > due) this.#options.schedule(due, condition);
  }

  /** Its deadline came; false where it is gone already. */
  isDue(condition: Condition): boolean {
    condition.eviction = null;
    return condition.held;
  }

  /** Ends one of which nothing was heard for the longest time; false where it is over or young. */
  endUnheard(condition: Condition, atMs: number): boolean {
    if (condition.endMs !== null || condition.lastMs + LONGEST_MS > atMs) return false;
    condition.release(condition.lastMs + LONGEST_MS);
    this.#options.world.changedBy(condition.kind);
    return true;
  }

  /** Gives it up, or asks again later while it, or what hangs on it, is open. */
  giveUp(condition: Condition, atMs: number): void {
    const { topology, past } = this.#options;
    const quietMs = this.#options.quietMs();
    if (evictMs(condition, quietMs) > atMs || this.isOpen(condition) || isNamed(condition)) {
      this.evictLater(condition, atMs + quietMs);
      return;
    }
    // Nothing can follow from it any more; without work on the host nothing could.
    if (topology.hasWork) past.ended(condition, condition.belief.consequential, atMs);
    this.#drop(condition);
  }

  isOpen(condition: Condition): boolean {
    return this.#options.book.of(condition)?.last.ended === false;
  }

  #drop(condition: Condition): void {
    const { store, rechecks, world } = this.#options;
    store.remove(condition);
    this.detach(condition);
    rechecks.forget(condition);
    condition.belief.forget();
    world.changedBy(condition.kind);
  }
}

/** A plan is kept as long as what it explains, or what an open incident says that it did not come back from: without it that would be a fault of its own. */
function isNamed({ effects, roles }: Condition): boolean {
  return roles.explains && effects.size > 0;
}

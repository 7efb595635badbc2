// Window store: the conditions of the recent past, by kind and place, bounded in number.

import type { Place } from '../../identity/aliases.ts';
import type { Component } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import { catalogueKind, isUserKind, KINDS, type Kind, kindInfo } from '../../model/kind.ts';
import { Condition } from '../belief/condition.ts';
import { recursWithinMs } from '../graph/kind-roles.ts';
import { eventTime } from './event-order.ts';
import { byOnset, type Change } from './facts.ts';
import { PlaceMarks } from './place-marks.ts';

export interface Added {
  readonly condition: Condition;
  readonly change: Change;
  /** The event began it. */
  readonly fresh: boolean;
  /** Conditions that turned out to be part of this one and are gone. */
  readonly absorbed: readonly Condition[];
}

export interface WindowLimits {
  /** What comes back within this time is the same condition; kinds may have a longer one. */
  readonly holdMs: () => number;
  readonly maxConditions: number;
  readonly maxPerKind: number;
}

/** All conditions of one kind. */
interface Shelf {
  /** Earliest first; nearly always one. */
  readonly places: Map<string, Condition[]>;
  /** What comes back within this time is the same condition, whatever the limits are, ms. */
  readonly recursMs: number;
  size: number;
  /** Those that have begun; null once that changed. */
  begun: readonly Condition[] | null;
  /** `begun` by onset, once it was asked for. */
  ordered: readonly Condition[] | null;
  /** All of them, nearly by onset: as they were ordered last, the new ones at the end. */
  readonly nearly: Condition[];
}

const NONE: readonly Condition[] = [];

export class WindowStore {
  readonly #limits: WindowLimits;
  readonly #marks = new PlaceMarks();
  readonly #shelves = new Map<Kind, Shelf>();
  /** By index of the kind, how many conditions a shelf holds, begun or not. */
  readonly #sizes = new Uint32Array(KINDS.length);
  #size = 0;
  #order = 0;
  /** Events that found no room. */
  dropped = 0;

  constructor(limits: WindowLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /** Puts an event where it belongs; null when there is no room for a new condition. */
  add(event: FaultEvent, place: Place | null, history: boolean): Added | null {
    const shelf = this.#shelf(event.kind);
    const list = shelf.places.get(slotOf(place === null ? '?' : place.text, event)) ?? NONE;
    const time = eventTime(event);
    let at = 0;
    let condition = list[at];
    while (condition !== undefined && !touch(condition, time, time, this.#gapMs(shelf))) {
      at += 1;
      condition = list[at];
    }
    if (condition !== undefined) {
      // A tenant's word joins nothing that others keep apart.
      const bridges = list.length > 1 && (event.trust !== 'tenant' || condition.trusted.length === 0);
      const others = bridges
        ? list.slice(at + 1).filter((other) => touch(other, time, time, this.#gapMs(shelf)))
        : NONE;
      const { begun } = condition;
      const change = condition.add(event, history);
      for (const other of others) {
        condition.absorb(other);
        this.remove(other);
      }
      if (begun !== condition.begun) changed(shelf);
      return { condition, change: others.length > 0 ? 'all' : change, fresh: false, absorbed: others };
    }
    if (shelf.size >= this.#limits.maxPerKind || this.isFull(null)) return null;
    const fresh = new Condition(event, place?.component ?? null, this.#order++);
    fresh.add(event, history);
    this.#insert(fresh);
    return { condition: fresh, change: 'all', fresh: true, absorbed: NONE };
  }

  /** No room for a further condition of the kind, or of any for null. */
  isFull(kind: Kind | null): boolean {
    if (kind === null) return this.#size >= this.#limits.maxConditions;
    return this.#shelf(kind).size >= this.#limits.maxPerKind;
  }

  /** Moves a condition to where its component, known by a better name now, belongs; returns what it is part of then. */
  rekey(condition: Condition, resolve: (component: Component) => Component): Condition {
    const component = condition.component === null ? null : resolve(condition.component);
    if (component === condition.component) return condition;
    this.remove(condition);
    condition.place(component);
    const shelf = this.#shelf(condition.kind);
    const { places } = shelf;
    const gapMs = this.#gapMs(shelf);
    const list = places.get(slotOf(condition.text, condition.openedBy)) ?? NONE;
    const twin = list.find((other) => touch(other, condition.coversFromMs, condition.coversToMs, gapMs));
    if (twin !== undefined) {
      twin.absorb(condition);
      changed(this.#shelf(condition.kind));
      return twin;
    }
    this.#insert(condition);
    return condition;
  }

  remove(condition: Condition): void {
    if (!condition.held) return;
    condition.held = false;
    this.#marks.give(condition.text);
    if (condition.rankJob !== null) this.#marks.give(`job/${condition.rankJob}`);
    const shelf = this.#shelf(condition.kind);
    const slot = slotOf(condition.text, condition.openedBy);
    const list = shelf.places.get(slot) ?? [];
    list.splice(list.indexOf(condition), 1);
    shelf.nearly.splice(shelf.nearly.indexOf(condition), 1);
    if (list.length === 0) shelf.places.delete(slot);
    shelf.size -= 1;
    this.#sizes[kindInfo(condition.kind).index] = shelf.size;
    if (condition.begun) shelf.begun = shelf.begun?.filter((one) => one !== condition) ?? null;
    shelf.ordered = null;
    this.#size -= 1;
  }

  #shelf(of: Kind): Shelf {
    const kind = catalogueKind(of);
    const known = this.#shelves.get(kind);
    if (known !== undefined) return known;
    const shelf: Shelf = {
      places: new Map(),
      recursMs: recursWithinMs(kind),
      size: 0,
      begun: NONE,
      ordered: null,
      nearly: [],
    };
    this.#shelves.set(kind, shelf);
    return shelf;
  }

  #gapMs({ recursMs }: Shelf): number {
    return Math.max(this.#limits.holdMs(), recursMs);
  }

  #insert(condition: Condition): void {
    condition.held = true;
    condition.placeMark = this.#marks.take(condition.text);
    condition.jobMark = condition.rankJob === null ? condition.placeMark : this.#marks.take(`job/${condition.rankJob}`);
    const shelf = this.#shelf(condition.kind);
    const slot = slotOf(condition.text, condition.openedBy);
    const list = shelf.places.get(slot);
    if (list === undefined) {
      shelf.places.set(slot, [condition]);
      // The last place of all, as `begunOf` would find it.
      if (shelf.begun !== null && condition.begun) shelf.begun = [...shelf.begun, condition];
    } else {
      const last = list.at(-1);
      list.push(condition);
      // What has just come is nearly always the latest.
      if (isInOrder(list)) shelf.begun = last === undefined ? null : withNext(shelf.begun, last, condition);
      else {
        list.sort((a, b) => a.coversFromMs - b.coversFromMs);
        shelf.begun = null;
      }
    }
    shelf.nearly.push(condition);
    shelf.size += 1;
    this.#sizes[kindInfo(condition.kind).index] = shelf.size;
    shelf.ordered = null;
    this.#size += 1;
  }

  /** There is none of the kind with this index. */
  isEmpty(index: number): boolean {
    return this.#sizes[index] === 0;
  }

  /** Conditions of a kind that have begun. */
  ofKind(kind: Kind): readonly Condition[] {
    const shelf = this.#shelves.get(kind);
    if (shelf === undefined) return NONE;
    shelf.begun ??= begunOf(shelf);
    return shelf.begun;
  }

  /** The same, by onset as of when one was added last; holds until one is added. */
  byOnset(kind: Kind): readonly Condition[] {
    const begun = this.ofKind(kind);
    const shelf = this.#shelf(kind);
    if (shelf.ordered !== null) return shelf.ordered;
    inPlace(shelf.nearly);
    const all = begun.length === shelf.nearly.length;
    shelf.ordered = all ? shelf.nearly : shelf.nearly.filter((condition) => condition.begun);
    return shelf.ordered;
  }

  /** All conditions, begun or not. */
  *all(): Iterable<Condition> {
    for (const { places } of this.#shelves.values()) for (const list of places.values()) yield* list;
  }

  /** The condition to give up when there is no room: the one that ended first, by `beforeMs`; null for none. */
  oldestFinished(kind: Kind | null, beforeMs: number): Condition | null {
    const wanted = kind === null ? null : catalogueKind(kind);
    let oldest: Condition | null = null;
    let first = Number.POSITIVE_INFINITY;
    for (const [of, { places }] of this.#shelves) {
      if (wanted !== null && of !== wanted) continue;
      for (const list of places.values()) {
        for (const condition of list) {
          const { endMs } = condition;
          if (endMs === null || endMs > beforeMs || endMs >= first) continue;
          oldest = condition;
          first = endMs;
        }
      }
    }
    return oldest;
  }
}

/** As `begunOf` would find it, with one more at the place of `last`; null where that must be gone through. */
function withNext(begun: readonly Condition[] | null, last: Condition, next: Condition): readonly Condition[] | null {
  const at = begun === null || !next.begun ? -1 : begun.indexOf(last);
  return begun === null || at < 0 ? null : begun.toSpliced(at + 1, 0, next);
}

function isInOrder(list: readonly Condition[]): boolean {
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const { coversFromMs } of list) {
    if (coversFromMs < lastMs) return false;
    lastMs = coversFromMs;
  }
  return true;
}

/** Rules of a site share a shelf, as do alerts of other systems: at one place each is a thing of its own. */
function slotOf(place: string, { kind, attributes }: FaultEvent): string {
  if (isUserKind(kind)) return `${place} ${kind}`;
  return kind === 'alert.firing' ? `${place} ${attributes.fingerprint ?? ''}` : place;
}

function begunOf({ places }: Shelf): readonly Condition[] {
  const begun: Condition[] = [];
  for (const list of places.values()) for (const condition of list) if (condition.begun) begun.push(condition);
  return begun;
}

/** By onset: what is in order already takes one comparison each. */
function inPlace(nearly: Condition[]): void {
  for (let i = 1; i < nearly.length; i += 1) {
    const one = nearly[i];
    let at = i;
    for (let before = nearly[at - 1]; one !== undefined && before !== undefined && byOnset(before, one) > 0; ) {
      nearly[at] = before;
      at -= 1;
      before = nearly[at - 1];
    }
    if (one !== undefined && at < i) nearly[at] = one;
  }
}

function changed(shelf: Shelf): void {
  shelf.begun = null;
  shelf.ordered = null;
}

function touch(condition: Condition, fromMs: number, toMs: number, gapMs: number): boolean {
  return toMs >= condition.coversFromMs - gapMs && fromMs <= condition.coversToMs + gapMs;
}

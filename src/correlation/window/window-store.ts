// Window store: the conditions of the recent past, by kind and place, bounded in number.

import { type Component, componentText } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Kind } from '../../model/kind.ts';
import { recursWithinMs } from '../graph/kind-roles.ts';
import { Condition, eventTime } from './condition.ts';

export interface Added {
  readonly condition: Condition;
  /** True for a new condition, and where more than a count changed. */
  readonly changed: boolean;
  readonly fresh: boolean;
  /** Conditions that turned out to be part of this one and are no more. */
  readonly absorbed: readonly Condition[];
}

export interface WindowLimits {
  readonly holdMs: number;
  readonly maxConditions: number;
  readonly maxPerKind: number;
}

export class WindowStore {
  readonly #limits: WindowLimits;
  /** Kind → place → conditions, earliest first; nearly always one. */
  readonly #byKind = new Map<Kind, Map<string, Condition[]>>();
  readonly #counts = new Map<Kind, number>();
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
  add(event: FaultEvent, component: Component | null, history: boolean): Added | null {
    const list = this.#places(event.kind).get(component === null ? '?' : componentText(component));
    const time = eventTime(event);
    const near = list?.filter((condition) => this.#touch(condition, time, time));
    const [condition, ...absorbed] = near ?? [];
    if (condition !== undefined) {
      const changed = condition.add(event, history);
      for (const other of absorbed) {
        condition.absorb(other);
        this.remove(other);
      }
      return { condition, changed: changed || absorbed.length > 0, fresh: false, absorbed };
    }
    const full =
      (this.#counts.get(event.kind) ?? 0) >= this.#limits.maxPerKind || this.#size >= this.#limits.maxConditions;
    if (full) {
      this.dropped += 1;
      return null;
    }
    const fresh = new Condition(event, component, this.#order++);
    fresh.add(event, history);
    this.#insert(fresh);
    return { condition: fresh, changed: true, fresh: true, absorbed: [] };
  }

  has(condition: Condition): boolean {
    return this.#byKind.get(condition.kind)?.get(condition.text)?.includes(condition) ?? false;
  }

  /** Moves a condition to where its component, known by a better name now, belongs; returns what it is part of then. */
  rekey(condition: Condition, resolve: (component: Component) => Component): Condition {
    const component = condition.component === null ? null : resolve(condition.component);
    if (component === condition.component) return condition;
    this.remove(condition);
    condition.place(component);
    const places = this.#places(condition.kind);
    const list = places.get(condition.text) ?? [];
    const twin = list.find((other) => this.#touch(other, condition.coversFromMs, condition.coversToMs));
    if (twin !== undefined) {
      twin.absorb(condition);
      return twin;
    }
    this.#insert(condition);
    return condition;
  }

  remove(condition: Condition): void {
    const places = this.#byKind.get(condition.kind);
    const list = places?.get(condition.text);
    const at = list?.indexOf(condition) ?? -1;
    if (places === undefined || list === undefined || at < 0) return;
    list.splice(at, 1);
    if (list.length === 0) places.delete(condition.text);
    this.#size -= 1;
    this.#counts.set(condition.kind, (this.#counts.get(condition.kind) ?? 1) - 1);
  }

  #places(kind: Kind): Map<string, Condition[]> {
    const known = this.#byKind.get(kind);
    if (known !== undefined) return known;
    const places = new Map<string, Condition[]>();
    this.#byKind.set(kind, places);
    return places;
  }

  #touch(condition: Condition, fromMs: number, toMs: number): boolean {
    const gapMs = Math.max(this.#limits.holdMs, recursWithinMs(condition.kind));
    return toMs >= condition.coversFromMs - gapMs && fromMs <= condition.coversToMs + gapMs;
  }

  #insert(condition: Condition): void {
    const places = this.#places(condition.kind);
    const list = places.get(condition.text);
    if (list === undefined) places.set(condition.text, [condition]);
    else list.push(condition);
    list?.sort((a, b) => a.coversFromMs - b.coversFromMs);
    this.#size += 1;
    this.#counts.set(condition.kind, (this.#counts.get(condition.kind) ?? 0) + 1);
  }

  /** Conditions of a kind that have begun. */
  *ofKind(kind: Kind): Iterable<Condition> {
    for (const list of this.#byKind.get(kind)?.values() ?? []) {
      for (const condition of list) if (condition.begun) yield condition;
    }
  }

  /** All conditions, begun or not. */
  *all(): Iterable<Condition> {
    for (const places of this.#byKind.values()) for (const list of places.values()) yield* list;
  }

  /** The condition to give up when there is no room: the one that ended first, by `beforeMs`; null for none. */
  oldestFinished(kind: Kind | null, beforeMs: number): Condition | null {
    let oldest: Condition | null = null;
    for (const condition of this.all()) {
      if (kind !== null && condition.kind !== kind) continue;
      const end = condition.endMs;
      if (end !== null && end <= beforeMs && (oldest === null || end < (oldest.endMs ?? 0))) oldest = condition;
    }
    return oldest;
  }
}

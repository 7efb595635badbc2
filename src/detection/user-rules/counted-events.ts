// Counted events: so many events of one pattern within a time, in each group; reported when they are reached, and over when they are not.

import type { FaultEvent } from '../../model/event.ts';
import { fits, groupOf } from './pattern.ts';
import { type Report, trustOf } from './report.ts';
import type { UserCondition, UserRule } from './user-rule.ts';

type Condition = Extract<UserCondition, { is: 'events' }>;

interface Group {
  /** What counted last, oldest first. */
  readonly seen: { readonly event: FaultEvent; readonly count: number }[];
  /** Of a repeat only what is new counts. */
  readonly counts: Map<string, number>;
  firing: boolean;
}

const MOST_GROUPS = 512;

export class CountedEvents {
  readonly #rule: UserRule;
  readonly #condition: Condition;
  readonly #host: string;
  readonly #groups = new Map<string, Group>();

  constructor(rule: UserRule, condition: Condition, host: string) {
    this.#rule = rule;
    this.#condition = condition;
    this.#host = host;
  }

  get waiting(): boolean {
    return this.#groups.size > 0;
  }

  event(event: FaultEvent): Report[] {
    const { of, per, count, windowMs } = this.#condition;
    if (!fits(of, event)) return [];
    const place = groupOf(per, event, this.#host);
    if (place === null) return [];
    const group = this.#group(place);
    if (group === null) return [];
    const known = group.counts.get(event.id) ?? 0;
    if (event.count <= known) return [];
    group.counts.set(event.id, event.count);
    group.seen.push({ event, count: event.count - known });
    group.seen.sort((a, b) => a.event.timeMs - b.event.timeMs);
    this.#forget(group, (group.seen.at(-1)?.event.timeMs ?? 0) - windowMs);
    const total = group.seen.reduce((sum, one) => sum + one.count, 0);
    if (group.firing || total < count) return [];
    group.firing = true;
    const newest = group.seen.at(-1)?.event ?? event;
    const events = group.seen.map((one) => one.event);
    const attributes = { counted: total, needed: count, within_s: windowMs / 1000 };
    return [
      { rule: this.#rule, place, state: 'onset', timeMs: newest.timeMs, trust: trustOf(events), events, attributes },
    ];
  }

  settle(nowMs: number): Report[] {
    const reports: Report[] = [];
    for (const [place, group] of this.#groups) {
      const last = group.seen.at(-1)?.event;
      this.#forget(group, nowMs - this.#condition.windowMs);
      const total = group.seen.reduce((sum, one) => sum + one.count, 0);
      if (group.firing && total < this.#condition.count) {
        group.firing = false;
        const events = last === undefined ? [] : [last];
        const trust = trustOf(events);
        reports.push({ rule: this.#rule, place, state: 'clear', timeMs: nowMs, trust, events, attributes: {} });
      }
      if (group.seen.length === 0 && !group.firing) this.#groups.delete(place);
    }
    return reports;
  }

  /** What it reported and is not over: ended where the rule is taken away. */
  open(): readonly string[] {
    return [...this.#groups].flatMap(([place, { firing }]) => (firing ? [place] : []));
  }

  #group(place: string): Group | null {
    const known = this.#groups.get(place);
    if (known !== undefined) return known;
    if (this.#groups.size >= MOST_GROUPS) return null;
    const group: Group = { seen: [], counts: new Map(), firing: false };
    this.#groups.set(place, group);
    return group;
  }

  /** Not more than are needed are kept: the newest of them. */
  #forget({ seen, counts }: Group, beforeMs: number): void {
    const old = seen.findIndex(({ event }) => event.timeMs > beforeMs);
    const surplus = Math.max(0, seen.length - this.#condition.count);
    for (const { event } of seen.splice(0, Math.max(old < 0 ? seen.length : old, surplus))) {
      if (!seen.some((one) => one.event.id === event.id)) counts.delete(event.id);
    }
  }
}

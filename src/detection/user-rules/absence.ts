// Absence: no event of a pattern, or no sample of a series, for a time. Silence is news only where something was heard before,
// or, of events of this host, from when the rule was taken up.

import type { FaultEvent } from '../../model/event.ts';
import { parseSeriesKey } from '../../model/reading.ts';
import { fits, groupOf } from './pattern.ts';
import { type Report, trustOf } from './report.ts';
import type { UserCondition, UserRule } from './user-rule.ts';

/** When each series had its newest sample after a time; null where it had none. */
export interface SeriesTimes {
  keys(): readonly string[];
  newest(key: string, afterMs: number, nowMs: number): number | null;
}

interface Heard {
  lastMs: number;
  last: FaultEvent | null;
  absent: boolean;
}

const MOST_GROUPS = 1024;
const SHORTEST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 60_000;

export class AbsentEvents {
  readonly #rule: UserRule;
  readonly #condition: Extract<UserCondition, { is: 'no-events' }>;
  readonly #host: string;
  readonly #groups = new Map<string, Heard>();

  constructor(rule: UserRule, condition: Extract<UserCondition, { is: 'no-events' }>, host: string) {
    this.#rule = rule;
    this.#condition = condition;
    this.#host = host;
  }

  readonly waiting = true;

  event(event: FaultEvent): Report[] {
    const { of, per } = this.#condition;
    if (!fits(of, event)) return [];
    const place = groupOf(per, event, this.#host);
    if (place === null) return [];
    const heard = this.#groups.get(place);
    if (heard === undefined) {
      if (this.#groups.size < MOST_GROUPS)
        this.#groups.set(place, { lastMs: event.timeMs, last: event, absent: false });
      return [];
    }
    heard.lastMs = Math.max(heard.lastMs, event.timeMs);
    heard.last = event;
    if (!heard.absent) return [];
    heard.absent = false;
    return [this.#report(place, 'clear', event.timeMs, heard)];
  }

  settle(nowMs: number): Report[] {
    // From the first look on: of this host silence is news even if nothing was ever heard.
    const { per } = this.#condition;
    const own = `host/${this.#host}`;
    if (per === 'host' && !this.#groups.has(own)) this.#groups.set(own, { lastMs: nowMs, last: null, absent: false });
    const reports: Report[] = [];
    for (const [place, heard] of this.#groups) {
      if (heard.absent || nowMs - heard.lastMs < this.#condition.forMs) continue;
      heard.absent = true;
      reports.push(this.#report(place, 'onset', heard.lastMs + this.#condition.forMs, heard));
    }
    return reports;
  }

  open(): readonly string[] {
    return [...this.#groups].flatMap(([place, { absent }]) => (absent ? [place] : []));
  }

  #report(place: string, state: Report['state'], timeMs: number, { last, lastMs }: Heard): Report {
    const events = last === null ? [] : [last];
    const attributes = {
      absent_for_s: this.#condition.forMs / 1000,
      last_seen: last === null ? null : new Date(lastMs).toISOString(),
    };
    return { rule: this.#rule, place, state, timeMs, trust: trustOf(events), events, attributes };
  }
}

export class AbsentSeries {
  readonly #rule: UserRule;
  readonly #condition: Extract<UserCondition, { is: 'no-series' }>;
  readonly #series: SeriesTimes;
  readonly #heard = new Map<string, Heard>();
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(rule: UserRule, condition: Extract<UserCondition, { is: 'no-series' }>, series: SeriesTimes) {
    this.#rule = rule;
    this.#condition = condition;
    this.#series = series;
  }

  readonly waiting = true;

  event(): Report[] {
    return [];
  }

  /** Looks at a series as seldom as its time allows. */
  settle(nowMs: number): Report[] {
    const { forMs, componentType, quantity } = this.#condition;
    if (nowMs - this.#lookedMs < Math.min(LONGEST_LOOK_MS, Math.max(SHORTEST_LOOK_MS, forMs / 4))) return [];
    this.#lookedMs = nowMs;
    const reports: Report[] = [];
    for (const key of this.#series.keys()) {
      if (!key.startsWith(`${componentType}/`) || !key.endsWith(`#${quantity}`)) continue;
      const before = this.#heard.get(key);
      const newest = this.#series.newest(key, before?.lastMs ?? nowMs - LONGEST_LOOK_MS, nowMs);
      if (before === undefined) {
        if (newest !== null && this.#heard.size < MOST_GROUPS)
          this.#heard.set(key, { lastMs: newest, last: null, absent: false });
        continue;
      }
      const isNew = newest !== null && newest > before.lastMs;
      if (isNew) before.lastMs = newest;
      if (isNew && before.absent) {
        before.absent = false;
        reports.push(this.#report(key, 'clear', newest));
      } else if (!before.absent && nowMs - before.lastMs >= forMs) {
        before.absent = true;
        reports.push(this.#report(key, 'onset', before.lastMs + forMs));
      }
    }
    return reports;
  }

  open(): readonly string[] {
    return [...this.#heard].flatMap(([key, { absent }]) => (absent ? [parseSeriesKey(key).component] : []));
  }

  #report(key: string, state: Report['state'], timeMs: number): Report {
    const attributes = { series: key, absent_for_s: this.#condition.forMs / 1000 };
    const { component } = parseSeriesKey(key);
    return { rule: this.#rule, place: component, state, timeMs, trust: 'system', events: [], attributes };
  }
}

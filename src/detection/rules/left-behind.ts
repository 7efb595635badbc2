// LeftBehind: a setting that was changed on several devices at once and is back on most of them was forgotten on the others; one that was
// changed during declared work and is not back when that is over was forgotten on all.

import { componentText } from '../../model/component.ts';
import type { Attributes } from '../../model/event.ts';
import type { Kind } from '../../model/kind.ts';
import { seriesKey } from '../../model/reading.ts';
import type { EventInput } from '../../model/record.ts';
import {
  type Changed,
  changeFrom,
  changeToDocument,
  itemsOf,
  type Plan,
  planFrom,
  planToDocument,
} from './left-behind-document.ts';

/** What one command sets on all devices of a host. */
const SETTINGS: ReadonlySet<Kind> = new Set<Kind>(['gpu.power_limit_changed', 'gpu.clock_limited']);
/** Set one after the other by one hand. */
const TOGETHER_MS = 60_000;
/** So long the other devices may take until they are set back, too. */
const PATIENCE_MS = 60_000;
/** So long what an earlier run saw may wait until this one has read the device. */
const UNREAD_MS = 600_000;
/** Fewer that are back show no intention. */
const LEAST_BACK = 2;
/** More devices than a host holds. */
const MAX_PLACES = 1024;
/** Declared work that is kept until the settings of its time are judged. */
const MAX_PLANS = 64;
/** Work is declared about when it begins: a change shortly before is of it. */
const BEFORE_MS = 10_000;

/**
 * A site that asks for less power keeps two thirds of a limit or more, where the work costs least of its speed (the published
 * studies of capped GPUs lower it by 15 to 35 %): such a limit may be meant to outlast the work in which it was set.
 */
const MEANT_SHARE = 2 / 3;

/** The newest value of a series; null where there is none. */
export type Newest = (key: string) => number | null;

export class LeftBehind {
  /** By kind and place: the last change of each. */
  readonly #changed = new Map<string, Changed>();
  readonly #plans: Plan[] = [];
  readonly #host: string;
  readonly #onChange: () => void;
  /** When what an earlier run left was taken up, by the first `settle` after it; null before. */
  #takenUpMs: number | null = null;

  /** `host`: whose devices they are. `onChange`: its document is another one now. */
  constructor(host: string, onChange: () => void = () => {}) {
    this.#host = host;
    this.#onChange = onChange;
  }

  /** What is not judged yet, for the next run. Times are epoch ms. */
  document(): Readonly<Record<string, unknown>> {
    const changed = [...this.#changed.values()];
    const open = changed.some(({ backMs }) => backMs === null);
    return { changed: open ? changed.map(changeToDocument) : [], plans: this.#plans.map(planToDocument) };
  }

  /** Takes up what an earlier run left, before any event of this one. False where the document makes no sense. */
  restore({ changed, plans }: Readonly<Record<string, unknown>>, place: (timeMs: number) => number | null): boolean {
    if (!Array.isArray(changed) || !Array.isArray(plans)) return false;
    for (const one of itemsOf(changed, MAX_PLACES, (item) => changeFrom(item, place))) {
      const { kind, component } = one.event;
      if (SETTINGS.has(kind) && component !== null) this.#changed.set(`${kind} ${componentText(component)}`, one);
    }
    this.#plans.push(...itemsOf(plans, MAX_PLANS, (item) => planFrom(item, place)));
    return true;
  }

  take(event: EventInput): void {
    const { kind, component, state, timeMs } = event;
    if (!SETTINGS.has(kind) || component === null) return;
    const key = `${kind} ${componentText(component)}`;
    const known = this.#changed.get(key);
    if (state === 'clear') {
      if (known !== undefined) known.backMs = timeMs;
    } else if (state === 'onset' && (known !== undefined || this.#changed.size < MAX_PLACES))
      this.#changed.set(key, { event, backMs: null, reported: false });
    this.#onChange();
  }

  /** Work on the host or a device of it is declared, or is over. */
  heard({ kind, component, state, timeMs }: EventInput): void {
    if (kind !== 'host.maintenance' || component === null) return;
    const text = componentText(component);
    const under = this.#plans.findLast((plan) => plan.endedMs === null && componentText(plan.component) === text);
    if (state === 'clear') {
      if (under !== undefined) under.endedMs = timeMs;
    } else if (under === undefined) {
      if (this.#plans.length >= MAX_PLANS) this.#plans.shift();
      this.#plans.push({ component, beganMs: timeMs, endedMs: null });
    } else under.unheard = false;
    this.#onChange();
  }

  get #hasRestored(): boolean {
    return [...this.#changed.values()].some(({ isRestored }) => isRestored === true);
  }

  get waiting(): boolean {
    return this.#changed.size > 0;
  }

  /** Those that are left, reported again as what they are. */
  settle(nowMs: number, newest: Newest = () => null): EventInput[] {
    const found = [
      ...this.#lookAgain(nowMs, newest),
      ...this.#byPlans(nowMs, newest),
      ...this.#byFellows(nowMs, newest),
    ];
    if (found.length > 0) this.#onChange();
    return found;
  }

  /** What became of it between the two runs: what was set back then, no detector of this one saw. */
  #lookAgain(nowMs: number, newest: Newest): EventInput[] {
    this.#takenUpMs ??= nowMs;
    const ended: EventInput[] = [];
    for (const one of this.#changed.values()) {
      if (one.isRestored !== true || one.backMs !== null || isBack(one.event, newest) !== true) continue;
      one.backMs = nowMs;
      this.#onChange();
      if (one.reported) ended.push(setBack(one.event, nowMs));
    }
    for (const plan of this.#plans)
      if (plan.unheard === true && plan.endedMs === null && nowMs >= this.#takenUpMs + PATIENCE_MS)
        plan.endedMs = this.#takenUpMs;
    return ended;
  }

  #byFellows(nowMs: number, newest: Newest): EventInput[] {
    const found: EventInput[] = [];
    for (const one of this.#changed.values()) {
      if (one.backMs !== null || one.reported || !isKnown(one, newest)) continue;
      const fellows = [...this.#changed.values()].filter((other) => areTogether(one, other));
      const back = fellows.flatMap(({ backMs }) => backMs ?? []);
      if (back.length < LEAST_BACK || back.length <= fellows.length - back.length) continue;
      const dueMs = Math.max(...back) + PATIENCE_MS;
      if (nowMs < dueMs) continue;
      one.reported = true;
      found.push(left(one.event, { set_back_on: back.length }, dueMs, nowMs));
    }
    return found;
  }

  /** What declared work changed, and was there before it otherwise. */
  #byPlans(nowMs: number, newest: Newest): EventInput[] {
    const found: EventInput[] = [];
    for (const plan of [...this.#plans]) {
      const { beganMs, endedMs } = plan;
      // What an earlier run saw is judged by what this one has read.
      const fromMs = Math.max(endedMs ?? 0, this.#takenUpMs ?? 0);
      if (endedMs === null || nowMs < (this.#hasRestored ? fromMs : endedMs) + PATIENCE_MS) continue;
      const its = [...this.#changed.values()].filter(
        ({ event }) => event.timeMs >= beganMs - BEFORE_MS && event.timeMs <= endedMs,
      );
      const isUnread = its.some((one) => one.isRestored === true && isBack(one.event, newest) === null);
      if (isUnread && nowMs < fromMs + UNREAD_MS) continue;
      this.#plans.splice(this.#plans.indexOf(plan), 1);
      for (const one of its) {
        const { event } = one;
        if (one.backMs !== null || one.reported || !isOn(event, plan, this.#host) || mayBeMeant(event)) continue;
        if (!isKnown(one, newest)) continue;
        one.reported = true;
        found.push(left(event, { changed_during: 'host.maintenance' }, endedMs + PATIENCE_MS, nowMs));
      }
    }
    return found;
  }
}

/** Null where nothing is read of it. An edge is told apart by its detector and quantity: "gpu-power-limit:power_limit". */
function isBack({ component, attributes = {}, discriminator = '' }: EventInput, newest: Newest): boolean | null {
  const { before, after } = attributes;
  const [, quantity] = String(discriminator).split(':');
  if (component === null || quantity === undefined || typeof before !== 'number' || typeof after !== 'number')
    return null;
  const now = newest(seriesKey(componentText(component), quantity));
  return now === null ? null : now > (before + after) / 2;
}

function setBack(event: EventInput, nowMs: number): EventInput {
  const interval = { earliestMs: nowMs, latestMs: nowMs };
  return { ...event, state: 'clear', timeMs: nowMs, interval, observedMs: nowMs, discriminator: `${event.discriminator} set back` }; // biome-ignore format: one line
}

/** Seen by this run, or still as the one before left it. */
function isKnown({ event, isRestored = false }: Changed, newest: Newest): boolean {
  return !isRestored || isBack(event, newest) === false;
}

function isOn(event: EventInput, { component: { type, id } }: Plan, host: string): boolean {
  return type === 'host' ? id === host : event.component?.type === type && event.component.id === id;
}

function mayBeMeant({ kind, attributes = {} }: EventInput): boolean {
  const isLimit = kind === 'gpu.power_limit_changed';
  const [before, after] = isLimit ? [attributes.before, attributes.after] : [attributes.also_before, attributes.also_after]; // biome-ignore format: one choice
  return typeof before !== 'number' || typeof after !== 'number' || after >= MEANT_SHARE * before;
}

function areTogether({ event: a }: Changed, { event: b }: Changed): boolean {
  return a.kind === b.kind && Math.abs(a.timeMs - b.timeMs) <= TOGETHER_MS;
}

function left(event: EventInput, why: Attributes, timeMs: number, nowMs: number): EventInput {
  return {
    ...event,
    timeMs,
    interval: { earliestMs: timeMs, latestMs: timeMs },
    observedMs: Math.max(timeMs, nowMs),
    // What is only a note while it is meant is more than that once it was forgotten.
    severity: 'warning',
    attributes: { ...event.attributes, left_behind: true, ...why },
    discriminator: `${event.discriminator} left behind`,
  };
}

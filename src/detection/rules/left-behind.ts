// LeftBehind: a setting that was changed on several devices at once and is back on most of them was forgotten on the others; one that was
// changed during declared work and is not back when that is over was forgotten on all.

import { type Component, componentText } from '../../model/component.ts';
import type { Attributes } from '../../model/event.ts';
import type { Kind } from '../../model/kind.ts';
import type { EventInput } from '../../model/record.ts';

/** What one command sets on all devices of a host. */
const SETTINGS: ReadonlySet<Kind> = new Set<Kind>(['gpu.power_limit_changed', 'gpu.clock_limited']);
/** Set one after the other by one hand. */
const TOGETHER_MS = 60_000;
/** So long the other devices may take until they are set back, too. */
const PATIENCE_MS = 60_000;
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

interface Changed {
  readonly event: EventInput;
  /** When it was set back; null while it is changed. */
  backMs: number | null;
  reported: boolean;
}

interface Plan {
  readonly component: Component;
  readonly beganMs: number;
  /** Null while it is under way. */
  endedMs: number | null;
}

export class LeftBehind {
  /** By kind and place: the last change of each. */
  readonly #changed = new Map<string, Changed>();
  readonly #plans: Plan[] = [];
  readonly #host: string;

  /** `host`: whose devices they are. */
  constructor(host: string) {
    this.#host = host;
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
    }
  }

  get waiting(): boolean {
    return this.#changed.size > 0;
  }

  /** Those that are left, reported again as what they are. */
  settle(nowMs: number): EventInput[] {
    const found = this.#byPlans(nowMs);
    for (const one of this.#changed.values()) {
      if (one.backMs !== null || one.reported) continue;
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
  #byPlans(nowMs: number): EventInput[] {
    const found: EventInput[] = [];
    for (const plan of [...this.#plans]) {
      const { beganMs, endedMs } = plan;
      if (endedMs === null || nowMs < endedMs + PATIENCE_MS) continue;
      this.#plans.splice(this.#plans.indexOf(plan), 1);
      for (const one of this.#changed.values()) {
        const { event } = one;
        const during = event.timeMs >= beganMs - BEFORE_MS && event.timeMs <= endedMs;
        if (!during || one.backMs !== null || one.reported || !isOn(event, plan, this.#host) || mayBeMeant(event))
          continue;
        one.reported = true;
        found.push(left(event, { changed_during: 'host.maintenance' }, endedMs + PATIENCE_MS, nowMs));
      }
    }
    return found;
  }
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

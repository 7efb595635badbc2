// Declared plans: planned work that a source reads somewhere, reported as maintenance from its begin to its end.

import type { Component } from '../model/component.ts';
import type { Attributes } from '../model/event.ts';
import { STANDARD_MAINTENANCE_MS } from '../model/note.ts';
import type { Emit, EventInput } from '../model/record.ts';
import { formatTime } from '../model/time.ts';

/** A condition that nothing repeats is over after a day: one that lasts is reported again well before. */
export const PLAN_AGAIN_MS = 6 * 3_600_000;
/** Plans of one source at once. */
const MOST_PLANS = 64;
/** A timer takes 24 days at most; what is further away is looked at again. */
const LONGEST_WAIT_MS = 3_600_000;
const MOST_WORDS = 200;

export interface DeclaredPlan {
  /** The same as long as it is the same plan. */
  readonly key: string;
  readonly component: Component;
  /** Who declared it, as far as that is known. */
  readonly by: string;
  readonly note: string | null;
  readonly fromMs: number;
  /** Null where it has no end of its own: it explains for the time of a maintenance without one, and no longer. */
  readonly untilMs: number | null;
}

interface Kept {
  plan: DeclaredPlan;
  readonly endMs: number;
  /** When to report its onset again; null while it is still to come. */
  againMs: number | null;
}

/** Opens no timer while there is no plan. What is handed to it must be an operator's: it is trusted. */
export class DeclaredPlans {
  readonly #source: string;
  readonly #now: () => number;
  readonly #emit: () => Emit | null;
  readonly #kept = new Map<string, Kept>();
  #timer: NodeJS.Timeout | null = null;

  constructor(source: string, now: () => number, emit: () => Emit | null) {
    this.#source = source;
    this.#now = now;
    this.#emit = emit;
  }

  get inForce(): number {
    return [...this.#kept.values()].filter(({ againMs }) => againMs !== null).length;
  }

  /** All plans that there are now; one that is gone is over. */
  set(plans: readonly DeclaredPlan[]): void {
    const nowMs = this.#now();
    const wanted = new Map(plans.slice(0, MOST_PLANS).map((plan) => [plan.key, plan]));
    for (const [key, kept] of this.#kept) {
      const plan = wanted.get(key);
      const endMs = plan?.untilMs ?? null;
      // One whose end was moved is another one from now on.
      if (plan !== undefined && (endMs === null || endMs === kept.plan.untilMs)) continue;
      this.#kept.delete(key);
      if (plan === undefined) this.#over(kept, Math.min(nowMs, kept.endMs), nowMs);
    }
    for (const [key, plan] of wanted) {
      if (this.#kept.has(key)) continue;
      const endMs = plan.untilMs ?? Math.max(plan.fromMs, nowMs) + STANDARD_MAINTENANCE_MS;
      this.#kept.set(key, { plan, endMs, againMs: null });
    }
    this.#settle();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Reports what has begun or ended, and sets the timer for what comes next. */
  #settle(): void {
    const nowMs = this.#now();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const kept of this.#kept.values()) {
      const { plan, endMs, againMs } = kept;
      if (endMs <= nowMs) {
        if (againMs !== null) this.#over(kept, endMs, nowMs);
        kept.againMs = null;
        continue;
      }
      if (plan.fromMs <= nowMs && (againMs === null || againMs <= nowMs)) {
        // What began long ago is reported as if it had begun later: the pipeline would hold it over at once.
        const timeMs = Math.max(plan.fromMs, nowMs - PLAN_AGAIN_MS);
        this.#emit()?.event(planEvent(this.#source, plan, { state: 'onset', timeMs, observedMs: nowMs }));
        kept.againMs = nowMs + PLAN_AGAIN_MS;
      }
      nextMs = Math.min(nextMs, plan.fromMs > nowMs ? plan.fromMs : endMs, kept.againMs ?? nextMs);
    }
    this.stop();
    if (nextMs === Number.POSITIVE_INFINITY || this.#emit() === null) return;
    this.#timer = setTimeout(() => this.#settle(), Math.min(Math.max(1, nextMs - nowMs), LONGEST_WAIT_MS)).unref();
  }

  #over({ plan, againMs }: Kept, timeMs: number, nowMs: number): void {
    if (againMs === null) return;
    this.#emit()?.event(planEvent(this.#source, plan, { state: 'clear', timeMs, observedMs: nowMs }));
    // One that still lasts is reported again: it is the same condition of the same host.
    for (const kept of this.#kept.values()) if (kept.againMs !== null && kept.plan !== plan) kept.againMs = nowMs;
  }
}

interface When {
  readonly state: 'onset' | 'clear';
  readonly timeMs: number;
  readonly observedMs: number;
}

function planEvent(source: string, plan: DeclaredPlan, { state, timeMs, observedMs }: When): EventInput {
  const { key, component, by, fromMs, untilMs } = plan;
  const note = plan.note?.slice(0, MOST_WORDS) ?? null;
  const until = untilMs === null ? null : formatTime(untilMs, 3);
  const attributes: Attributes = { by, note, until, declared_at: formatTime(fromMs, 3), read_from: source };
  return {
    kind: 'host.maintenance',
    component,
    timeMs,
    observedMs,
    trust: 'system',
    state,
    source,
    attributes,
    evidence: [{ source, timeMs, text: `declared by ${by}${note === null ? '' : `: ${note}`}` }],
    discriminator: `${source} ${key}`,
  };
}

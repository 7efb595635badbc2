// The shape of the BMC source's events, and the memory that makes an event of a change.

import type { Component } from '../../../model/component.ts';
import type { EventInput } from '../../../model/record.ts';
import type { Asked } from '../decode/parts.ts';

/** When a change happened: after `afterMs` (null: it was there at the first reading), up to `timeMs`. */
export interface Change {
  readonly edge: 'onset' | 'clear';
  readonly afterMs: number | null;
  readonly timeMs: number;
}

interface Memory {
  open: boolean;
  /** Bad readings in a row that have not made an event yet. */
  suspected: number;
  change: { afterMs: number | null; timeMs: number } | null;
  lastGoodMs: number | null;
  lastBadMs: number | null;
}

/** Conditions by name: onset when bad, clear when good again; what cannot be told changes nothing. */
export class Edges {
  readonly #memory = new Map<string, Memory>();

  /** `polls`: readings in a row that must say so; the onset is then when the first of them did. */
  step(key: string, bad: boolean | null, at: Asked, polls = 1): Change | null {
    if (bad === null) return null;
    const memory: Memory = this.#memory.get(key) ?? {
      open: false,
      suspected: 0,
      change: null,
      lastGoodMs: null,
      lastBadMs: null,
    };
    this.#memory.set(key, memory);
    if (!bad) {
      const { open, lastBadMs } = memory;
      Object.assign(memory, { open: false, suspected: 0, change: null, lastGoodMs: at.sentMs });
      return open ? { edge: 'clear', afterMs: lastBadMs, timeMs: at.timeMs } : null;
    }
    memory.lastBadMs = at.sentMs;
    if (memory.open) return null;
    memory.change ??= { afterMs: memory.lastGoodMs, timeMs: at.timeMs };
    memory.suspected += 1;
    if (memory.suspected < polls) return null;
    memory.open = true;
    return { edge: 'onset', ...memory.change };
  }

  isOpen(key: string): boolean {
    return this.#memory.get(key)?.open === true;
  }

  /** True when a condition whose name begins so is open or suspected. */
  any(prefix: string): boolean {
    for (const [key, { open, suspected }] of this.#memory)
      if (key.startsWith(prefix) && (open || suspected > 0)) return true;
    return false;
  }

  /** True when a good reading was seen, so that a bad one is a change. */
  wasGood(key: string): boolean {
    return this.#memory.get(key)?.lastGoodMs !== null && this.#memory.has(key);
  }
}

export interface EventParts {
  readonly kind: EventInput['kind'];
  readonly component: Component;
  readonly change: Change;
  readonly observedMs: number;
  readonly text: string;
  readonly attributes?: EventInput['attributes'];
  readonly severity?: EventInput['severity'];
  /** Tells apart conditions of one component: the name of a sensor. */
  readonly discriminator?: string;
}

export function bmcEvent(parts: EventParts): EventInput {
  const { kind, component, change, observedMs, text, attributes, severity, discriminator } = parts;
  const { afterMs, timeMs } = change;
  return {
    kind,
    state: change.edge,
    component,
    timeMs,
    interval: { earliestMs: Math.min(afterMs ?? timeMs, timeMs), latestMs: timeMs },
    observedMs,
    trust: 'bmc',
    source: 'bmc',
    evidence: [{ source: 'bmc', timeMs, text }],
    attributes: { ...attributes, ...(afterMs === null ? { at_first_reading: true } : {}) },
    ...(severity === undefined ? {} : { severity }),
    ...(discriminator === undefined ? {} : { discriminator }),
  };
}

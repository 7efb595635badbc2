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

/** A BMC that did not answer for so long, and for so many of its usual gaps, may have been reset: its sensors read nothing yet. */
const SILENT_MS = 30_000;
const SILENT_GAPS = 4;
/** Bad readings in a row that the first of them after such a silence needs. */
const AFTER_SILENCE = 2;

interface Memory {
  open: boolean;
  /** Bad readings in a row that have not made an event yet. */
  suspected: number;
  change: { afterMs: number | null; timeMs: number } | null;
  lastGoodMs: number | null;
  lastBadMs: number | null;
  /** When it was read last, the usual gap between readings, and whether what is suspected was first read after a silence. */
  lastMs: number | null;
  gapMs: number;
  doubtful: boolean;
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
      lastMs: null,
      gapMs: 0,
      doubtful: false,
    };
    this.#memory.set(key, memory);
    if (isAfterSilence(memory, at.sentMs)) memory.doubtful = true;
    if (!bad) {
      const { open, lastBadMs } = memory;
      Object.assign(memory, { open: false, suspected: 0, change: null, lastGoodMs: at.sentMs, doubtful: false });
      return open ? { edge: 'clear', afterMs: lastBadMs, timeMs: at.timeMs } : null;
    }
    memory.lastBadMs = at.sentMs;
    if (memory.open) return null;
    memory.change ??= { afterMs: memory.lastGoodMs, timeMs: at.timeMs };
    memory.suspected += 1;
    if (memory.suspected < (memory.doubtful ? Math.max(polls, AFTER_SILENCE) : polls)) return null;
    Object.assign(memory, { open: true, doubtful: false });
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

/** Learns the usual gap on the way. */
function isAfterSilence(memory: Memory, nowMs: number): boolean {
  const { lastMs, gapMs } = memory;
  memory.lastMs = nowMs;
  if (lastMs === null) return false;
  const gap = nowMs - lastMs;
  const silent = gapMs > 0 && gap > Math.max(SILENT_MS, SILENT_GAPS * gapMs);
  if (!silent) memory.gapMs = gap;
  return silent;
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

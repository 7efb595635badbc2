// Repeat book: what kept happening to one device over hours and jobs, long after each single condition was given up.

import type { Component } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { RepeatEntry } from '../../model/family.ts';
import { type Kind, kindEntry } from '../../model/kind.ts';
import { pciDevice } from '../topology/place.ts';
import { type Happening, type Repeat, repeatOf } from './repeat.ts';

const MAX_DEVICES = 256;
/** Kept of each device; the oldest go first. */
const MAX_HAPPENINGS = 64;
const NONE: readonly Happening[] = [];

/** Deterministic: what is found depends on what was noted, not on the order in which it came. */
export class RepeatBook {
  readonly #devices = new Map<string, Happening[]>();

  /** Takes in an event of a component under its canonical name; true when it came after later ones of its device, so that what was found of those may not hold. */
  note(event: FaultEvent, component: Component | null): boolean {
    const rule = ruleOf(event.kind);
    const device = component === null ? null : pciDevice(component);
    // A user could invent any number of them.
    if (rule === null || device === null || event.trust === 'tenant' || event.state === 'clear') return false;
    const { attributes, timeMs } = event;
    const happening: Happening = {
      kind: event.kind,
      timeMs,
      pid: typeof attributes.pid === 'number' ? attributes.pid : null,
      job: textOf(attributes.job) ?? textOf(attributes.process),
      unit: unitOf(rule, event),
    };
    const known = this.#devices.get(device) ?? [];
    this.#devices.delete(device); // so that it moves to the young end
    this.#devices.set(device, known);
    if (known.some((other) => isSame(other, happening))) return false;
    const late = known.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY;
    known.push(happening);
    known.sort((a, b) => a.timeMs - b.timeMs);
    if (known.length > MAX_HAPPENINGS) known.shift();
    for (const oldest of this.#devices.keys()) {
      if (this.#devices.size <= MAX_DEVICES) break;
      this.#devices.delete(oldest);
    }
    return timeMs < late;
  }

  /** How often the same happened to the device up to then; null where that says nothing of the device. */
  of({ kind, component, lastMs }: { kind: Kind; component: Component | null; lastMs: number }): Repeat | null {
    const rule = ruleOf(kind);
    const device = component === null ? null : pciDevice(component);
    if (rule === null || device === null) return null;
    const others: Happening[] = [];
    for (const [name, list] of this.#devices) if (name !== device) others.push(...list);
    return repeatOf(rule, kind, this.#devices.get(device) ?? NONE, others, lastMs);
  }
}

function ruleOf(kind: Kind): RepeatEntry | null {
  return kindEntry(kind).repeated ?? null;
}

/** "gpc 3, tpc 1, sm 0": the part of the device; null where the line names none, or several at once. */
function unitOf({ by }: RepeatEntry, { attributes }: FaultEvent): string | null {
  if (typeof attributes.units === 'number' && attributes.units > 1) return null;
  const parts = by.map((name) => attributes[name]);
  if (parts.length === 0 || parts.some((part) => typeof part !== 'number' && typeof part !== 'string')) return null;
  return by.map((name, i) => `${name} ${parts[i]}`).join(', ');
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function isSame(a: Happening, b: Happening): boolean {
  return a.kind === b.kind && a.timeMs === b.timeMs && a.pid === b.pid && a.unit === b.unit;
}

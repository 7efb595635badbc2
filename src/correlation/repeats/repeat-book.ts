// Repeat book: what kept happening to one device over hours and jobs, long after each single condition was given up.

import type { Component } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { RepeatEntry } from '../../model/family.ts';
import { KINDS, type Kind, kindEntry } from '../../model/kind.ts';
import { pciDevice } from '../topology/place.ts';
import { type Elsewhere, type Happening, MostRuns, type Repeat, repeatOf, SEVERAL_UNITS } from './repeat.ts';
import { happeningFrom, happeningToDocument, LONGEST_TEXT } from './repeats-document.ts';

interface Device {
  readonly happenings: Happening[];
  /** Of each kind no fewer than its runs; a kind that is not there is to be counted. */
  readonly most: Map<Kind, MostRuns>;
  /** When it was heard of last, by the number of events noted. */
  noted: number;
}

const MAX_DEVICES = 64;
/** Kept of each device; the oldest go first. */
const MAX_HAPPENINGS = 64;
const NONE: readonly Happening[] = [];
/** Most kinds have none. */
const rules = new Map<Kind, RepeatEntry>();
/** What is older counts for no rule, ms. */
let longestMs = 0;
for (const kind of KINDS) {
  const { repeated } = kindEntry(kind);
  if (repeated === undefined) continue;
  rules.set(kind, repeated);
  longestMs = Math.max(longestMs, repeated.within_ms);
}

/** Deterministic: what is found depends on what was noted, not on the order in which it came. */
export class RepeatBook {
  readonly #devices = new Map<string, Device>();
  readonly #changed: () => void;
  /** Events noted so far. */
  #noted = 0;

  /** `changed`: called after what `document` returns changed. */
  constructor(changed: () => void = () => {}) {
    this.#changed = changed;
  }

  /**
   * Takes in an event of a component under its canonical name; true when what was found of its device may not hold: it came after
   * later ones, or it is the one that makes a repeat of them, or of them none.
   */
  note(event: FaultEvent, component: Component | null): boolean {
    const rule = rules.get(event.kind);
    // A user could invent any number of them.
    if (rule === undefined || event.trust === 'tenant' || event.state === 'clear') return false;
    const device = component === null ? null : pciDevice(component);
    if (device === null) return false;
    const { attributes, timeMs } = event;
    const happening: Happening = {
      kind: event.kind,
      timeMs,
      pid: typeof attributes.pid === 'number' ? attributes.pid : null,
      job: textOf(attributes.job) ?? textOf(attributes.process),
      unit: unitOf(rule, event),
    };
    this.#noted += 1;
    const { happenings: known, most } = this.#knownOf(device);
    const late = known.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY;
    const isLate = timeMs < late;
    if (isLate) most.delete(event.kind);
    // In a storm nearly always: so few runs are no repeat, with this one as without it.
    const few = !isLate && countedWith(happening, known, most) < rule.times;
    const asked = { kind: event.kind, component, lastMs: timeMs };
    const before = isLate || few ? null : this.of(asked);
    if (!insert(known, happening)) return false;
    if (known.length > MAX_HAPPENINGS) known.shift();
    this.#changed();
    return isLate || (!few && (this.of(asked) === null) !== (before === null));
  }

  /** What the next run must know, the device that was heard of last at the end. */
  document(): { readonly devices: readonly object[] } {
    const byNoted = [...this.#devices].sort(([, a], [, b]) => a.noted - b.noted);
    return {
      devices: byNoted.map(([device, { happenings }]) => ({
        device,
        happenings: happenings.map(happeningToDocument),
      })),
    };
  }

  /**
   * Takes up what an earlier run left, before any event of this one. `place`: a time of that run by this one's clock; null where
   * it cannot be placed. False where the document makes no sense; an entry that does not is left out.
   */
  restore({ devices }: Readonly<Record<string, unknown>>, place: (timeMs: number) => number | null): boolean {
    if (!Array.isArray(devices)) return false;
    for (const entry of devices.slice(-MAX_DEVICES)) {
      const { device, happenings } = typeof entry === 'object' && entry !== null ? { ...entry } : {};
      if (typeof device !== 'string' || device.length > LONGEST_TEXT || !Array.isArray(happenings)) continue;
      const all = happenings.flatMap((one) => happeningFrom(one, place) ?? []).filter(({ kind }) => rules.has(kind));
      const newestMs = Math.max(...all.map(({ timeMs }) => timeMs));
      const recent = all.filter(({ timeMs }) => timeMs >= newestMs - longestMs);
      if (recent.length === 0) continue;
      this.#noted += 1;
      const { happenings: known, most } = this.#knownOf(device);
      most.clear();
      for (const one of recent.slice(-MAX_HAPPENINGS)) insert(known, one);
    }
    return true;
  }

  /** Of one device more than there is room for, the one that was not heard of for longest goes. */
  #knownOf(device: string): Device {
    let known = this.#devices.get(device);
    if (known === undefined) {
      if (this.#devices.size >= MAX_DEVICES) this.#forgetOldest();
      known = { happenings: [], most: new Map(), noted: 0 };
      this.#devices.set(device, known);
    }
    known.noted = this.#noted;
    return known;
  }

  #forgetOldest(): void {
    let oldest = '';
    let first = Number.POSITIVE_INFINITY;
    for (const [device, { noted }] of this.#devices) {
      if (noted >= first) continue;
      oldest = device;
      first = noted;
    }
    this.#devices.delete(oldest);
  }

  /** How often the same happened to the device up to then; null where that says nothing of the device. */
  of({ kind, component, lastMs }: { kind: Kind; component: Component | null; lastMs: number }): Repeat | null {
    const rule = rules.get(kind);
    const device = rule === undefined || component === null ? null : pciDevice(component);
    if (rule === undefined || device === null) return null;
    const elsewhere: Elsewhere = (what, fromMs, toMs) => this.#happenedElsewhere(device, what, fromMs, toMs);
    return repeatOf(rule, kind, this.#devices.get(device)?.happenings ?? NONE, elsewhere, lastMs);
  }

  #happenedElsewhere(device: string, kind: Kind, fromMs: number, toMs: number): boolean {
    for (const [name, { happenings }] of this.#devices) {
      if (name !== device && happenings.some((one) => one.kind === kind && one.timeMs >= fromMs && one.timeMs <= toMs))
        return true;
    }
    return false;
  }
}

/** No fewer than the runs of its kind with this one, which is later than all that are known. */
function countedWith(happening: Happening, known: readonly Happening[], most: Map<Kind, MostRuns>): number {
  const before = most.get(happening.kind);
  const isNew = before === undefined || before.count >= 2 * MAX_HAPPENINGS;
  const counted = isNew ? new MostRuns() : before;
  if (isNew) {
    for (const one of known) if (one.kind === happening.kind) counted.add(one);
    most.set(happening.kind, counted);
  }
  counted.add(happening);
  return counted.runs;
}

/** Puts it in order of time, nearly always at the end; false where it is known already. */
function insert(known: Happening[], happening: Happening): boolean {
  let at = known.length;
  for (let before = known[at - 1]; before !== undefined && before.timeMs >= happening.timeMs; ) {
    if (isSame(before, happening)) return false;
    at -= 1;
    before = known[at - 1];
  }
  while (known[at]?.timeMs === happening.timeMs) at += 1;
  if (at === known.length) known.push(happening);
  else known.splice(at, 0, happening);
  return true;
}

/** "gpc 3, tpc 1, sm 0": the part of the device; null where the line names none. */
function unitOf({ by }: RepeatEntry, { attributes }: FaultEvent): string | null {
  if (by.length === 0) return null;
  if (typeof attributes.units === 'number' && attributes.units > 1) return SEVERAL_UNITS;
  let unit = '';
  for (const name of by) {
    const part = attributes[name];
    if (typeof part !== 'number' && typeof part !== 'string') return null;
    unit += unit === '' ? `${name} ${part}` : `, ${name} ${part}`;
  }
  return unit.slice(0, LONGEST_TEXT);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, LONGEST_TEXT) : null;
}

function isSame(a: Happening, b: Happening): boolean {
  return a.kind === b.kind && a.timeMs === b.timeMs && a.pid === b.pid && a.unit === b.unit;
}

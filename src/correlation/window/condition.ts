// Condition: one thing that is or was the case at one place — all events of one kind and component that belong together.

import { type Component, componentText } from '../../model/component.ts';
import type { FaultEvent, Trust } from '../../model/event.ts';
import type { Kind } from '../../model/kind.ts';
import { maxSeverity, type Severity } from '../../model/severity.ts';
import type { Interval } from '../../model/time.ts';
import type { Edge } from '../graph/edge.ts';
import { isLasting } from '../graph/kind-roles.ts';

/** Events kept whole per condition: the earliest, and the latest; what lies between is counted. */
const KEPT_EVENTS = 16;
const KEPT_SOURCES = 8;
/** A condition that nothing ever ends is over after a day. */
export const LONGEST_MS = 86_400_000;

/** Order of events in time; of two at one time a clear comes last. Independent of arrival. */
export function byTime(a: FaultEvent, b: FaultEvent): number {
  const time = eventTime(a) - eventTime(b);
  if (time !== 0) return time;
  const state = Number(a.state === 'clear') - Number(b.state === 'clear');
  if (state !== 0) return state;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

/** Best single time; no event is later than its arrival, whatever its writer says. */
export function eventTime(event: FaultEvent): number {
  return Math.min(event.timeMs, event.observedMs);
}

/** The later of two forms of one event: the higher count, then the later arrival, then the one that tells more. */
function supersedes(next: FaultEvent, before: FaultEvent): boolean {
  const by =
    next.count - before.count ||
    next.observedMs - before.observedMs ||
    next.evidence.length - before.evidence.length ||
    Object.keys(next.attributes).length - Object.keys(before.attributes).length;
  return by > 0;
}

export class Condition {
  readonly kind: Kind;
  component: Component | null = null;
  /** Component text, "?" where the component is unknown. */
  text = '?';
  /** Kind and place, for orders that do not depend on arrival. */
  name = '';
  /** Order of arrival among all conditions, and the event that arrived first. */
  readonly order: number;
  readonly openedBy: FaultEvent;
  /** Onsets and points, earliest first, at most `KEPT_EVENTS`. */
  readonly events: FaultEvent[] = [];
  readonly sources = new Map<string, Trust>();
  count = 0;
  /** Grows with everything that it takes in. */
  version = 0;
  severity: Severity = 'info';
  /** True while every event was already old when it arrived. */
  history = true;
  /** When it began: no later than the earliest bound, narrowed by other sources that saw the same moment. */
  onset: Interval = { earliestMs: 0, latestMs: 0 };
  latest: FaultEvent | null = null;
  latestOnset: FaultEvent | null = null;
  latestClear: FaultEvent | null = null;
  /** Time at which a reset or the like ended it, ms; null while none did. */
  releasedMs: number | null = null;

  /** `endMs` before the last event was taken in. */
  endBeforeMs: number | null = null;

  /** Deadline at which its eviction is looked at, ms; null while none is set. */
  evictCheckMs: number | null = null;

  /** Admissible causes, and the conditions that this one may have caused. */
  readonly causes = new Map<Condition, Edge>();
  readonly effects = new Set<Condition>();

  constructor(event: FaultEvent, component: Component | null, order: number) {
    this.kind = event.kind;
    this.place(component);
    this.order = order;
    this.openedBy = event;
  }

  /** Names its component, again when a better name is known. */
  place(component: Component | null): void {
    this.component = component;
    this.text = component === null ? '?' : componentText(component);
    this.name = `${this.kind} ${this.text}`;
    this.version += 1;
  }

  /** Takes an event in. True when more than a count changed: onset, end, severity, source. */
  add(event: FaultEvent, history: boolean): boolean {
    this.version += 1;
    const same = this.#replace(event);
    if (same !== null) return same;
    const { severity, history: old, sources } = this;
    const { first, onset } = this;
    const known = sources.size;
    const end = this.endMs;
    this.endBeforeMs = end;
    if (event.state === 'clear') {
      if (this.latestClear === null || byTime(this.latestClear, event) < 0) this.latestClear = event;
    } else {
      this.count += event.count;
      this.severity = maxSeverity(severity, event.severity);
      this.history = old && history;
      this.#keep(event);
      if (this.latest === null || byTime(this.latest, event) < 0) this.latest = event;
      const starts = event.state === 'onset';
      if (starts && (this.latestOnset === null || byTime(this.latestOnset, event) < 0)) this.latestOnset = event;
      if (sources.size < KEPT_SOURCES || sources.has(event.source)) sources.set(event.source, event.trust);
    }
    const changed = severity !== this.severity || old !== this.history || known !== sources.size;
    return (
      changed ||
      onset !== this.onset ||
      first !== this.first ||
      (end === null) !== (this.endMs === null) ||
      (event.state === 'clear' && end !== this.endMs)
    );
  }

  /** True once it has an onset or a point; a clear alone, come before its onset, is nothing yet. */
  get begun(): boolean {
    return this.events.length > 0;
  }

  /** Best single time of the beginning, ms. */
  get onsetMs(): number {
    return this.events[0] === undefined ? 0 : eventTime(this.events[0]);
  }

  /** The event that stands for it: the earliest. */
  get first(): FaultEvent {
    return this.events[0] ?? this.openedBy;
  }

  /** Time of the last event that says it is the case, ms. */
  get lastMs(): number {
    return this.latest === null ? eventTime(this.openedBy) : eventTime(this.latest);
  }

  /** When it ended, ms; null while it lasts. A point is over at once unless its kind lasts. */
  get endMs(): number | null {
    if (this.releasedMs !== null) return this.releasedMs;
    const { latestOnset, latestClear } = this;
    const cleared = latestClear !== null && (latestOnset === null || byTime(latestOnset, latestClear) < 0);
    if (cleared && latestClear !== null) return Math.max(eventTime(latestClear), this.lastMs);
    if (latestOnset === null && !isLasting(this.kind)) return this.lastMs;
    return null;
  }

  /** Where the time that it covers ends, for joining further events, ms. */
  get coversToMs(): number {
    return this.endMs ?? this.lastMs + LONGEST_MS;
  }

  get coversFromMs(): number {
    if (this.begun) return this.onsetMs;
    return eventTime(this.latestClear ?? this.openedBy);
  }

  /** Takes over what another condition of the same kind and place knows. */
  absorb(other: Condition): void {
    this.version += 1;
    const before = other.count - other.events.reduce((sum, event) => sum + event.count, 0);
    for (const event of other.events) this.add(event, other.history);
    for (const event of [other.latest, other.latestOnset, other.latestClear]) {
      if (event === null || other.events.includes(event)) continue;
      const counted = this.count;
      this.add(event, other.history);
      this.count = counted; // it is among `before`
    }
    this.count += before;
    for (const [source, trust] of other.sources) if (this.sources.size < KEPT_SOURCES) this.sources.set(source, trust);
  }

  /** Null when the event is not known yet; else whether its newer form changes more than a count. */
  #replace(event: FaultEvent): boolean | null {
    for (const known of [this.latestClear, this.latest, this.latestOnset, ...this.events]) {
      if (known === null || known.id !== event.id) continue;
      if (!supersedes(event, known)) return false;
      const at = this.events.indexOf(known);
      if (at >= 0) this.events[at] = event;
      if (this.latest === known) this.latest = event;
      if (this.latestOnset === known) this.latestOnset = event;
      if (this.latestClear === known) this.latestClear = event;
      this.events.sort(byTime);
      const { onset } = this;
      this.#setOnset();
      if (event.state === 'clear') return eventTime(event) !== eventTime(known);
      this.count += event.count - known.count;
      const severity = maxSeverity(this.severity, event.severity);
      const changed = severity !== this.severity || eventTime(event) !== eventTime(known) || onset !== this.onset;
      this.severity = severity;
      return changed;
    }
    return null;
  }

  #keep(event: FaultEvent): void {
    const last = this.events.at(-1);
    if (this.events.length >= KEPT_EVENTS && last !== undefined && byTime(last, event) <= 0) return;
    let at = this.events.length;
    for (let before = this.events[at - 1]; before !== undefined && byTime(before, event) > 0; ) {
      at -= 1;
      before = this.events[at - 1];
    }
    this.events.splice(at, 0, event);
    if (this.events.length > KEPT_EVENTS) this.events.pop();
    this.#setOnset();
  }

  #setOnset(): void {
    const onset = onsetOf(this.events);
    const { earliestMs, latestMs } = this.onset;
    if (onset.earliestMs !== earliestMs || onset.latestMs !== latestMs) this.onset = onset;
  }
}

function onsetOf(events: readonly FaultEvent[]): Interval {
  let first: FaultEvent | null = null;
  for (const event of events) if (first === null || latestOf(event) < latestOf(first)) first = event;
  if (first === null) return { earliestMs: 0, latestMs: 0 };
  const latestMs = latestOf(first);
  let earliestMs = Math.min(first.interval.earliestMs, latestMs);
  for (const { source, interval } of events) {
    const bound = interval.earliestMs;
    if (source !== first.source && bound > earliestMs && bound <= latestMs) earliestMs = bound;
  }
  return { earliestMs, latestMs };
}

function latestOf(event: FaultEvent): number {
  return Math.min(event.interval.latestMs, event.observedMs);
}

/** A total order of conditions that does not depend on arrival: by onset, then by kind and place. */
export function byOnset(a: Condition, b: Condition): number {
  const onset = a.onsetMs - b.onsetMs;
  if (onset !== 0) return onset;
  return a.name < b.name ? -1 : Number(a.name > b.name);
}

// Facts of a condition: what its events report of one thing at one place — when it began and ended, by which sources, how bad it is.

import { type Component, componentText } from '../../model/component.ts';
import type { FaultEvent, Trust } from '../../model/event.ts';
import { type Kind, kindInfo } from '../../model/kind.ts';
import { maxSeverity, type Severity } from '../../model/severity.ts';
import type { Interval } from '../../model/time.ts';
import { type Roles, rolesOf } from '../graph/kind-roles.ts';
import { jobOfRank, pciDevice } from '../topology/place.ts';
import { byTime, eventTime, lastTimeOf, supersedes } from './event-order.ts';
import { Expected } from './expected.ts';
import { onsetOf } from './onset.ts';
import type { PlaceMark } from './place-marks.ts';

/** Events kept whole per condition: the earliest, and the latest; what lies between is counted. */
const KEPT_EVENTS = 16;
const KEPT_SOURCES = 8;
/** One id can come with times that differ by less: what is read back from a log may have whole ms only. */
const ROUNDED_MS = 1;
/** What tenants claimed of something that others report is kept only to be shown. */
const KEPT_HEARSAY = 4;
const NO_EVENTS: readonly FaultEvent[] = [];
/** A condition that nothing ever ends is over after a day. */
export const LONGEST_MS = 86_400_000;

/** How finely it is known when a condition happened last: of a storm not each line can move what follows from it. */
const AGAIN_STEP_MS = 10_000;

/** What an event changed: only a count, when the condition ended, or anything else. */
export type Change = 'count' | 'end' | 'all';

/** All events of one kind and component that belong together. Knows nothing of other conditions; whoever builds on it hears what changed. */
export abstract class Facts {
  readonly kind: Kind;
  /** Its place among all kinds. */
  readonly kindIndex: number;
  readonly roles: Roles;
  component: Component | null = null;
  /** Component text, "?" where the component is unknown. */
  text = '?';
  /** The job of a rank; null for anything else. */
  rankJob: string | null = null;
  /** Its place, and for a rank its job's: what a job's user can name at will counts as one. Of the store that holds it. */
  placeMark: PlaceMark = { uses: 0, counted: 0 };
  jobMark: PlaceMark = this.placeMark;
  /** The PCI device that it is or is a part of, else the component's text. */
  device = '?';
  /** Kind and place, for orders that do not depend on arrival. */
  name = '';
  /** Order of arrival among all conditions, and the event that arrived first. */
  readonly order: number;
  readonly openedBy: FaultEvent;
  /** Onsets and points, earliest first, at most `KEPT_EVENTS`. A tenant's count only where there are no others. */
  readonly events: FaultEvent[] = [];
  /** What tenants claimed besides, earliest first: counted and shown, and decides nothing. */
  hearsay: readonly FaultEvent[] = NO_EVENTS;
  readonly sources = new Map<string, Trust>();
  /** Those of them that no tenant could have written. */
  readonly trusted: string[] = [];
  /** Grows with each event that is taken in and each change of place or beginning; an end that something else brings is not in it. */
  version = 0;
  count = 0;
  severity: Severity = 'info';
  /** True while every event was already old when it arrived. */
  history = true;
  /** The event that arrived first of those that were news; an id that is drawn from it was never used before. */
  news: FaultEvent | null = null;
  /** When it began: no later than the earliest bound, narrowed by other sources that saw the same moment. */
  onset: Interval = { earliestMs: 0, latestMs: 0 };
  /** Best single time of the beginning, ms. */
  onsetMs = 0;
  /** It was set back elsewhere and forgotten here. */
  leftBehind = false;
  /** When it ended, ms; null while it lasts. A point is over at once unless its kind lasts. */
  endMs: number | null = null;
  latest: FaultEvent | null = null;
  latestOnset: FaultEvent | null = null;
  latestClear: FaultEvent | null = null;
  /** `endMs` before the last event was taken in. */
  endBeforeMs: number | null = null;
  /** Deadline at which its causes are looked at again, ms; null while none is set. */
  causeCheckMs: number | null = null;
  /** In the window store; false once it was given up or absorbed. */
  held = false;

  /** When the stall began that it is the record of, ms; null where that is not known. */
  #beganMs: number | null = null;
  /** Time at which a reset or the like ended it, ms; null while none did. */
  #releasedMs: number | null = null;
  #trustedClear: FaultEvent | null = null;
  readonly #expected = new Expected();
  /** Of all its events, whatever is expected. */
  #worst: Severity = 'info';
  /** Latest source time of all events: what is later cannot be known yet. */
  #newestMs = Number.NEGATIVE_INFINITY;
  /** When it happened last, in whole steps, ms; only for kinds of which that matters. */
  #againMs = Number.NEGATIVE_INFINITY;
  /** At how many it will have doubled since that was published. */
  #doubledAt = 1;

  constructor(event: FaultEvent, component: Component | null, order: number) {
    this.kind = event.kind;
    this.kindIndex = kindInfo(event.kind).index;
    this.roles = rolesOf(event.kind);
    this.order = order;
    this.openedBy = event;
    this.#place(component);
    this.endMs = this.#end();
  }

  /** It may stand elsewhere among others by onset and name, or has begun, or not any more. */
  protected abstract reordered(): void;
  /** Something that is published of it changed. */
  protected abstract outdated(): void;
  /** Its count grew within the same power of two. */
  protected abstract recounted(): void;
  /** `published`: its end is itself part of what is published. */
  protected abstract endMoved(published: boolean, beforeMs: number | null): void;

  /** Names its component, again when a better name is known. */
  place(component: Component | null): void {
    this.#place(component);
    this.reordered();
    this.outdated();
  }

  #place(component: Component | null): void {
    this.version += 1;
    this.component = component;
    this.text = component === null ? '?' : componentText(component);
    this.rankJob = component === null ? null : jobOfRank(component);
    this.device = component === null ? '?' : (pciDevice(component) ?? this.text);
    this.name = `${this.kind} ${this.text}`;
  }

  /** Takes an event in. */
  add(event: FaultEvent, history: boolean): Change {
    this.version += 1;
    const before = this.#againMs;
    const change = this.#take(event, history);
    if (this.roles.eachTime && event.state !== 'clear' && (event.trust !== 'tenant' || this.trusted.length === 0))
      this.#againMs = Math.max(before, AGAIN_STEP_MS * Math.floor(lastTimeOf(event) / AGAIN_STEP_MS));
    return before === this.#againMs ? change : 'all';
  }

  #take(event: FaultEvent, history: boolean): Change {
    const tenant = event.trust === 'tenant';
    if (tenant && this.trusted.length > 0) return this.#overhear(event);
    if (!tenant && event.state !== 'clear' && this.trusted.length === 0) this.#disbelieve();
    if (event.timeMs < this.#newestMs + ROUNDED_MS) {
      const same = this.#replace(event);
      if (same !== null) return same;
    }
    this.#newestMs = Math.max(this.#newestMs, event.timeMs);
    const { severity, history: old, onset, first, endMs } = this;
    let trusted = !this.leftBehind && event.attributes.left_behind === true;
    this.leftBehind ||= trusted;
    this.endBeforeMs = endMs;
    if (event.state === 'clear') {
      if (this.latestClear === null || byTime(this.latestClear, event) < 0) this.latestClear = event;
      if (!tenant && (this.#trustedClear === null || byTime(this.#trustedClear, event) < 0)) this.#trustedClear = event;
    } else {
      this.#counted(event.count);
      this.#worst = maxSeverity(this.#worst, event.severity);
      this.#expected.take(event);
      this.severity = this.#expected.graded(this.#worst);
      this.history = old && history;
      if (!history) this.news ??= event;
      this.#keep(event);
      if (this.latest === null || byTime(this.latest, event) < 0) {
        this.latest = event;
        if (this.kind === 'gpu.recovery_action') this.outdated(); // the last one is what is asked for
      }
      const starts = event.state === 'onset';
      if (starts && (this.latestOnset === null || byTime(this.latestOnset, event) < 0)) this.latestOnset = event;
      if (this.#heard(event.source, event.trust)) trusted = true;
      if (this.kind === 'host.down' && 'job' in event.attributes) trusted = true; // what it cost is said by which job ended there
    }
    this.#setEnd();
    const all =
      severity !== this.severity || old !== this.history || trusted || onset !== this.onset || first !== this.first;
    if (all) {
      this.outdated();
      return 'all';
    }
    const end = (endMs === null) !== (this.endMs === null) || (event.state === 'clear' && endMs !== this.endMs);
    return end ? 'end' : 'count';
  }

  /** True once it has an onset or a point; a clear alone, come before its onset, is nothing yet. */
  get begun(): boolean {
    return this.events.length > 0;
  }

  /** The event that represents it: the earliest. */
  get first(): FaultEvent {
    return this.events[0] ?? this.openedBy;
  }

  /** Time of the last event that says it is the case, ms. */
  get lastMs(): number {
    return this.latest === null ? eventTime(this.openedBy) : eventTime(this.latest);
  }

  /** Where the time that it covers ends, for joining further events, ms. */
  get coversToMs(): number {
    return this.endMs ?? this.lastMs + LONGEST_MS;
  }

  /** When it is known to have happened last, to ten seconds, ms; infinity while something that began lasts. */
  get againMs(): number {
    if (this.latestOnset === null || this.roles.lasting) return this.#againMs;
    return Math.max(this.#againMs, this.endMs ?? Number.POSITIVE_INFINITY);
  }

  get coversFromMs(): number {
    if (this.begun) return this.onsetMs;
    return eventTime(this.latestClear ?? this.openedBy);
  }

  /** A reset or the like ended it then, or, by null, none did; true when that is new. */
  release(atMs: number | null): boolean {
    if (atMs === this.#releasedMs) return false;
    this.#releasedMs = atMs;
    this.#setEnd();
    return true;
  }

  /** It began with what began then; null: as its own events report. True when that moved it. */
  begin(atMs: number | null): boolean {
    const { onset } = this;
    this.version += 1;
    this.#beganMs = atMs;
    this.#setOnset();
    if (onset === this.onset) return false;
    this.outdated();
    return true;
  }

  /** Takes over what another condition of the same kind and place knows. */
  absorb(other: Facts): void {
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
    this.#doubledAt = doubled(this.count);
    for (const [source, trust] of other.sources) this.#heard(source, trust);
    if (this.trusted.length > 0) for (const event of other.hearsay) this.#keepHearsay(event);
    this.outdated();
  }

  /** A tenant's word on what others report: it moves neither beginning nor end, and decides nothing of how bad it is. */
  #overhear(event: FaultEvent): Change {
    if (event.state === 'clear') return 'count';
    const known = this.hearsay.find(({ id }) => id === event.id);
    if (known !== undefined && !supersedes(event, known)) return 'count';
    this.#counted(event.count - (known?.count ?? 0));
    this.#keepHearsay(event);
    if (!this.sources.has(event.source)) this.outdated();
    this.#heard(event.source, event.trust);
    return 'count';
  }

  /** Others report it too: what tenants claimed so far counts for nothing but its number. */
  #disbelieve(): void {
    for (const event of this.events) this.#keepHearsay(event);
    this.events.length = 0;
    this.reordered();
    this.severity = 'info';
    this.#worst = 'info';
    this.history = true;
    this.latest = null;
    this.latestOnset = null;
    this.latestClear = this.#trustedClear;
    this.#newestMs = Number.NEGATIVE_INFINITY;
  }

  #keepHearsay(event: FaultEvent): void {
    const others = this.hearsay.filter(({ id }) => id !== event.id);
    this.hearsay = [...others, event].sort(byTime).slice(0, KEPT_HEARSAY);
  }

  /** Null when the event is not known yet; else what its newer form changes. */
  #replace(event: FaultEvent): Change | null {
    const { id } = event;
    let known: FaultEvent | null = null;
    if (this.latestClear?.id === id) known = this.latestClear;
    else if (this.latest?.id === id) known = this.latest;
    else if (this.latestOnset?.id === id) known = this.latestOnset;
    else known = this.events.find((kept) => kept.id === id) ?? null;
    if (known === null) return null;
    if (!supersedes(event, known)) return 'count';
    this.outdated();
    const at = this.events.indexOf(known);
    if (at >= 0) this.events[at] = event;
    if (this.latest === known) this.latest = event;
    if (this.latestOnset === known) this.latestOnset = event;
    if (this.latestClear === known) this.latestClear = event;
    if (this.#trustedClear === known) this.#trustedClear = event;
    this.events.sort(byTime);
    const { onset } = this;
    this.#setOnset();
    this.#setEnd();
    const moved = eventTime(event) !== eventTime(known);
    if (event.state === 'clear') return moved ? 'end' : 'count';
    this.#counted(event.count - known.count);
    this.#worst = maxSeverity(this.#worst, event.severity);
    const severity = this.#expected.graded(this.#worst);
    const changed = severity !== this.severity || moved || onset !== this.onset;
    this.severity = severity;
    return changed ? 'all' : 'count';
  }

  #counted(more: number): void {
    this.count += more;
    if (this.count < this.#doubledAt) {
      this.recounted();
      return;
    }
    this.#doubledAt = doubled(this.count);
    this.outdated();
  }

  /** A further source, or one believed only now: what a tenant could have written takes no trust away. */
  #heard(source: string, trust: Trust): boolean {
    const before = this.sources.get(source);
    if (before === undefined ? this.sources.size >= KEPT_SOURCES : before !== 'tenant' || trust === 'tenant')
      return false;
    this.sources.set(source, trust);
    if (trust !== 'tenant') this.trusted.push(source);
    return true;
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
    const own = onsetOf(this.events);
    const onset = this.#beganMs === null ? own : { ...own, earliestMs: this.#beganMs };
    const { earliestMs, latestMs } = this.onset;
    if (onset.earliestMs !== earliestMs || onset.latestMs !== latestMs) this.onset = onset;
    const timeMs = this.events[0] === undefined ? 0 : eventTime(this.events[0]);
    const onsetMs = Math.min(timeMs, this.#beganMs ?? timeMs);
    if (onsetMs === this.onsetMs && this.events.length > 1) return;
    this.onsetMs = onsetMs;
    this.reordered();
  }

  #setEnd(): void {
    const endMs = this.#end();
    const before = this.endMs;
    if (endMs === before) return;
    this.endMs = endMs;
    this.endMoved(this.roles.losesLoad || this.roles.affectsJob, before);
  }

  #end(): number | null {
    const { latestOnset, latestClear } = this;
    const cleared = latestClear !== null && (latestOnset === null || byTime(latestOnset, latestClear) < 0);
    const clearedMs = cleared ? Math.max(eventTime(latestClear), this.lastMs) : null;
    // What was over does not last until a reset of an hour later.
    if (this.#releasedMs !== null) return Math.min(this.#releasedMs, clearedMs ?? this.#releasedMs);
    if (clearedMs !== null) return clearedMs;
    return latestOnset === null && !this.roles.lasting ? this.lastMs : null;
  }
}

/** The next power of two: counts are published when they pass one. */
function doubled(count: number): number {
  return 2 ** (Math.floor(Math.log2(Math.max(1, count))) + 1);
}

/** A total order of conditions that does not depend on arrival: by onset, then by kind and place. */
export function byOnset(a: Facts, b: Facts): number {
  const onset = a.onsetMs - b.onsetMs;
  if (onset !== 0) return onset;
  return a.name < b.name ? -1 : Number(a.name > b.name);
}

/** A user of the host could have written all of it. */
export function onlyTenant({ trusted }: Pick<Facts, 'trusted'>): boolean {
  return trusted.length === 0;
}

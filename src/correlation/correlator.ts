// Correlator: the streaming root-cause engine — events in, for every cluster of them what is believed to be its cause out.

import type { FaultEvent } from '../model/event.ts';
import type { Explanation } from '../model/explanation.ts';
import type { Incident } from '../model/incident.ts';
import type { Link } from '../model/topology.ts';
import { Asleep } from './asleep.ts';
import type { Condition } from './belief/condition.ts';
import { ClusterBook } from './cluster-book.ts';
import { type Before, type CorrelatorOptions, NOTHING_BEFORE } from './correlator-options.ts';
import { type ExplainContext, explain, judge } from './explain/explain.ts';
import { asSeenHere } from './foreign-outlet.ts';
import type { EdgeContext } from './graph/edge.ts';
import { endMatters, refresh, refreshEnd } from './graph/neighbours.ts';
import { including } from './including.ts';
import { INFERENCES } from './inference/index.ts';
import { Inferred } from './inference/inferred.ts';
import { putIn, type Room } from './inference/put-in.ts';
import { Keeping } from './keeping.ts';
import { openingsOf } from './openings.ts';
import { Rechecks } from './rechecks.ts';
import { type Moment, rememberedCauses, rememberedEvents } from './remembered.ts';
import { RepeatBook } from './repeats/repeat-book.ts';
import { joined, type RevisionDue, Revisions } from './revisions.ts';
import { placeSaid } from './topology/place-said.ts';
import { TopologyIndex } from './topology/topology-index.ts';
import { movedBegins } from './window/began-with.ts';
import { Deadlines } from './window/deadlines.ts';
import { eventTime } from './window/event-order.ts';
import { isHistory } from './window/history.ts';
import { PastEvents } from './window/past-events.ts';
import { release, releasedConditions } from './window/release.ts';
import { type Added, WindowStore } from './window/window-store.ts';
import { failedSources, World } from './world.ts';

type Due = { readonly what: 'evict' | 'recheck'; readonly condition: Condition } | RevisionDue;

const NOTHING: readonly Explanation[] = [];

/**
 * Deterministic: what is believed depends on the events, the links and the event time alone. The order of arrival within
 * the lateness changes intermediate beliefs, never settled ones. Memory is bounded by `maxConditions`.
 */
export class Correlator {
  readonly #host: string;
  readonly #topology: TopologyIndex;
  readonly #store: WindowStore;
  readonly #book: ClusterBook;
  readonly #deadlines = new Deadlines<Due>();
  readonly #past: PastEvents;
  #latenessMs: number;
  #holdMs: number;
  #clockMs = Number.NEGATIVE_INFINITY;
  /** When this run took up what an earlier one left, ms. */
  #restoredMs = Number.NEGATIVE_INFINITY;
  #newestOnsetMs = Number.NEGATIVE_INFINITY;
  #linksChanged = false;
  readonly #world = new World();
  readonly #rechecks = new Rechecks((atMs, condition) => this.#deadlines.add(atMs, { what: 'recheck', condition }));
  readonly #revisions: Revisions;
  readonly #inferred = new Inferred(INFERENCES);
  readonly #keeping: Keeping;
  readonly #repeats: RepeatBook;
  readonly #asleep = new Asleep();
  readonly #room: Room;

  constructor(options: CorrelatorOptions) {
    const { host, latenessMs, maxConditions = 4096, maxPerKind = 256 } = options;
    this.#host = host;
    this.#latenessMs = latenessMs;
    this.#holdMs = Math.max(options.holdMs, latenessMs);
    // Asked for each time, since they may change.
    const holdMs = () => this.#holdMs;
    const quietMs = () => this.#holdMs + this.#latenessMs;
    this.#past = options.pastEvents ?? new PastEvents(latenessMs);
    this.#repeats = options.repeats ?? new RepeatBook();
    this.#topology = new TopologyIndex(host, options.names);
    this.#store = new WindowStore({ holdMs, maxConditions, maxPerKind });
    const ofKind = this.#store.ofKind.bind(this.#store);
    const shared = {
      topology: this.#topology,
      reading: options.reading ?? (() => null),
      ofKind,
      isEmpty: this.#store.isEmpty.bind(this.#store),
      heard: options.watches ?? this.#world.hasHeard.bind(this.#world),
      adviseOnWords: options.adviseOnWords === true,
    };
    const context = (): ExplainContext => ({ ...shared, failedSources: failedSources(ofKind), repeats: this.#repeats });
    this.#book = new ClusterBook({
      quietMs,
      lookAgain: this.#rechecks.at,
      world: () => this.#world.changes,
      judge: (cluster) => judge(cluster, context()),
      isOfWork: this.#topology.isOfWork.bind(this.#topology),
      explain: (cluster, verdict, identity) => explain(cluster, verdict, identity, context()),
    });
    this.#keeping = new Keeping({
      topology: this.#topology,
      store: this.#store,
      book: this.#book,
      rechecks: this.#rechecks,
      past: this.#past,
      world: this.#world,
      quietMs,
      schedule: this.#evictAt.bind(this),
    });
    this.#room = {
      inferred: this.#inferred,
      known: { topology: this.#topology, ofKind },
      topology: this.#topology,
      store: this.#store,
      keeping: this.#keeping,
    };
    const schedule = this.#deadlines.add.bind(this.#deadlines);
    this.#revisions = new Revisions({ book: this.#book, latenessMs: () => this.#latenessMs, schedule });
  }

  /** Conditions held, and events that found no room: for the daemon's own metrics. */
  get load(): { readonly conditions: number; readonly dropped: number } {
    return { conditions: this.#store.size, dropped: this.#store.dropped };
  }

  /** Takes a link of the configuration or of a discovery; beliefs follow with the next call. */
  link(link: Link): void {
    if (this.#topology.link(link)) this.#linksChanged = true;
  }

  /** A link of the configuration is there no more; beliefs follow with the next call. */
  unlink(link: Link): void {
    if (this.#topology.unlink(link)) this.#linksChanged = true;
  }

  /** Other times from now on: all that is held is looked at again with the next call. */
  wait({ latenessMs, holdMs }: Pick<CorrelatorOptions, 'latenessMs' | 'holdMs'>): void {
    this.#latenessMs = latenessMs;
    this.#holdMs = Math.max(holdMs, latenessMs);
    this.#past.lateness(latenessMs);
    this.#linksChanged = true;
  }

  /** Takes an event; returns the clusters whose explanation changed. */
  observe(given: FaultEvent): readonly Explanation[] {
    const begun = this.#asleep.wake(given);
    if (begun !== null) return joined(this.observe(begun), this.observe(given));
    return this.#observe(given, isHistory(given, this.#latenessMs));
  }

  /** `history`: it was over already, or was reported by an earlier run; of that alone nothing is published. */
  #observe(given: FaultEvent, history: boolean): readonly Explanation[] {
    const event = asSeenHere(given, this.#topology);
    const atMs = eventTime(event);
    if (this.#topology.hears(event)) this.#linksChanged = true;
    const news = this.#pass(atMs);
    this.#clockMs = Math.max(this.#clockMs, atMs);
    if (event.source !== 'kernel-log' || isOfKernel(event)) this.#world.hear(event.source);
    const place = placeSaid(event, this.#topology);
    if (this.#repeats.note(event, place?.component ?? null)) this.#world.changed();

    const added = this.#keeping.takeIn(event, place, history, this.#clockMs);
    return added === null ? news : joined(news, this.#follow(added, atMs));
  }

  /** What follows from an event that was taken in. */
  #follow(added: Added, atMs: number): readonly Explanation[] {
    const { condition, absorbed, change } = added;
    const { kind, kindIndex, roles } = condition;
    if (change !== 'count') {
      this.#newestOnsetMs = Math.max(this.#newestOnsetMs, condition.onset.latestMs);
      this.#world.changedBy(kind);
    }
    if (added.fresh) this.#rechecks.begin(condition, this.#latenessMs);
    let touched: Set<Condition> | null = null;
    for (const gone of absorbed) {
      touched = including(touched, this.#keeping.detach(gone));
      this.#book.replace(gone, condition);
    }
    if (roles.endedBy.length > 0) release(condition, this.#store, this.#topology);
    if (roles.ends) touched = including(touched, releasedConditions(condition, this.#store, this.#topology));
    if (this.#inferred.watches(kindIndex)) touched = including(touched, putIn(kind, this.#room));
    if (change === 'all') touched = including(touched, movedBegins(condition, this.#store, this.#topology));
    if (touched !== null) for (const one of touched) this.#keeping.evictLater(one);
    this.#keeping.evictLater(condition);
    if (change === 'all' || touched !== null) {
      const near = this.#refresh((touched ?? new Set()).add(condition));
      const disproved = this.#book.disprovedBy(condition);
      const all = disproved.length === 0 ? near : near.concat(disproved);
      return this.#revisions.publishSoon(all, atMs, this.#clockMs);
    }
    if (change === 'end' || this.#endMoved(condition)) {
      const near = refreshEnd(condition, this.#store, this.#context());
      return this.#revisions.publishEndSoon(condition, near, atMs, this.#clockMs);
    }
    this.#revisions.publishLater(condition, atMs);
    return NOTHING;
  }

  /**
   * Takes up open incidents of an earlier run, before any event of this one. What is believed of them now was published by
   * that run; returned is only what was found to be one incident under two ids.
   */
  restore(incidents: readonly Incident[], before: Before = NOTHING_BEFORE): readonly Explanation[] {
    // A plan that is over by now must not explain again what is open: two incidents would become one by that.
    this.#restoredMs = before.nowMs;
    for (const event of before.causes ?? []) this.#observe(event, true);
    for (const event of this.#asleep.restore(before.events, before.nowMs)) this.observe(event);
    const oldest = incidents.toSorted((a, b) => a.openedMs - b.openedMs || (a.id < b.id ? -1 : 1));
    for (const incident of oldest) for (const event of incident.events) this.observe(event);
    this.#book.adopt(openingsOf(oldest, this.#host, this.#store.all()), this.#store.all());
    this.#revisions.forgetWaiting();
    for (const condition of this.#store.all()) condition.belief.outdate();
    return this.#revisions.publish(this.#store.all(), this.#clockMs).filter(({ mergedInto }) => mergedInto !== null);
  }

  /** Its end moved over the beginning of something that may hang on it. */
  #endMoved(condition: Condition): boolean {
    const { endBeforeMs, belief } = condition;
    if (endBeforeMs === null || !endMatters(condition)) return false;
    // What is explained by a plan is so only while its time lasts.
    return endBeforeMs <= this.#newestOnsetMs || belief.explained;
  }

  /** Lets event time move on; returns what changed by that alone, each as of its own deadline. */
  advance(nowMs: number): readonly Explanation[] {
    const news = this.#pass(nowMs);
    this.#clockMs = Math.max(this.#clockMs, nowMs);
    return news;
  }

  /** What the next run must know besides the open incidents. */
  remembered(): readonly FaultEvent[] {
    return rememberedEvents(this.#store.all(), this.#isOpen, this.#clock());
  }

  /** What is over and in no open incident, and the next run must know as the cause of what follows. */
  rememberedCauses(): readonly FaultEvent[] {
    return rememberedCauses(this.#store.all(), this.#isOpen, this.#clock());
  }

  readonly #isOpen = (condition: Condition): boolean => this.#keeping.isOpen(condition);

  #clock(): Moment {
    return { nowMs: this.#clockMs, latenessMs: this.#latenessMs };
  }

  /** An incident of an earlier run that was taken up and is not over by what is known of it. */
  continues(incidentId: string): boolean {
    return this.#book.continues(incidentId, this.#store.all());
  }

  /** The passing of time alone may end an explanation. */
  get waiting(): boolean {
    return this.#rechecks.waiting;
  }

  /** When what waits for the pause of its incident is published; infinite where nothing does. Event time. */
  get publishesAtMs(): number {
    return this.#revisions.dueMs;
  }

  /** Publishes now what still waits, because nothing more will be asked: the run ends. `over`: nothing more happens either. */
  publishWaiting(over = false): readonly Explanation[] {
    const news = this.#revisions.publishWaiting(this.#clockMs);
    if (!over) return news;
    this.#book.end();
    const waiting = [...this.#rechecks.conditions];
    for (const { belief } of waiting) belief.cluster?.touch();
    return joined(news, this.#revisions.publish(waiting, this.#clockMs));
  }

  #pass(nowMs: number): readonly Explanation[] {
    let news = this.#linksChanged ? this.#relink(Math.min(nowMs, this.#deadlines.nextMs)) : NOTHING;
    for (let due = this.#deadlines.take(nowMs); due !== null; due = this.#deadlines.take(nowMs)) {
      this.#clockMs = Math.max(this.#clockMs, due.atMs);
      news = joined(news, this.#keep(due.item, due.atMs));
    }
    return news;
  }

  #keep(due: Due, atMs: number): readonly Explanation[] {
    switch (due.what) {
      case 'evict':
        return this.#evict(due.condition, atMs);
      case 'recheck':
        return this.#recheck(due.condition, atMs);
      default:
        return this.#revisions.due(due, atMs);
    }
  }

  /** Finds the edges of these conditions again and publishes every cluster that is connected with them. */
  #revise(conditions: ReadonlySet<Condition>, atMs: number): readonly Explanation[] {
    return this.#revisions.publish(this.#refresh(conditions), atMs);
  }

  /** Returns these and those near them, some more than once. */
  #refresh(conditions: ReadonlySet<Condition>): readonly Condition[] {
    const seeds: Condition[] = [];
    const context = this.#context();
    for (const condition of conditions) {
      if (!condition.held) continue;
      seeds.push(condition);
      refresh(condition, this.#store, context, seeds);
    }
    return seeds;
  }

  #evictAt(atMs: number, condition: Condition): void {
    if (condition.eviction === null) condition.eviction = this.#deadlines.add(atMs, { what: 'evict', condition });
    else this.#deadlines.hasten(condition.eviction, atMs);
  }

  #recheck(condition: Condition, atMs: number): readonly Explanation[] {
    this.#rechecks.due(condition, atMs);
    condition.belief.cluster?.touch();
    return condition.held ? this.#revise(new Set([condition]), atMs) : NOTHING;
  }

  #evict(condition: Condition, atMs: number): readonly Explanation[] {
    if (!this.#keeping.isDue(condition)) return NOTHING;
    const news = this.#keeping.endUnheard(condition, atMs) ? this.#revise(new Set([condition]), atMs) : NOTHING;
    this.#keeping.giveUp(condition, atMs);
    return news;
  }

  /** A new link can make or break any edge. */
  #relink(atMs: number): readonly Explanation[] {
    this.#linksChanged = false;
    this.#world.changed();
    this.#topology.releaseAll();
    const all = new Set<Condition>();
    for (const condition of [...this.#store.all()]) {
      const moved = this.#store.rekey(condition, (component) => this.#topology.resolve(component));
      if (moved !== condition) {
        this.#keeping.detach(condition);
        this.#book.replace(condition, moved);
      }
      all.add(moved);
    }
    for (const condition of this.#store.all()) this.#keeping.retain(condition);
    for (const one of putIn(null, this.#room)) all.add(one);
    for (const one of all) movedBegins(one, this.#store, this.#topology);
    return this.#revise(all, Math.max(atMs, this.#clockMs));
  }

  #context(): EdgeContext {
    return {
      topology: this.#topology,
      nowMs: Math.max(this.#clockMs, this.#restoredMs),
      latenessMs: this.#latenessMs,
      past: this.#past.of,
      recheckAt: this.#rechecks.at,
    };
  }
}

/** The lines that other programs wrote to a log of the kernel's source say nothing of what the kernel saw. */
function isOfKernel({ trust, attributes }: FaultEvent): boolean {
  return trust !== 'tenant' && attributes.as_logged !== true;
}

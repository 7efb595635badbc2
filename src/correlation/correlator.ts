// Correlator: the streaming root-cause engine — events in, for every cluster of them what is believed to be its cause out.

import type { Place } from '../identity/aliases.ts';
import type { Component } from '../model/component.ts';
import type { FaultEvent } from '../model/event.ts';
import type { Explanation } from '../model/explanation.ts';
import type { Incident } from '../model/incident.ts';
import type { Kind } from '../model/kind.ts';
import type { Link } from '../model/topology.ts';
import { Asleep } from './asleep.ts';
import type { Condition } from './belief/condition.ts';
import { leave } from './belief/condition-family.ts';
import { ClusterBook } from './cluster-book.ts';
import { type Before, type CorrelatorOptions, NOTHING_BEFORE } from './correlator-options.ts';
import { type ExplainContext, explain, judge } from './explain/explain.ts';
import { asSeenHere } from './foreign-outlet.ts';
import type { EdgeContext } from './graph/edge.ts';
import { detach, endMatters, refresh, refreshEnd } from './graph/neighbours.ts';
import { including } from './including.ts';
import { INFERENCES } from './inference/index.ts';
import type { Known } from './inference/inference.ts';
import { Inferred } from './inference/inferred.ts';
import { openingsOf } from './openings.ts';
import { Rechecks } from './rechecks.ts';
import { rememberedEvents } from './remembered.ts';
import { RepeatBook } from './repeats/repeat-book.ts';
import { joined, type RevisionDue, Revisions } from './revisions.ts';
import { TopologyIndex } from './topology/topology-index.ts';
import { begunConditions, findBegin } from './window/began-with.ts';
import { Deadlines } from './window/deadlines.ts';
import { eventTime } from './window/event-order.ts';
import { evictMs } from './window/eviction.ts';
import { LONGEST_MS } from './window/facts.ts';
import { PastEvents } from './window/past-events.ts';
import { release, releasedConditions } from './window/release.ts';
import { type Added, WindowStore } from './window/window-store.ts';

type Due = { readonly what: 'evict' | 'recheck'; readonly condition: Condition } | RevisionDue;

const MAX_SOURCES = 256;
const NOTHING: readonly Explanation[] = [];
const FAILED: readonly Kind[] = ['agent.source_failed', 'power.feed_unreachable'];
/** Whatever their place, these go into the explanation of any cluster. */
const EVERYWHERE: ReadonlySet<Kind> = new Set<Kind>([...FAILED, 'job.started']);

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
  readonly #heard = new Set<string>();
  readonly #latenessMs: number;
  readonly #quietMs: number;
  #clockMs = Number.NEGATIVE_INFINITY;
  /** When this run took up what an earlier one left, ms. */
  #restoredMs = Number.NEGATIVE_INFINITY;
  #newestOnsetMs = Number.NEGATIVE_INFINITY;
  #linksChanged = false;
  /** Grows with whatever an explanation is drawn from besides its own conditions: sources, links, starts of jobs. */
  #world = 0;
  readonly #rechecks = new Rechecks((atMs, condition) => this.#deadlines.add(atMs, { what: 'recheck', condition }));
  readonly #revisions: Revisions;
  readonly #inferred = new Inferred(INFERENCES);
  readonly #repeats: RepeatBook;
  readonly #asleep = new Asleep();
  readonly #known: Known;

  constructor(options: CorrelatorOptions) {
    const { host, latenessMs, maxConditions = 4096, maxPerKind = 256 } = options;
    const holdMs = Math.max(options.holdMs, latenessMs);
    this.#host = host;
    this.#latenessMs = latenessMs;
    this.#quietMs = holdMs + latenessMs;
    this.#past = options.pastEvents ?? new PastEvents(latenessMs);
    this.#repeats = options.repeats ?? new RepeatBook();
    this.#topology = new TopologyIndex(host, options.names);
    this.#store = new WindowStore({ holdMs, maxConditions, maxPerKind });
    this.#known = { topology: this.#topology, ofKind: this.#store.ofKind.bind(this.#store) };
    const shared = {
      topology: this.#topology,
      reading: options.reading ?? (() => null),
      ofKind: this.#store.ofKind.bind(this.#store),
      heard: options.watches ?? ((source: string) => this.#heard.has(source)),
      adviseOnWords: options.adviseOnWords === true,
    };
    const context = (): ExplainContext => ({ ...shared, failedSources: this.#failedSources(), repeats: this.#repeats });
    this.#book = new ClusterBook({
      quietMs: this.#quietMs,
      world: () => this.#world,
      judge: (cluster) => judge(cluster, context()),
      explain: (cluster, verdict) => explain(cluster, verdict, context()),
    });
    const schedule = this.#deadlines.add.bind(this.#deadlines);
    this.#revisions = new Revisions({ book: this.#book, latenessMs, schedule });
  }

  /** Conditions held, and events that found no room: for the daemon's own metrics. */
  get load(): { readonly conditions: number; readonly dropped: number } {
    return { conditions: this.#store.size, dropped: this.#store.dropped };
  }

  /** Takes a link of the configuration or of a discovery; beliefs follow with the next call. */
  link(link: Link): void {
    if (this.#topology.link(link)) this.#linksChanged = true;
  }

  /** Takes an event; returns the clusters whose explanation changed. */
  observe(given: FaultEvent): readonly Explanation[] {
    const begun = this.#asleep.wake(given);
    if (begun !== null) return joined(this.observe(begun), this.observe(given));
    const event = asSeenHere(given, this.#topology);
    const atMs = eventTime(event);
    if (this.#topology.hears(event)) this.#linksChanged = true;
    const news = this.#pass(atMs);
    this.#clockMs = Math.max(this.#clockMs, atMs);
    if (this.#heard.size < MAX_SOURCES && !this.#heard.has(event.source)) {
      this.#heard.add(event.source);
      this.#world += 1;
    }
    const place = event.component === null ? null : this.#topology.placeOf(event.component);
    if (this.#repeats.note(event, place?.component ?? null)) this.#world += 1;
    const history = isHistory(event, this.#latenessMs);
    const added = this.#store.add(event, place, history) ?? this.#makeRoom(event, place, history);
    if (added === null) return news;
    if (added.fresh) this.#retain(added.condition.component);
    return joined(news, this.#follow(added, atMs));
  }

  /** What follows from an event that was taken in. */
  #follow(added: Added, atMs: number): readonly Explanation[] {
    const { condition, absorbed, change } = added;
    const { kind, kindIndex, roles } = condition;
    if (change !== 'count') {
      this.#newestOnsetMs = Math.max(this.#newestOnsetMs, condition.onset.latestMs);
      if (EVERYWHERE.has(kind)) this.#world += 1;
    }
    if (added.fresh) this.#rechecks.begin(condition, this.#latenessMs);
    let touched: Set<Condition> | null = null;
    for (const gone of absorbed) {
      touched = including(touched, this.#detach(gone));
      this.#book.replace(gone, condition);
    }
    if (roles.endedBy.length > 0) release(condition, this.#store, this.#topology);
    if (roles.ends) touched = including(touched, releasedConditions(condition, this.#store, this.#topology));
    if (this.#inferred.watches(kindIndex)) touched = including(touched, this.#infer(kind));
    const moved = change === 'all' ? this.#begin(condition) : null;
    if (moved !== null) touched = including(touched, moved);
    if (touched !== null) for (const one of touched) this.#evictLater(one);
    this.#evictLater(condition);
    if (change === 'all' || touched !== null) {
      return this.#revisions.publishSoon(this.#refresh((touched ?? new Set()).add(condition)), atMs, this.#clockMs);
    }
    if (change === 'end' || this.#endMoved(condition)) {
      const near = refreshEnd(condition, this.#store, this.#context());
      return this.#revisions.publishEndSoon(condition, near, atMs, this.#clockMs);
    }
    this.#revisions.publishLater(condition, atMs);
    return NOTHING;
  }

  /** Finds when what hangs on this one began; returns what moved, null for nothing. */
  #begin(condition: Condition): readonly Condition[] | null {
    const { beginsWith, beginsOthers } = condition.roles;
    if (beginsOthers) return begunConditions(condition, this.#store, this.#topology);
    return beginsWith && findBegin(condition, this.#store, this.#topology) ? [condition] : null;
  }

  /**
   * Takes up open incidents of an earlier run, before any event of this one. What is believed of them now was published by
   * that run; returned is only what was found to be one incident under two ids.
   */
  restore(incidents: readonly Incident[], before: Before = NOTHING_BEFORE): readonly Explanation[] {
    // A plan that is over by now must not explain again what is open: two incidents would become one by that.
    this.#restoredMs = before.nowMs;
    for (const event of this.#asleep.restore(before.events, before.nowMs)) this.observe(event);
    const oldest = incidents.toSorted((a, b) => a.openedMs - b.openedMs || (a.id < b.id ? -1 : 1));
    for (const incident of oldest) for (const event of incident.events) this.observe(event);
    this.#book.adopt(openingsOf(oldest, this.#host, this.#store.all()), this.#store.all());
    this.#revisions.forgetWaiting();
    for (const condition of this.#store.all()) condition.belief.outdate();
    return this.#revisions.publish(this.#store.all(), this.#clockMs).filter(({ mergedInto }) => mergedInto !== null);
  }

  /** Takes back what was inferred from less, and puts in what follows from all that is known now; returns what that touches. */
  #infer(kind: Kind | null): Set<Condition> {
    const touched = new Set<Condition>();
    const takeBack = (gone: Condition): void => {
      if (!gone.held) return;
      this.#store.remove(gone);
      for (const near of this.#detach(gone)) touched.add(near);
      gone.belief.forget();
    };
    const put = (event: FaultEvent): Condition | null => {
      const place = event.component === null ? null : this.#topology.placeOf(event.component);
      const added = this.#store.add(event, place, false);
      if (added?.fresh) this.#retain(added.condition.component);
      return added?.condition ?? null;
    };
    for (const one of this.#inferred.update(kind, this.#known, takeBack, put)) touched.add(one);
    for (const one of [...touched]) if (!one.held) touched.delete(one);
    return touched;
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
    const clock = { nowMs: this.#clockMs, latenessMs: this.#latenessMs };
    return rememberedEvents(this.#store.all(), (condition) => this.#isOpen(condition), clock);
  }

  /** An incident of an earlier run that was taken up and is not over by what is known of it. */
  continues(incidentId: string): boolean {
    return this.#book.continues(incidentId, this.#store.all());
  }

  /** The passing of time alone may end an explanation. */
  get waiting(): boolean {
    return this.#rechecks.waiting;
  }

  /** Publishes now what still waits, because nothing more will be asked: the run ends. */
  publishWaiting(): readonly Explanation[] {
    return this.#revisions.publishWaiting(this.#clockMs);
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

  /** Takes the edges of one away that is gone; returns where they led. */
  #detach(gone: Condition): Condition[] {
    const near = detach(gone);
    leave(gone);
    if (gone.component !== null) this.#topology.release(gone.component);
    return near;
  }

  #retain(component: Component | null): void {
    if (component !== null && this.#topology.retain(component)) this.#world += 1;
  }

  #recheck(condition: Condition, atMs: number): readonly Explanation[] {
    this.#rechecks.due(condition, atMs);
    return condition.held ? this.#revise(new Set([condition]), atMs) : NOTHING;
  }

  /** An earlier deadline than the one set replaces it; the old one is passed over when it comes. */
  #evictLater(condition: Condition, notBeforeMs = Number.NEGATIVE_INFINITY): void {
    const due = Math.max(evictMs(condition, this.#quietMs), notBeforeMs);
    if (condition.evictCheckMs !== null && condition.evictCheckMs <= due) return;
    condition.evictCheckMs = due;
    this.#deadlines.add(due, { what: 'evict', condition });
  }

  #evict(condition: Condition, atMs: number): readonly Explanation[] {
    if (condition.evictCheckMs !== atMs || !condition.held) return NOTHING;
    condition.evictCheckMs = null;
    let news = NOTHING;
    if (condition.endMs === null && condition.lastMs + LONGEST_MS <= atMs) {
      condition.release(condition.lastMs + LONGEST_MS);
      if (EVERYWHERE.has(condition.kind)) this.#world += 1;
      news = this.#revise(new Set([condition]), atMs);
    }
    const due = evictMs(condition, this.#quietMs);
    const open = this.#isOpen(condition) || this.#isNamed(condition);
    if (due > atMs || open) this.#evictLater(condition, atMs + this.#quietMs);
    else this.#settle(condition, atMs);
    return news;
  }

  #isOpen(condition: Condition): boolean {
    return this.#book.of(condition)?.last.ended === false;
  }

  /** A plan is kept as long as what it explains, or what an open incident says that it did not come back from: without it that would be a fault of its own. */
  #isNamed({ effects, roles }: Condition): boolean {
    return roles.explains && effects.size > 0;
  }

  /** Nothing can follow from it any more; without work on the host nothing could. */
  #settle(condition: Condition, atMs: number): void {
    if (this.#topology.hasWork) this.#past.ended(condition, condition.belief.consequential, atMs);
    this.#drop(condition);
  }

  #drop(condition: Condition): void {
    this.#store.remove(condition);
    this.#detach(condition);
    this.#rechecks.forget(condition);
    condition.belief.forget();
    if (EVERYWHERE.has(condition.kind)) this.#world += 1;
  }

  /** Gives up the condition that was over first; a flood of one kind can only push out its own. */
  #makeRoom(event: FaultEvent, place: Place | null, history: boolean): Added | null {
    const settled = this.#clockMs - this.#quietMs;
    const old = this.#store.oldestFinished(this.#store.isFull(event.kind) ? event.kind : null, settled);
    if (old === null || this.#book.of(old)?.last.ended === false) {
      this.#store.dropped += 1;
      return null;
    }
    this.#drop(old);
    return this.#store.add(event, place, history);
  }

  /** A new link can make or break any edge. */
  #relink(atMs: number): readonly Explanation[] {
    this.#linksChanged = false;
    this.#world += 1;
    this.#topology.releaseAll();
    const all = new Set<Condition>();
    for (const condition of [...this.#store.all()]) {
      const moved = this.#store.rekey(condition, (component) => this.#topology.resolve(component));
      if (moved !== condition) {
        this.#detach(condition);
        this.#book.replace(condition, moved);
      }
      all.add(moved);
    }
    for (const { component } of this.#store.all()) this.#retain(component);
    for (const one of this.#infer(null)) all.add(one);
    for (const one of all) this.#begin(one);
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

  #failedSources(): Condition[] {
    return FAILED.flatMap((kind) => this.#store.ofKind(kind).filter(({ endMs }) => endMs === null));
  }
}

/** It was over for longer than an event may be late: what had to last to be reported is as new as its last reading. */
function isHistory({ observedMs, interval, attributes }: FaultEvent, latenessMs: number): boolean {
  const { lasted_ms: lasted, detector } = attributes;
  const lastedMs = typeof lasted === 'number' && typeof detector === 'string' && lasted > 0 ? lasted : 0;
  return observedMs - interval.latestMs - lastedMs > latenessMs;
}

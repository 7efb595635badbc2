// Correlator: the streaming root-cause engine — events in, for every cluster of them what is believed to be its cause out.

import type { FaultEvent } from '../model/event.ts';
import type { Explanation } from '../model/explanation.ts';
import { incidentId } from '../model/identity.ts';
import type { Incident } from '../model/incident.ts';
import type { Link } from '../model/topology.ts';
import { assign, type Cluster, connectedTo } from './assignment.ts';
import { ClusterBook, type ClusterRecord } from './cluster-book.ts';
import { explain } from './explain/explain.ts';
import { AROUND_MS } from './explain/ruled-out.ts';
import { LONGEST_REACH_MS, reachMs } from './graph/cause-graph.ts';
import { type EdgeContext, recheckMs } from './graph/edge.ts';
import { isReleasing, releasedBy } from './graph/kind-roles.ts';
import { detach, endMatters, refresh } from './graph/neighbours.ts';
import { TopologyIndex } from './topology/topology-index.ts';
import { bearsOnSags, unobservedSags } from './unobserved-sag.ts';
import { type Condition, eventTime, LONGEST_MS } from './window/condition.ts';
import { Deadlines } from './window/deadlines.ts';
import { release, releasedConditions } from './window/release.ts';
import { WindowStore } from './window/window-store.ts';

export interface CorrelatorOptions {
  readonly host: string;
  /** How late an event may arrive and still be news, ms. */
  readonly latenessMs: number;
  /** How long all must be clear before a cluster ends, ms; never less than the lateness. */
  readonly holdMs: number;
  /** Conditions kept, 4,096 by default; the oldest finished ones go first. */
  readonly maxConditions?: number;
  /** Conditions of one kind kept, 256 by default: what bounds a flood of invented components. */
  readonly maxPerKind?: number;
  /** Latest value of a series, for what is told as ruled out; decides nothing. */
  readonly reading?: (seriesKey: string) => number | null;
  /** Whether a source works; by default one does that has given an event. */
  readonly watches?: (source: string) => boolean;
}

type Due =
  | { readonly what: 'evict' | 'recheck'; readonly condition: Condition }
  | { readonly what: 'end' | 'tell'; readonly record: ClusterRecord }
  | { readonly what: 'revise' };

const MAX_SOURCES = 256;
/**
 * What has to do with no incident is told at once. What may have to do with one that was told before waits a little
 * longer with each look at it, so that a first chain is seen link by link and a storm costs one explanation a second. A
 * further incident that opens beside a changing one is so told up to a second late. Event time, ms.
 */
const PAUSE_STEP_MS = 20;
const LONGEST_PAUSE_MS = 1_000;

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
  readonly #heard = new Set<string>();
  readonly #latenessMs: number;
  readonly #quietMs: number;
  #clockMs = Number.NEGATIVE_INFINITY;
  #newestOnsetMs = Number.NEGATIVE_INFINITY;
  #linksChanged = false;
  #relinks = 0;
  readonly #roots = new Map<Condition, Condition>();
  readonly #rootOf = (condition: Condition): Condition => this.#roots.get(condition) ?? condition;

  constructor(options: CorrelatorOptions) {
    const { host, latenessMs, maxConditions = 4096, maxPerKind = 256 } = options;
    const holdMs = Math.max(options.holdMs, latenessMs);
    this.#host = host;
    this.#latenessMs = latenessMs;
    this.#quietMs = holdMs + latenessMs;
    this.#topology = new TopologyIndex(host);
    this.#store = new WindowStore({ holdMs, maxConditions, maxPerKind });
    const shared = {
      topology: this.#topology,
      reading: options.reading ?? (() => null),
      ofKind: this.#store.ofKind.bind(this.#store),
      heard: options.watches ?? ((source: string) => this.#heard.has(source)),
    };
    this.#book = new ClusterBook({
      quietMs: this.#quietMs,
      rootOf: this.#rootOf,
      world: () => `${this.#heard.size} ${this.#relinks} ${this.#failedSources().map(({ order }) => order)}`,
      explain: (cluster) => explain(cluster, { ...shared, failedSources: this.#failedSources(), rootOf: this.#rootOf }),
    });
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
  observe(event: FaultEvent): readonly Explanation[] {
    const atMs = eventTime(event);
    const told = this.#pass(atMs);
    this.#clockMs = Math.max(this.#clockMs, atMs);
    if (this.#heard.size < MAX_SOURCES) this.#heard.add(event.source);
    const component = event.component === null ? null : this.#topology.resolve(event.component);
    if (component !== null) this.#topology.register(component);
    const history = event.observedMs - event.interval.latestMs > this.#latenessMs;
    const added = this.#store.add(event, component, history) ?? this.#makeRoom(event, history);
    if (added === null) return told;

    const { condition, absorbed } = added;
    const touched = new Set<Condition>([condition]);
    if (added.changed) this.#newestOnsetMs = Math.max(this.#newestOnsetMs, condition.onset.latestMs);
    for (const gone of absorbed) {
      for (const near of detach(gone)) touched.add(near);
      this.#book.replace(gone, condition);
    }
    if (added.fresh) this.#recheckLater(condition);
    if (releasedBy(condition.kind).size > 0) release(condition, this.#store, this.#topology);
    if (isReleasing(condition.kind)) {
      for (const ended of releasedConditions(condition, this.#store, this.#topology)) touched.add(ended);
    }
    if (bearsOnSags(condition.kind)) for (const one of this.#infer()) touched.add(one);
    for (const one of touched) this.#evictLater(one);
    if (added.changed || touched.size > 1 || this.#endMoved(condition)) {
      told.push(...this.#reviseSoon(touched, atMs));
    } else this.#tellLater(condition, atMs);
    return told;
  }

  /**
   * Takes up open incidents of an earlier run, before any event of this one. What is believed of them now was told by
   * that run; returned is only what was found to be one incident under two ids.
   */
  restore(incidents: readonly Incident[]): readonly Explanation[] {
    const oldest = incidents.toSorted((a, b) => a.openedMs - b.openedMs || (a.id < b.id ? -1 : 1));
    for (const incident of oldest) for (const event of incident.events) this.observe(event);
    const byEvent = new Map<string, Condition>();
    for (const condition of this.#store.all()) {
      for (const { id } of [condition.openedBy, ...condition.events]) byEvent.set(id, condition);
    }
    const openings = oldest.flatMap((incident) => {
      const first = incident.events.find(({ id }) => incidentId(this.#host, id) === incident.id);
      const candidates = [first?.id ?? '', incident.root.eventId, ...incident.events.map(({ id }) => id)];
      const opener = candidates.map((id) => byEvent.get(id)).find((condition) => condition !== undefined);
      return opener === undefined ? [] : [{ incident, opener }];
    });
    this.#book.adopt(openings);
    this.#waiting.clear();
    return this.#tell(new Set(this.#store.all()), this.#clockMs).filter(({ mergedInto }) => mergedInto !== null);
  }

  /** Takes back what was inferred from less, and puts in what follows from all that is known now; returns what that touches. */
  #infer(): Set<Condition> {
    const touched = new Set<Condition>();
    const wanted = unobservedSags(this.#store, this.#topology);
    // By all that they say: more supplies can stand behind the same sag.
    const said = JSON.stringify(wanted);
    if (said === this.#inferredText) return touched;
    this.#inferredText = said;
    for (const gone of this.#inferred) {
      if (!this.#store.has(gone)) continue;
      for (const near of detach(gone)) touched.add(near);
      this.#store.remove(gone);
      this.#book.forget(gone);
    }
    this.#inferred.clear();
    for (const event of wanted) {
      const added = this.#store.add(event, event.component, false);
      if (added === null) continue;
      this.#inferred.add(added.condition);
      touched.add(added.condition);
    }
    for (const gone of [...touched]) if (!this.#store.has(gone)) touched.delete(gone);
    return touched;
  }

  readonly #inferred = new Set<Condition>();
  #inferredText = '[]';

  /** Its end moved over the beginning of something that may hang on it. */
  #endMoved(condition: Condition): boolean {
    const { endBeforeMs } = condition;
    return endBeforeMs !== null && endBeforeMs <= this.#newestOnsetMs && endMatters(condition.kind);
  }

  /** Lets event time move on to `nowMs`; returns what changed by that alone, each as of its own deadline. */
  advance(nowMs: number): readonly Explanation[] {
    const told = this.#pass(nowMs);
    this.#clockMs = Math.max(this.#clockMs, nowMs);
    return told;
  }

  #pass(nowMs: number): Explanation[] {
    const told: Explanation[] = [];
    if (this.#linksChanged) told.push(...this.#relink(Math.min(nowMs, this.#deadlines.nextMs)));
    for (let due = this.#deadlines.take(nowMs); due !== null; due = this.#deadlines.take(nowMs)) {
      this.#clockMs = Math.max(this.#clockMs, due.atMs);
      told.push(...this.#keep(due.item, due.atMs));
    }
    return told;
  }

  #keep(due: Due, atMs: number): Explanation[] {
    switch (due.what) {
      case 'evict':
        return this.#evict(due.condition, atMs);
      case 'recheck':
        return this.#store.has(due.condition) ? this.#revise(new Set([due.condition]), atMs) : [];
      case 'revise':
        // A deadline that an earlier one replaced is passed over.
        return atMs >= this.#waitingUntilMs ? this.#reviseWaiting(atMs) : [];
      case 'end':
      case 'tell': {
        const { record } = due;
        if (due.what === 'end') record.endCheckMs = null;
        else record.tellCheckMs = null;
        return this.#store.has(record.opener) ? this.#tell(new Set([record.opener]), atMs) : [];
      }
    }
  }

  /** Finds the edges of these conditions anew and tells every cluster that hangs together with them. */
  #revise(conditions: ReadonlySet<Condition>, atMs: number): Explanation[] {
    return this.#tell(this.#refresh(conditions), atMs);
  }

  /** The same, but what belongs to an incident that was told a moment ago waits for its pause to be over. */
  #reviseSoon(conditions: ReadonlySet<Condition>, atMs: number): Explanation[] {
    const seeds = this.#refresh(conditions);
    let dueMs = Number.POSITIVE_INFINITY;
    for (const seed of seeds) {
      const record = this.#book.of(seed);
      if (record !== undefined) dueMs = Math.min(dueMs, record.lookedMs + pauseMs(record.looks));
    }
    if (dueMs === Number.POSITIVE_INFINITY || dueMs <= this.#clockMs) return this.#tell(seeds, atMs);
    for (const seed of seeds) this.#waiting.add(seed);
    if (dueMs < this.#waitingUntilMs) {
      this.#waitingUntilMs = dueMs;
      this.#deadlines.add(dueMs, { what: 'revise' });
    }
    return [];
  }

  /** Tells now what still waits, because nothing more will be asked: the run ends. */
  tellWaiting(): readonly Explanation[] {
    return this.#reviseWaiting(this.#clockMs);
  }

  #reviseWaiting(atMs: number): Explanation[] {
    this.#waitingUntilMs = Number.POSITIVE_INFINITY;
    const seeds = new Set([...this.#waiting].filter((condition) => this.#store.has(condition)));
    this.#waiting.clear();
    return seeds.size === 0 ? [] : this.#tell(seeds, atMs);
  }

  /** Conditions that changed and were not told yet. */
  readonly #waiting = new Set<Condition>();
  #waitingUntilMs = Number.POSITIVE_INFINITY;

  #refresh(conditions: ReadonlySet<Condition>): Set<Condition> {
    const seeds = new Set(conditions);
    for (const condition of conditions) {
      for (const near of refresh(condition, this.#store, this.#context())) seeds.add(near);
    }
    return seeds;
  }

  #tell(seeds: ReadonlySet<Condition>, atMs: number): Explanation[] {
    const clusters = assign(connectedTo(seeds));
    this.#roots.clear();
    for (const { members } of clusters) for (const { condition, root } of members) this.#roots.set(condition, root);
    const told = clusters.flatMap((cluster) => this.#book.tell(cluster, atMs));
    for (const cluster of clusters) this.#scheduleEnd(cluster, atMs);
    return told;
  }

  #scheduleEnd(cluster: Cluster, nowMs: number): void {
    const record = this.#book.of(cluster.root);
    const endMs = this.#book.endOf(cluster);
    if (record === undefined || endMs === null || endMs <= nowMs) return;
    if (record.endCheckMs !== null && record.endCheckMs <= endMs) return;
    record.endCheckMs = endMs;
    this.#deadlines.add(endMs, { what: 'end', record });
  }

  /** A count that grew is told once things have settled. */
  #tellLater(condition: Condition, atMs: number): void {
    const record = this.#book.of(condition);
    if (record === undefined || record.tellCheckMs !== null) return;
    record.tellCheckMs = atMs + this.#latenessMs;
    this.#deadlines.add(record.tellCheckMs, { what: 'tell', record });
  }

  #recheckLater(condition: Condition): void {
    const recheck = recheckMs(condition, this.#latenessMs);
    if (recheck !== null) this.#deadlines.add(recheck, { what: 'recheck', condition });
  }

  /** An earlier deadline than the one set replaces it; the old one is passed over when it comes. */
  #evictLater(condition: Condition, notBeforeMs = Number.NEGATIVE_INFINITY): void {
    const due = Math.max(this.#evictMs(condition), notBeforeMs);
    if (condition.evictCheckMs !== null && condition.evictCheckMs <= due) return;
    condition.evictCheckMs = due;
    this.#deadlines.add(due, { what: 'evict', condition });
  }

  #evictMs(condition: Condition): number {
    const { kind } = condition;
    // A reset must outlive what it ended; everything is kept as long as "none within 10 min" is told.
    const reach = isReleasing(kind) ? LONGEST_REACH_MS : Math.max(reachMs(kind), AROUND_MS);
    return (condition.endMs ?? condition.lastMs + LONGEST_MS) + reach + this.#quietMs;
  }

  #evict(condition: Condition, atMs: number): Explanation[] {
    if (condition.evictCheckMs !== atMs || !this.#store.has(condition)) return [];
    condition.evictCheckMs = null;
    const told: Explanation[] = [];
    if (condition.endMs === null && condition.lastMs + LONGEST_MS <= atMs) {
      condition.releasedMs = condition.lastMs + LONGEST_MS;
      told.push(...this.#revise(new Set([condition]), atMs));
    }
    const due = this.#evictMs(condition);
    const open = this.#book.of(condition)?.last.ended === false;
    if (due > atMs || open) this.#evictLater(condition, atMs + this.#quietMs);
    else this.#drop(condition);
    return told;
  }

  #drop(condition: Condition): void {
    detach(condition);
    this.#store.remove(condition);
    this.#book.forget(condition);
  }

  #makeRoom(event: FaultEvent, history: boolean) {
    const settled = this.#clockMs - this.#quietMs;
    const old = this.#store.oldestFinished(event.kind, settled) ?? this.#store.oldestFinished(null, settled);
    if (old === null || this.#book.of(old)?.last.ended === false) return null;
    this.#drop(old);
    const component = event.component === null ? null : this.#topology.resolve(event.component);
    return this.#store.add(event, component, history);
  }

  /** A new link can make or break any edge. */
  #relink(atMs: number): Explanation[] {
    this.#linksChanged = false;
    this.#relinks += 1;
    const all = new Set<Condition>();
    for (const condition of [...this.#store.all()]) {
      const moved = this.#store.rekey(condition, (component) => this.#topology.resolve(component));
      if (moved !== condition) {
        detach(condition);
        this.#book.replace(condition, moved);
      }
      all.add(moved);
    }
    for (const one of this.#infer()) all.add(one);
    return this.#revise(all, Math.max(atMs, this.#clockMs));
  }

  #context(): EdgeContext {
    return { topology: this.#topology, nowMs: this.#clockMs, latenessMs: this.#latenessMs };
  }

  #failedSources(): Condition[] {
    const failed = [...this.#store.ofKind('agent.source_failed'), ...this.#store.ofKind('power.feed_unreachable')];
    return failed.filter((condition) => condition.endMs === null);
  }
}

function pauseMs(looks: number): number {
  return Math.min(LONGEST_PAUSE_MS, looks * PAUSE_STEP_MS);
}

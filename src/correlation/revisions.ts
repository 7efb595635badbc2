// Revisions: when clusters of conditions that changed are published again — at once, after the pause of their incident, or at a deadline.

import type { Explanation } from '../model/explanation.ts';
import { clustersOf } from './belief/assignment.ts';
import type { Cluster, ClusterRecord, Condition } from './belief/condition.ts';
import { familiesOf } from './belief/condition-family.ts';
import { clustersToSee, restUntil } from './belief/rest.ts';
import type { ClusterBook } from './cluster-book.ts';
import { byOnset } from './window/facts.ts';

/**
 * What concerns no incident is published at once. What may concern one that was published before waits a little
 * longer with each look at it, so that a first chain is seen link by link and a storm costs one explanation a second. A
 * further incident that opens during the changes of another is so published up to a second late. Event time, ms.
 */
const PAUSE_STEP_MS = 20;
const LONGEST_PAUSE_MS = 1_000;

export type RevisionDue =
  | { readonly what: 'end' | 'count'; readonly record: ClusterRecord }
  | { readonly what: 'revise' };

export interface RevisionOptions {
  readonly book: ClusterBook;
  readonly latenessMs: () => number;
  readonly schedule: (atMs: number, due: RevisionDue) => void;
}

const NOTHING: readonly Explanation[] = [];
const REVISE: RevisionDue = { what: 'revise' };

export class Revisions {
  readonly #options: RevisionOptions;
  readonly #book: ClusterBook;
  /** Conditions that changed and were not published yet. */
  readonly #waiting: Condition[] = [];
  #waitingUntilMs = Number.POSITIVE_INFINITY;

  constructor(options: RevisionOptions) {
    this.#options = options;
    this.#book = options.book;
  }

  /**
   * Publishes every cluster that is connected with these conditions. `nowMs`: the clock, from which the pause counts; what
   * happened long ago may be heard only now, and all of it at once: the dumps of a job that hung until its timeout.
   */
  publish(seeds: Iterable<Condition>, atMs: number, nowMs = atMs): readonly Explanation[] {
    const families = familiesOf(seeds);
    const moment = { atMs, nowMs, world: this.#book.world };
    let clusters: readonly Cluster[] = [];
    for (const family of families) {
      clustersOf(family);
      const own = clustersToSee(family, moment);
      clusters = clusters.length === 0 ? own : clusters.concat(own);
    }
    if (families.size > 1) clusters = clusters.toSorted((a, b) => byOnset(a.earliest, b.earliest));
    let news = NOTHING;
    for (const cluster of clusters) {
      const own = this.#book.publish(cluster, atMs, nowMs);
      if (own.length > 0) news = news.length === 0 ? own : news.concat(own);
    }
    for (const cluster of clusters) this.#seen(cluster, atMs);
    return news;
  }

  /** The same, but what belongs to an incident that was published a moment ago waits for its pause to be over. */
  publishSoon(seeds: readonly Condition[], atMs: number, nowMs: number): readonly Explanation[] {
    const dueMs = this.#pausesOver(seeds);
    if (dueMs === Number.POSITIVE_INFINITY || dueMs <= nowMs) return this.publish(seeds, atMs, nowMs);
    for (const seed of seeds) this.#wait(seed, dueMs);
    return NOTHING;
  }

  /** For a condition of which nothing but the end moved, with those to which that made or broke an edge. */
  publishEndSoon(
    condition: Condition,
    near: readonly Condition[],
    atMs: number,
    nowMs: number,
  ): readonly Explanation[] {
    const { causes, effects } = condition;
    const dueMs = Math.min(
      this.#pausesOver([condition]),
      this.#pausesOver(causes.near),
      this.#pausesOver(effects.near),
      this.#pausesOver(near),
    );
    if (dueMs === Number.POSITIVE_INFINITY || dueMs <= nowMs) return this.publish([condition, ...near], atMs, nowMs);
    this.#wait(condition, dueMs);
    for (const other of near) this.#wait(other, dueMs);
    return NOTHING;
  }

  /** When what waits is published, unless something else does before; infinite where nothing waits. */
  get dueMs(): number {
    return this.#waitingUntilMs;
  }

  /** When the first of these may be published again, ms; nearly always they are in one incident. */
  #pausesOver(conditions: Iterable<Condition>): number {
    let overMs = Number.POSITIVE_INFINITY;
    let last: ClusterRecord | undefined;
    for (const condition of conditions) {
      const record = this.#book.of(condition);
      if (record === undefined || record === last) continue;
      last = record;
      const { lastMs, count } = record.looks;
      overMs = Math.min(overMs, lastMs + Math.min(LONGEST_PAUSE_MS, count * PAUSE_STEP_MS));
    }
    return overMs;
  }

  #wait(seed: Condition, dueMs: number): void {
    if (!seed.belief.waits) {
      seed.belief.waits = true;
      this.#waiting.push(seed);
    }
    if (dueMs >= this.#waitingUntilMs) return;
    this.#waitingUntilMs = dueMs;
    this.#options.schedule(dueMs, REVISE);
  }

  /** A count that grew is published once things have settled. */
  publishLater(condition: Condition, atMs: number): void {
    const record = this.#book.of(condition);
    if (record === undefined || record.countCheckMs !== null) return;
    record.countCheckMs = atMs + this.#options.latenessMs();
    this.#options.schedule(record.countCheckMs, { what: 'count', record });
  }

  /** A deadline came. */
  due(due: RevisionDue, atMs: number): readonly Explanation[] {
    // A deadline that an earlier one replaced is passed over.
    if (due.what === 'revise') return atMs >= this.#waitingUntilMs ? this.publishWaiting(atMs) : NOTHING;
    const { record } = due;
    if (due.what === 'end') {
      record.endCheckMs = null;
      record.opener.belief.cluster?.touch();
    } else record.countCheckMs = null;
    return record.opener.held ? this.publish([record.opener], atMs) : NOTHING;
  }

  /** Publishes now what still waits. */
  publishWaiting(atMs: number): readonly Explanation[] {
    const seeds = this.#waiting.filter(({ held }) => held);
    this.forgetWaiting();
    return seeds.length === 0 ? NOTHING : this.publish(seeds, atMs);
  }

  forgetWaiting(): void {
    for (const { belief } of this.#waiting) belief.waits = false;
    this.#waiting.length = 0;
    this.#waitingUntilMs = Number.POSITIVE_INFINITY;
  }

  /** Until when it needs no further look, unless something changes. */
  #seen(cluster: Cluster, nowMs: number): void {
    cluster.seen();
    const record = this.#book.of(cluster.root);
    if (record === undefined) return;
    const endMs = this.#book.endOf(cluster);
    const { family } = cluster.root.belief;
    if (family !== null) restUntil(family, endMs, nowMs);
    if (endMs === null || endMs <= nowMs || (record.endCheckMs !== null && record.endCheckMs <= endMs)) return;
    record.endCheckMs = endMs;
    this.#options.schedule(endMs, { what: 'end', record });
  }
}

export function joined(a: readonly Explanation[], b: readonly Explanation[]): readonly Explanation[] {
  if (a.length === 0) return b;
  return b.length === 0 ? a : [...a, ...b];
}

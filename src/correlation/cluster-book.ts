// Cluster book: gives clusters an identity that outlives their revisions — opened, changed, merged, split, ended.

import type { Component } from '../model/component.ts';
import type { FaultEvent } from '../model/event.ts';
import type { Explanation } from '../model/explanation.ts';
import { restoredFirstEvent } from '../model/identity.ts';
import type { Incident } from '../model/incident.ts';
import { compareSeverity } from '../model/severity.ts';
import type { Cluster, ClusterRecord, Condition, Digest } from './belief/condition.ts';
import { areSame, digestOf } from './digest.ts';
import { asksForRecovery } from './explain/action/recovery.ts';
import type { Identity, Verdict } from './explain/explain.ts';
import { disproves, mayDisprove, saysNone } from './explain/ruled-out.ts';
import { isExplaining } from './graph/kind-roles.ts';
import { Looks } from './looks.ts';
import { lastsFromMs } from './passing.ts';

const UNPUBLISHED: Pick<ClusterRecord, 'world' | 'endCheckMs' | 'countCheckMs'> = {
  world: -1,
  endCheckMs: null,
  countCheckMs: null,
};

export interface BookOptions {
  readonly judge: (cluster: Cluster) => Verdict;
  /** Whether a process does the work of a job or service, or holds a GPU. */
  readonly isOfWork: (process: Component) => boolean;
  /** The rest of what is published: only of what changed. */
  readonly explain: (cluster: Cluster, verdict: Verdict, identity: Identity) => Explanation;
  /** Changes with whatever else an explanation is drawn from: sources heard and failed, links. */
  readonly world: () => number;
  /** Publishes what is connected with the condition again at this time. */
  readonly lookAgain: (condition: Condition, atMs: number) => void;
  /** How long all must have been over before a cluster ends, ms: hold and lateness. */
  readonly quietMs: () => number;
}

const NONE: readonly Explanation[] = [];
const NO_RECORDS: readonly ClusterRecord[] = [];
const NOWHERE: readonly Condition[] = [];

export class ClusterBook {
  readonly #options: BookOptions;
  /** Incidents that say what did not happen near them. */
  readonly #denying = new Set<ClusterRecord>();
  #order = 0;
  #ends = false;

  constructor(options: BookOptions) {
    this.#options = options;
  }

  /** Changes with whatever else an explanation is drawn from than its own conditions. */
  get world(): number {
    return this.#options.world();
  }

  /** The record that a condition is part of; undefined for none. */
  of(condition: Condition): ClusterRecord | undefined {
    return condition.belief.published ?? undefined;
  }

  /** Publishes a cluster as it is now; what is the same as before is not published again. */
  publish(cluster: Cluster, asOfMs: number, nowMs = asOfMs): readonly Explanation[] {
    const world = this.#options.world();
    if (!cluster.outdated) {
      const known = cluster.root.belief.published;
      if (known === null) return NONE;
      if (known.world === world && this.#isEnded(cluster, asOfMs) === cluster.ended) {
        known.looks.look(Math.max(asOfMs, nowMs), cluster.root.belief.family?.rest?.looks ?? null);
        return NONE;
      }
    }
    const claims = claimsOn(cluster);
    let record = claims[0];
    const younger = claims.length < 2 ? NO_RECORDS : claims.slice(1);
    cluster.outdated = false;
    if (record === undefined && (!isIncident(cluster) || isOthersCrash(cluster, this.#options.isOfWork))) return NONE;
    if (record === undefined && this.#mayPass(cluster, Math.max(asOfMs, nowMs))) {
      cluster.outdated = true;
      return NONE;
    }

    const news: Explanation[] = [];
    const ended = this.#isEnded(cluster, asOfMs);
    cluster.ended = ended;
    const verdict = this.#options.judge(cluster);
    const digest = digestOf(cluster, verdict, ended);
    const explained = (of: { firstEventId: string; firstEventMs: number }, before: number): Explanation => {
      const { firstEventId, firstEventMs } = of;
      const identity = { firstEventId, firstEventMs, asOfMs: Math.max(before, asOfMs), ended };
      return this.#options.explain(cluster, verdict, identity);
    };
    if (record === undefined) {
      record = this.#open(cluster, digest, (of) => explained(of, asOfMs));
      news.push(record.last);
    } else if (!areSame(record.digest, digest) || younger.length > 0) {
      record.last = explained(record, record.last.asOfMs);
      record.digest = digest;
      news.push(record.last);
    }
    if (saysNone(record.last.ruledOut)) this.#denying.add(record);
    else this.#denying.delete(record);
    record.world = world;
    record.looks.look(Math.max(asOfMs, nowMs), cluster.root.belief.family?.rest?.looks ?? null);
    for (const { condition } of cluster.members) condition.belief.published = record;
    for (const other of younger) {
      const { belief } = other.opener;
      belief.opened = belief.opened.filter((one) => one !== other);
      this.#denying.delete(other);
      news.push({ ...other.last, asOfMs: Math.max(other.last.asOfMs, asOfMs), mergedInto: record.firstEventId });
    }
    return news;
  }

  /** Where incidents hang that said this did not happen: they are to be published again. */
  disprovedBy(begun: Condition): readonly Condition[] {
    let found: Condition[] | null = null;
    const may = mayDisprove(begun.kind);
    for (const record of this.#denying) {
      const { opener } = record;
      const { cluster } = opener.belief;
      if (!opener.held) this.#denying.delete(record);
      else if (may && cluster !== null && disproves(begun, record.last.ruledOut, cluster.root.onsetMs)) {
        record.digest = null; // what it is judged by is the same
        cluster.outdate();
        found ??= [];
        found.push(opener);
      }
    }
    return found ?? NOWHERE;
  }

  /** Nothing more will be heard: what is waited for does not come. */
  end(): void {
    this.#ends = true;
  }

  /** Slowness alone is looked at again when it has lasted. */
  #mayPass(cluster: Cluster, nowMs: number): boolean {
    const fromMs = lastsFromMs(cluster);
    if (fromMs === null || fromMs <= nowMs || (this.#ends && fromMs < Number.POSITIVE_INFINITY)) return false;
    if (fromMs < Number.POSITIVE_INFINITY) this.#options.lookAgain(cluster.root, fromMs);
    return true;
  }

  #isEnded(cluster: Cluster, asOfMs: number): boolean {
    if (isExplaining(cluster.root.kind)) return true;
    const endMs = this.endOf(cluster);
    return endMs !== null && endMs <= asOfMs;
  }

  /**
   * Starts over with the incidents of an earlier run, each at the condition that opened it then: identities come from
   * the log, not from the order in which its events were read again.
   */
  adopt(
    openings: readonly { readonly incident: Incident; readonly opener: Condition }[],
    conditions: Iterable<Condition>,
  ): void {
    for (const condition of conditions) condition.belief.forget();
    for (const { incident, opener } of openings) {
      const firstEventId = restoredFirstEvent(incident.id);
      const firstEventMs = incident.openedMs;
      const last = {
        ...incident,
        firstEventId,
        firstEventMs,
        asOfMs: incident.updatedMs,
        ended: false,
        mergedInto: null,
      };
      this.#add({ opener, firstEventId, firstEventMs, last, digest: null });
    }
  }

  /** Of an incident that was taken up: whether it has not been found to be over. */
  continues(incidentId: string, conditions: Iterable<Condition>): boolean {
    const first = restoredFirstEvent(incidentId);
    for (const { belief } of conditions)
      if (belief.opened.some(({ firstEventId, last }) => firstEventId === first && !last.ended)) return true;
    return false;
  }

  /** When the cluster counts as ended, ms; null while something lasts. */
  endOf(cluster: Cluster): number | null {
    const { endMs } = cluster;
    return endMs === null ? null : endMs + this.#options.quietMs();
  }

  /** Hands what one condition held to the one that absorbed it. */
  replace(gone: Condition, by: Condition): void {
    const records = gone.belief.opened;
    gone.belief.forget();
    for (const record of records) record.opener = by;
    if (records.length > 0) by.belief.opened = [...by.belief.opened, ...records];
  }

  #open(
    cluster: Cluster,
    digest: Digest,
    explained: (of: { firstEventId: string; firstEventMs: number }) => Explanation,
  ): ClusterRecord {
    // What was old when it arrived may have opened an incident of an earlier run, of which nothing here is left.
    const news = cluster.members.map(({ condition }) => condition).filter(({ news }) => news !== null);
    const opener = news.reduce((first, one) => (one.order < first.order ? one : first), news[0] ?? cluster.root);
    const { id: firstEventId, timeMs: firstEventMs } = opener.news ?? opener.openedBy;
    return this.#add({ opener, firstEventId, firstEventMs, last: explained({ firstEventId, firstEventMs }), digest });
  }

  #add(opened: Omit<ClusterRecord, 'order' | 'looks' | keyof typeof UNPUBLISHED>): ClusterRecord {
    const record: ClusterRecord = { ...opened, ...UNPUBLISHED, looks: new Looks(), order: this.#order++ };
    const { belief } = opened.opener;
    belief.opened = [...belief.opened, record];
    return record;
  }
}

/** What its members opened, the oldest first; nothing that was published concerns them until it is found again. */
function claimsOn({ members }: Cluster): readonly ClusterRecord[] {
  let claims = NO_RECORDS;
  for (const { condition } of members) {
    const { belief } = condition;
    belief.published = null;
    if (belief.opened.length > 0) claims = claims.length === 0 ? belief.opened : claims.concat(belief.opened);
  }
  return claims.length < 2 ? claims : claims.toSorted((a, b) => a.order - b.order);
}

/** Something that matters happened now, and nothing planned explains it. */
function isIncident({ root, members }: Cluster): boolean {
  if (isExplaining(root.kind)) return false;
  return members.some(
    ({ condition }) =>
      !condition.history && (compareSeverity(condition.severity, 'warning') >= 0 || asksForRecovery(condition)),
  );
}

/** So many processes that crash together may do so by something of the host. */
const CRASHES_OF_A_HOST = 3;

/** A program that no job is made of crashed, or met its user's own limit, and nothing followed: a note for whoever runs it. */
function isOthersCrash({ members }: Cluster, isOfWork: BookOptions['isOfWork']): boolean {
  if (members.length >= CRASHES_OF_A_HOST) return false;
  return members.every(
    ({ condition: { kind, component, events } }) =>
      (kind === 'process.segfault' || (kind === 'host.oom' && events.some(isOfUsersLimit))) &&
      component !== null &&
      !isOfWork(component) &&
      !events.some(isInCollectives),
  );
}

/** Only work on several GPUs or hosts loads these, whoever started it: in a saved log no link shows that. */
const COLLECTIVES = /^lib(?:nccl|rccl|mpi|nvshmem)\b/;

/** Ended at a limit of its user's own session: what the host has is not short. */
function isOfUsersLimit({ attributes: { constraint, memcg } }: FaultEvent): boolean {
  return constraint === 'CONSTRAINT_MEMCG' && typeof memcg === 'string' && memcg.startsWith('/user.slice/');
}

function isInCollectives({ attributes: { library } }: FaultEvent): boolean {
  return typeof library === 'string' && COLLECTIVES.test(library);
}

// Cluster book: gives clusters an identity that outlives their revisions — opened, changed, merged, split, ended.

import type { Explanation } from '../model/explanation.ts';
import { restoredFirstEvent } from '../model/identity.ts';
import type { Incident } from '../model/incident.ts';
import { compareSeverity } from '../model/severity.ts';
import type { Cluster } from './belief/cluster.ts';
import { MAX_LINKED } from './belief/links.ts';
import type { Belief } from './explain/explain.ts';
import { asksForRecovery } from './explain/verdict.ts';
import { isExplaining } from './graph/kind-roles.ts';
import type { Condition } from './window/condition.ts';

/** What has been told about one cluster. */
export interface ClusterRecord {
  /** The condition whose first event opened it; the record goes wherever this one goes. */
  opener: Condition;
  readonly firstEventId: string;
  readonly firstEventMs: number;
  /** Place in the order of openings: the older of two keeps its identity. */
  readonly order: number;
  last: Explanation;
  digest: string;
  /** `world` as of `last`. */
  world: number;
  /** Deadline at which its end is looked at, ms; null while none is set. */
  endCheckMs: number | null;
  /** Deadline at which counts are told, ms. */
  tellCheckMs: number | null;
  /** How often it was explained, and when last, ms: what sets the pace of further revisions. */
  looks: number;
  lookedMs: number;
}

const UNTOLD: Pick<ClusterRecord, 'world' | 'endCheckMs' | 'tellCheckMs' | 'looks' | 'lookedMs'> = {
  world: -1,
  endCheckMs: null,
  tellCheckMs: null,
  looks: 0,
  lookedMs: Number.NEGATIVE_INFINITY,
};

export interface BookOptions {
  readonly explain: (cluster: Cluster) => Belief;
  /** Changes with whatever else an explanation is drawn from: sources heard and failed, links. */
  readonly world: () => number;
  /** How long all must have been over before a cluster ends, ms: hold and lateness. */
  readonly quietMs: number;
}

const NONE: readonly Explanation[] = [];

export class ClusterBook {
  readonly #options: BookOptions;
  /** Nearly always one; more after one condition absorbed another, until that is told. */
  readonly #byOpener = new Map<Condition, ClusterRecord[]>();
  readonly #ofMember = new Map<Condition, ClusterRecord>();
  #order = 0;

  constructor(options: BookOptions) {
    this.#options = options;
  }

  /** The record that a condition is told in; undefined for none. */
  of(condition: Condition): ClusterRecord | undefined {
    return this.#ofMember.get(condition);
  }

  /** Tells a cluster as it is now; what is the same as before is not told again. */
  tell(cluster: Cluster, asOfMs: number): readonly Explanation[] {
    const world = this.#options.world();
    if (!cluster.outdated) {
      const known = this.#ofMember.get(cluster.root);
      if (known === undefined) return NONE;
      if (known.world === world && this.#isEnded(cluster, asOfMs) === cluster.ended) {
        looked(known, asOfMs);
        return NONE;
      }
    }
    const told: Explanation[] = [];
    const claims = cluster.members.flatMap(({ condition }) => this.#byOpener.get(condition) ?? []);
    claims.sort((a, b) => a.order - b.order);
    let [record] = claims;
    const younger = claims.slice(1);
    for (const { condition } of cluster.members) this.#ofMember.delete(condition);
    cluster.outdated = false;
    if (record === undefined && !isIncident(cluster)) return told;

    const ended = this.#isEnded(cluster, asOfMs);
    cluster.ended = ended;
    const belief = this.#options.explain(cluster);
    const digest = digestOf(cluster, belief, ended);
    const say = (of: { firstEventId: string; firstEventMs: number }, before: number): Explanation => {
      const { firstEventId, firstEventMs } = of;
      return { ...belief, firstEventId, firstEventMs, asOfMs: Math.max(before, asOfMs), ended, mergedInto: null };
    };
    if (record === undefined) {
      record = this.#open(cluster, digest, (of) => say(of, asOfMs));
      told.push(record.last);
    } else if (record.digest !== digest || younger.length > 0) {
      record.last = say(record, record.last.asOfMs);
      record.digest = digest;
      told.push(record.last);
    }
    record.world = world;
    looked(record, asOfMs);
    for (const { condition } of cluster.members) this.#ofMember.set(condition, record);
    for (const other of younger) {
      const others = this.#byOpener.get(other.opener)?.filter((one) => one !== other) ?? [];
      if (others.length > 0) this.#byOpener.set(other.opener, others);
      else this.#byOpener.delete(other.opener);
      told.push({ ...other.last, asOfMs: Math.max(other.last.asOfMs, asOfMs), mergedInto: record.firstEventId });
    }
    return told;
  }

  #isEnded(cluster: Cluster, asOfMs: number): boolean {
    if (isExplaining(cluster.root.kind)) return true;
    const endMs = this.endOf(cluster);
    return endMs !== null && endMs <= asOfMs;
  }

  /**
   * Starts over with the incidents of an earlier run, each at the condition that opened it then: identities come from
   * the log, not from the order in which its events were told again.
   */
  adopt(openings: readonly { readonly incident: Incident; readonly opener: Condition }[]): void {
    this.#byOpener.clear();
    this.#ofMember.clear();
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
      this.#add({ opener, firstEventId, firstEventMs, last, digest: '' });
    }
  }

  /** When the cluster counts as ended, ms; null while something lasts. */
  endOf(cluster: Cluster): number | null {
    const { endMs } = cluster;
    return endMs === null ? null : endMs + this.#options.quietMs;
  }

  /** Hands what one condition held to the one that absorbed it. */
  replace(gone: Condition, by: Condition): void {
    const records = this.#byOpener.get(gone) ?? [];
    this.forget(gone);
    for (const record of records) record.opener = by;
    if (records.length > 0) this.#byOpener.set(by, [...(this.#byOpener.get(by) ?? []), ...records]);
  }

  forget(condition: Condition): void {
    this.#ofMember.delete(condition);
    this.#byOpener.delete(condition);
  }

  #open(
    cluster: Cluster,
    digest: string,
    say: (of: { firstEventId: string; firstEventMs: number }) => Explanation,
  ): ClusterRecord {
    // What was old when it arrived may have opened an incident of an earlier run, which nobody here knows any more.
    const news = cluster.members.map(({ condition }) => condition).filter(({ news }) => news !== null);
    const opener = news.reduce((first, one) => (one.order < first.order ? one : first), news[0] ?? cluster.root);
    const { id: firstEventId, timeMs: firstEventMs } = opener.news ?? opener.openedBy;
    return this.#add({ opener, firstEventId, firstEventMs, last: say({ firstEventId, firstEventMs }), digest });
  }

  #add(opened: Omit<ClusterRecord, 'order' | keyof typeof UNTOLD>): ClusterRecord {
    const record: ClusterRecord = { ...opened, ...UNTOLD, order: this.#order++ };
    this.#byOpener.set(opened.opener, [...(this.#byOpener.get(opened.opener) ?? []), record]);
    return record;
  }
}

function looked(record: ClusterRecord, asOfMs: number): void {
  record.looks += 1;
  record.lookedMs = Math.max(record.lookedMs, asOfMs);
}

/** Something that matters happened now, and nothing planned explains it. */
function isIncident({ root, members }: Cluster): boolean {
  if (isExplaining(root.kind)) return false;
  return members.some(
    ({ condition }) =>
      !condition.history && (compareSeverity(condition.severity, 'warning') >= 0 || asksForRecovery(condition)),
  );
}

/** Changes when what is told changes; counts only when they double, and once more at the end. */
function digestOf(cluster: Cluster, belief: Belief, ended: boolean): string {
  const { title, severity, confidence, root, action } = belief;
  let digest = `${root.eventId} ${title} ${severity} ${confidence} ${ended} ${action.kind}`;
  for (const { text, loss } of belief.impact) digest += `|${text} ${loss?.toMs ?? ''}`;
  for (const { root: other, confidence: share } of belief.alternatives) digest += `|${other.kind}${share}`;
  const { members } = cluster;
  for (let i = 0; i < members.length && i < MAX_LINKED; i += 1) {
    const member = members[i];
    if (member === undefined) continue;
    const { order, first, onset, severity: own, count, sources } = member.condition;
    const told = ended ? count : Math.floor(Math.log2(count));
    digest += `;${onset.earliestMs}-${onset.latestMs}:${order}:${first.id}:${own}:${told}:${sources.size}`;
    for (const { edge, weight } of member.causedBy) digest += `<${edge.cause.order}*${Math.round(weight * 100)}`;
  }
  return digest;
}

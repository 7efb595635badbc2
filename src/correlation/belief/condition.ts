// Condition: the facts of one thing at one place, with its links to other conditions and what is believed of it. The shapes
// in this file point at each other, so they are in one file; what works on them is in its own files.

import type { FaultEvent } from '../../model/event.ts';
import type { Explanation } from '../../model/explanation.ts';
import type { ChainLink } from '../../model/incident.ts';
import type { Severity } from '../../model/severity.ts';
import type { Interval } from '../../model/time.ts';
import type { CauseRow } from '../graph/cause-graph.ts';
import type { Timing } from '../graph/timing.ts';
import type { Looks, SharedLooks } from '../looks.ts';
import type { Waiting } from '../window/deadlines.ts';
import { Facts } from '../window/facts.ts';
import type { Past } from '../window/past-events.ts';
import { Edges } from './edges.ts';

export class Condition extends Facts {
  /** Admissible causes, and the conditions that this one may have caused. */
  readonly causes = new Edges<Condition, Edge>();
  readonly effects = new Edges<Condition, Edge>();
  /** The weakest of `causes`, once it was asked for; null where it is to be found. */
  weakest: Edge | null = null;
  readonly belief: Belief = new Belief(this);
  /** The event that stands for it as it was published last, of which one that was drawn, and as of which version of the facts. */
  shown: { readonly of: FaultEvent; readonly event: FaultEvent; readonly version: number } | null = null;
  /** Deadline at which its eviction is looked at; null while none is set. */
  eviction: Waiting<unknown> | null = null;

  protected override reordered(): void {
    const { family } = this.belief;
    if (family !== null) family.ordered = false;
    // Of equal ones the later is the weaker.
    for (const effect of this.effects.near) effect.weakest = null;
  }

  protected override outdated(): void {
    this.belief.outdate();
  }

  /** Published only of what is over. */
  protected override recounted(): void {
    const { cluster } = this.belief;
    if (cluster?.ended === true) cluster.outdate();
  }

  protected override endMoved(published: boolean, beforeMs: number | null): void {
    const { cluster } = this.belief;
    if (cluster === null) return;
    cluster.endKnown = false;
    if (published) cluster.outdate();
    // The later what lasts still will end, the longer nothing has to be done about it.
    else if (cluster.ended || beforeMs === null || this.endMs === null || this.endMs < beforeMs) cluster.touch();
  }
}

/** How the way from cause to effect is known. */
export type PathKnowledge = 'configured' | 'assumed' | 'unmapped' | 'local';

/** How well one condition explains another. */
export interface Edge {
  readonly cause: Condition;
  readonly effect: Condition;
  readonly row: CauseRow;
  readonly timing: Timing;
  readonly path: PathKnowledge;
  /** What is left of it after all that speaks against it; 0 to 1. */
  readonly fit: number;
  /** How causes of such a kind ended on this host before it; null where that does not matter. */
  readonly past: Past | null;
  /** strength × way × timing × trust × fit, before what several effects of one cause add; 0 to 1. */
  readonly base: number;
  /** Planned, and its usual time is over: it explains this effect no longer, and is worth nothing as its cause. */
  readonly outlasted: boolean;
  /** As it was weighed last, which nearly always is as it is now; null before. */
  weighed: Weighed | null;
}

/** A cause with what it is worth in its company. */
export interface Weighed {
  readonly edge: Edge;
  readonly weight: number;
}

/** As of the last look at all clusters of a family. */
export interface Rest {
  clusters: readonly Cluster[];
  /** What else explanations are drawn from was of this version. */
  readonly world: number;
  /** As of times from the one and before the other no cluster ends, and none that ended continues, ms. */
  fromMs: number;
  untilMs: number;
  /** Changed since. */
  touched: Cluster[];
  readonly looks: SharedLooks;
}

/** Conditions that are connected by admissible edges, whichever way these point, and the clusters they form. */
export interface Family {
  members: Condition[];
  /** All have begun, and stand by onset with rising `belief.at`; false where that must be found out again. */
  ordered: boolean;
  /** So many of them are planned or declared. */
  plans: number;
  /** Came since it was assigned last, each alone; meaningless where `whole`. */
  come: Condition[];
  /** Some of what they are weighed by changed; others that left may be among them. */
  unweighed: Condition[];
  clusters: readonly Cluster[];
  /** False once an edge, a member or an onset changed: `clusters` is then of the past. */
  assigned: boolean;
  /** A member came or went: `clusters` are not those any more, whatever their beliefs. */
  regrouped: boolean;
  /** Neither roots nor clusters of before are known to hold: all of it is gone through. */
  whole: boolean;
  /** Clusters of members that left since. */
  left: Cluster[];
  /** An edge inside was taken away: it may be several families by now. */
  loose: boolean;
  /** As of the last look at all of its clusters; null before the first. */
  rest: Rest | null;
}

/** The place of a condition in a cluster. */
export interface Assigned {
  readonly condition: Condition;
  readonly root: Condition;
  /** All causes weighed, best first, believed or not. */
  readonly weighed: readonly Weighed[];
  /** Direct causes within the same cluster, best first; empty for a root. */
  readonly causedBy: readonly Weighed[];
  /** None of what was weighed leads out of the cluster. */
  readonly inside: boolean;
  /** Its part of a digest, as of the last look; once the cluster is over counts are published exactly. */
  digested: Digested | null;
  digestedAtEnd: Digested | null;
  /** Its link of the chain as it was published last. */
  link: ChainLink | null;
  /** How the root leads to it, once that was asked for; null again when anything above it moved. */
  way: Way | null;
}

/** Of several ways from the root the one whose weakest step is the strongest. */
export interface Way {
  /** Null where no step is in doubt. */
  readonly weakest: Weighed | null;
  readonly weight: number;
}

/** A condition's part of a digest: numbers and texts, which keep no other condition alive. */
export interface Digested {
  /** Of the facts; the latest of which it is known to hold. */
  version: number;
  readonly onset: Interval;
  readonly order: number;
  readonly eventId: string;
  readonly severity: Severity;
  readonly count: number;
  readonly sources: number;
  readonly aliases: number;
  /** Of each direct cause its order, then its weight in hundredths. */
  readonly causes: readonly number[];
}

/** What is published of a cluster, as far as a change of it is worth a revision; of what did not change the objects are the same. */
export interface Digest {
  // biome-ignore format: a list
  readonly head: Pick<Explanation, 'root' | 'title' | 'severity' | 'confidence' | 'unconfirmed' | 'action' | 'impact' | 'alternatives' | 'confidenceParts'>;
  readonly ended: boolean;
  readonly members: readonly Digested[];
}

/** One root with all that follows from it, and how far what was published of it still holds. */
/** What a cluster is judged by. */
export type Believed = Pick<Cluster, 'root' | 'members'>;

export class Cluster {
  readonly root: Condition;
  /** Root first, then by onset. */
  readonly members: readonly Assigned[];
  /** The member that began first: by it clusters are ordered. */
  readonly earliest: Condition;
  /** Something that is published changed since the last look; by `outdate` alone. */
  outdated = true;
  /** That, or its end moved so that it must be looked at before its time; by `touch` alone. */
  touched = true;
  /** As of the last look. */
  ended = false;
  /** The pass over its family that touched it last. */
  pass = 0;
  endKnown = false;
  #endMs: number | null = null;

  constructor(members: readonly Assigned[], root: Condition, earliest: Condition) {
    this.members = members;
    this.root = root;
    this.earliest = earliest;
  }

  outdate(): void {
    this.outdated = true;
    this.touch();
  }

  touch(): void {
    if (this.touched) return;
    this.touched = true;
    this.root.belief.family?.rest?.touched.push(this);
  }

  /** Whatever was touched was looked at. */
  seen(): void {
    this.touched = false;
  }

  /** When the last of its conditions ended, ms; null while one lasts. */
  get endMs(): number | null {
    if (!this.endKnown) {
      this.#endMs = endOf(this.members);
      this.endKnown = true;
    }
    return this.#endMs;
  }
}

function endOf(members: readonly Assigned[]): number | null {
  let end = 0;
  for (const { condition } of members) {
    if (condition.endMs === null) return null;
    end = Math.max(end, condition.endMs);
  }
  return end;
}

/** What has been published of one cluster. */
export interface ClusterRecord {
  /** The condition whose first event opened it; the record goes wherever this one goes. */
  opener: Condition;
  readonly firstEventId: string;
  readonly firstEventMs: number;
  /** Place in the order of openings: the older of two keeps its identity. */
  readonly order: number;
  last: Explanation;
  /** Changes when what is published does; null for what is to be published again in any case. */
  digest: Digest | null;
  /** The version of everything else that explanations are drawn from, as of `last`. */
  world: number;
  /** Deadline at which its end is looked at, ms; null while none is set. */
  endCheckMs: number | null;
  /** Deadline at which counts are published, ms. */
  countCheckMs: number | null;
  /** How often it was looked at, and when last, ms: what sets the pace of further revisions. */
  readonly looks: Looks;
}

const NONE: readonly Weighed[] = [];
const NO_CONDITIONS: readonly Condition[] = [];
const NO_RECORDS: readonly ClusterRecord[] = [];

export type Siblings = ReadonlyMap<CauseRow['relation'], number>;
const NO_SIBLINGS: Siblings = new Map();

/** What is believed of one condition at the moment, and which part of that no longer holds. */
export class Belief {
  /** The conditions that it is connected with; null until it is first asked for. */
  family: Family | null = null;
  /** All causes weighed, best first, believed or not. */
  weighed: readonly Weighed[] = NONE;
  /** The same before circles were cut; nearly always the same list. */
  uncut: readonly Weighed[] = NONE;
  /** Of what is worth believing of its causes that which may be part of a circle. */
  links: readonly Weighed[] = NONE;
  /** All that were on a circle with it when it was looked at last, itself included; empty for none. */
  circle: readonly Condition[] = NO_CONDITIONS;
  #reweigh = true;
  /** In its family's list of those that are to be weighed. */
  listed = false;
  /** Its place in the order of conditions as its causes and effects were weighed by it last. */
  weighedAtMs = Number.NaN;
  weighedAs = '';
  /** At how many places it may have had effects. */
  places = 0;
  #countPlaces = true;
  /** One of those that began together with it came or went, which counts for all the others. */
  #recount = false;
  /** The last look for edges that found it near by its onset. */
  lookedAt = 0;
  /** The last time that its family was taken apart and it was reached. */
  dispersal = 0;
  /** It was believed to have brought something about. */
  consequential = false;
  /** How many siblings began together with it, by relation; null until it is asked for after an edge came or went. */
  siblings: Siblings | null = null;
  /** Those by which its effects were weighed last; null where not all were weighed by the same. */
  weighedBy: Siblings | null = NO_SIBLINGS;
  /** How many of its causes are planned or declared. */
  plans = 0;
  /** Something planned or declared explains it directly. */
  explained = false;
  root: Condition;
  /** The cause by which `root` was found; null for none. */
  parent: Condition | null = null;
  /** The pass over its family that found `root`. */
  pass = 0;
  /** The pass that last put it into a cluster again. */
  concerned = 0;
  /** Its place in the order of its family, as of the last pass. */
  at = 0;
  cluster: Cluster | null = null;
  /** While a family is assigned: those that have this one as their root. */
  group: Condition[] | null = null;
  /** The causes inside its cluster that are believed, best first, as of the last time that one was linked. */
  believed: readonly Weighed[] = NONE;
  /** The pass of linking that last found something above it moved, and the one that last looked. */
  aboveMoved = 0;
  settled = 0;
  /** Its place in a cluster as of the last assignment. */
  assigned: Assigned | null = null;
  /** What was published with it inside; null for nothing. */
  published: ClusterRecord | null = null;
  /** What it opened. Nearly always one; more after it absorbed another, until that is published. */
  opened: readonly ClusterRecord[] = NO_RECORDS;
  /** Changed, and not published yet. */
  waits = false;
  /** Its place among all rivals that were found so far, as of the last time that it was one; see `explain/rivals.ts`. */
  rivalMark = -1;

  readonly #condition: Condition;

  constructor(condition: Condition) {
    this.root = condition;
    this.#condition = condition;
  }

  get reweigh(): boolean {
    return this.#reweigh;
  }

  set reweigh(asked: boolean) {
    this.#reweigh = asked;
    if (asked) this.#list();
  }

  get countPlaces(): boolean {
    return this.#countPlaces;
  }

  set countPlaces(asked: boolean) {
    this.#countPlaces = asked;
    if (asked) this.#list();
  }

  get recount(): boolean {
    return this.#recount;
  }

  set recount(asked: boolean) {
    this.#recount = asked;
    if (asked) this.#list();
  }

  #list(): void {
    if (this.listed || this.family === null) return;
    this.listed = true;
    this.family.unweighed.push(this.#condition);
  }

  /**
   * The condition is gone, and releases all others: what died old must not keep alive what is young, or each hands
   * the next one on, and nothing is given back before all memory is gone through.
   */
  end(): void {
    this.family = null;
    this.listed = false;
    this.weighed = NONE;
    this.uncut = NONE;
    this.links = NONE;
    this.circle = NO_CONDITIONS;
    this.believed = NONE;
    this.root = this.#condition;
    this.parent = null;
    this.cluster = null;
    this.assigned = null;
  }

  /** Nothing that was published concerns it any more. */
  forget(): void {
    this.published = null;
    this.opened = NO_RECORDS;
  }

  /** What was published of the condition is no longer the case. */
  outdate(): void {
    this.cluster?.outdate();
  }
}

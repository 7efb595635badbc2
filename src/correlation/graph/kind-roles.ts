// Kind roles: what a kind can be besides a cause — explaining, symptom, lasting, a reaction — from its entry in catalog/kinds.

import reports from '#catalog/reports.json' with { type: 'json' };
import type { LikelyRootEntry } from '../../model/family.ts';
import {
  catalogueKind,
  hasRole,
  isKind,
  KINDS,
  type Kind,
  type KindInfo,
  kindEntry,
  kindInfo,
} from '../../model/kind.ts';
import { countsEachTime } from './cause-graph.ts';
import { expandKinds } from './kind-words.ts';

/** Share of cases in which a kind that says no better is the fault itself. */
const USUAL_PRIOR = 0.91;

const withRole = (role: Parameters<typeof hasRole>[1]): ReadonlySet<Kind> =>
  new Set(KINDS.filter((kind) => hasRole(kind, role)));
const explaining = withRole('explains');
const neverRoot = withRole('never_root');
const symptoms = new Set([...withRole('symptom'), ...neverRoot]);
const reactions = withRole('reaction');
const jobAffected = withRole('job_affected');
const loadLost = withRole('load_lost');
const settings = withRole('setting');
const records = withRole('record');
const lasting = new Set<Kind>();
const survives = new Map<Kind, ReadonlySet<Kind>>();
const released = new Map<Kind, ReadonlySet<Kind>>();
const releasing = new Map<Kind, Kind[]>();
const recurs = new Map<Kind, number>();
const begins = new Map<Kind, BeginsWith>();
const beginning = new Map<Kind, Kind[]>();
for (const kind of KINDS) {
  const { lasts_until, ended_by, survives_plan, recurs_within_ms, begins_with } = kindEntry(kind);
  if (lasts_until !== undefined) lasting.add(kind);
  if (survives_plan !== undefined) survives.set(kind, new Set(expandKinds(survives_plan.kinds)));
  if (recurs_within_ms !== undefined) recurs.set(kind, recurs_within_ms);
  if (begins_with !== undefined) {
    const kinds = expandKinds(begins_with.kinds);
    begins.set(kind, {
      kinds: kinds.map(kindInfo),
      on: begins_with.on === 'same_part' ? 'same_part' : 'same_job',
      withinMs: begins_with.within_ms,
    });
    for (const stall of kinds) beginning.set(stall, [...(beginning.get(stall) ?? []), kind]);
  }
  const until = new Set(expandKinds(ended_by ?? lasts_until ?? []));
  if (until.size > 0) released.set(kind, until);
  for (const by of until) releasing.set(by, [...(releasing.get(by) ?? []), kind]);
}

/** What comes back within this time is the same condition again, however long it was over: a link that flaps, a phase that dips. */
export const recursWithinMs = (kind: Kind): number => recurs.get(kind) ?? 0;

const NONE: ReadonlySet<Kind> = new Set();

/** Planned or declared: explains what follows and ends the search; never an incident. */
export const isExplaining = (kind: Kind): boolean => explaining.has(kind);
/** Where the kernel itself reports `kind`, a plan that it does not report does not explain it. */
export const survivesPlan = (kind: Kind, planned: Kind): boolean => survives.get(kind)?.has(planned) === true;
/** Something is broken, and would be seen to be broken still: neither a consequence on a job nor what was set on purpose. */
export const isFault = (kind: Kind): boolean =>
  !neverRoot.has(kind) && !jobAffected.has(kind) && !settings.has(kind) && !explaining.has(kind);
/** Shows that something is wrong, never what: as a root it means "no root cause yet". */
export const isSymptom = (kind: Kind): boolean => symptoms.has(kind);
/** Its own severity does not raise that of the incident it is a consequence in. */
export const isReaction = (kind: Kind): boolean => reactions.has(kind);
export const affectsJob = (kind: Kind): boolean => jobAffected.has(kind);
/** A device or host is gone: the load was lost. */
export const losesLoad = (kind: Kind): boolean => loadLost.has(kind);
/** Lasts without any clear event until something resets it. */
export const isLasting = (kind: Kind): boolean => lasting.has(kind);

/** What every condition of a cluster is asked each time the cluster is looked at. */
export interface Roles {
  readonly reaction: boolean;
  readonly affectsJob: boolean;
  readonly losesLoad: boolean;
  /** Nothing but the record of what a job's own words may explain. */
  readonly record: boolean;
  /** A supply, a host or a part of one: what reacts to a feed. */
  readonly fed: boolean;
  /** Lasts until something resets it, as `isLasting` reports it. */
  readonly lasting: boolean;
  /** It matters for an effect when it happened last. */
  readonly eachTime: boolean;
  /** Where it is nothing but information, that is nothing that a source chose to say of one event. */
  readonly usuallyInfo: boolean;
  /** Planned or declared, as `isExplaining` reports it. */
  readonly explains: boolean;
  /** Kinds of events that end it, and whether it ends others. */
  readonly endedBy: readonly KindInfo[];
  readonly ends: boolean;
  /** The record of a stall that began before it, and what such records are of. */
  readonly beginsWith: boolean;
  readonly beginsOthers: boolean;
}

const rolesByKind = new Map<Kind, Roles>();
for (const kind of KINDS) {
  const fed = /^(?:psu|host|cpu|gpu)\./.test(kind);
  rolesByKind.set(kind, {
    reaction: isReaction(kind),
    affectsJob: affectsJob(kind),
    losesLoad: losesLoad(kind),
    record: records.has(kind),
    fed,
    lasting: isLasting(kind),
    eachTime: countsEachTime(kind),
    usuallyInfo: kindInfo(kind).severity === 'info',
    explains: isExplaining(kind),
    endedBy: [...(released.get(kind) ?? NONE)].map(kindInfo),
    ends: releasing.has(kind),
    beginsWith: begins.has(kind),
    beginsOthers: beginning.has(kind),
  });
}

export function rolesOf(kind: Kind): Roles {
  const roles = rolesByKind.get(catalogueKind(kind));
  if (roles === undefined) throw new Error(`kind ${kind} is in no file of catalog/kinds`);
  return roles;
}

/** Kinds of events that end a condition of this kind. */
export const releasedBy = (kind: Kind): ReadonlySet<Kind> => released.get(kind) ?? NONE;
export const isReleasing = (kind: Kind): boolean => releasing.has(kind);
/** Kinds of conditions that an event of this kind ends. */
export const releases = (kind: Kind): readonly Kind[] => releasing.get(kind) ?? [];

/** What a kind that is the record of a stall began with. */
export interface BeginsWith {
  readonly kinds: readonly KindInfo[];
  readonly on: 'same_job' | 'same_part';
  /** How much later the record may be read, ms. */
  readonly withinMs: number;
}

const WITH_NOTHING: BeginsWith = { kinds: [], on: 'same_job', withinMs: 0 };
export const beginsWith = (kind: Kind): BeginsWith => begins.get(kind) ?? WITH_NOTHING;
/** Kinds that begin with a condition of this kind. */
export const beginners = (kind: Kind): readonly Kind[] => beginning.get(kind) ?? [];

/** Share of cases in which a condition of this kind without a known cause is the fault itself; 0 to 1. */
export function prior(kind: Kind): number {
  return kindEntry(kind).prior ?? USUAL_PRIOR;
}

export interface UnknownRoot {
  readonly kind: Kind;
  readonly share: number;
  readonly why: string;
  /** What to look at next to find out. */
  readonly next: string;
}

/** What such a symptom turned out to be elsewhere, most frequent first; catalog/reports.json says from which counts. */
export function likelyRoots(kind: Kind): readonly UnknownRoot[] {
  const list: readonly LikelyRootEntry[] = kindEntry(kind).likely_roots ?? reports.likely_roots.usual;
  return list.flatMap((row) => (isKind(row.kind) ? [{ ...row, kind: row.kind }] : []));
}

// Kind roles: what a kind can be beside a cause — explaining, symptom, lasting, a reaction — read from catalog/causes.json.

import catalog from '#catalog/causes.json' with { type: 'json' };
import { isKind, KINDS, type Kind, kindInfo } from '../../model/kind.ts';
import { expandKinds } from './cause-graph.ts';

const explaining = new Set<Kind>(expandKinds(catalog.explains));
const symptoms = new Set<Kind>(expandKinds(catalog.symptoms));
const reactions = new Set<Kind>(expandKinds(catalog.reactions));
const jobAffected = new Set<Kind>(expandKinds(catalog.job_affected));
const loadLost = new Set<Kind>(expandKinds(catalog.load_lost));
const survives = new Map<Kind, Set<Kind>>();
for (const { kinds, planned } of catalog.survives_plan) {
  for (const kind of expandKinds(kinds)) survives.set(kind, new Set(expandKinds(planned)));
}
const lasting = untilTable(catalog.lasting);
const released = untilTable([...catalog.lasting, ...catalog.released]);
const releasing = new Map<Kind, Kind[]>();
for (const [kind, until] of released) for (const by of until) releasing.set(by, [...(releasing.get(by) ?? []), kind]);

const recurs = new Map<Kind, number>();
for (const row of catalog.recurs) for (const kind of expandKinds(row.kinds)) recurs.set(kind, row.within_ms);

/** What comes back within this time is the same condition again, however long it was over: a link that flaps, a phase that dips. */
export const recursWithinMs = (kind: Kind): number => recurs.get(kind) ?? 0;

function untilTable(rows: readonly { kinds: string[]; until: string[] }[]): ReadonlyMap<Kind, ReadonlySet<Kind>> {
  const table = new Map<Kind, ReadonlySet<Kind>>();
  for (const row of rows) {
    const until = new Set(expandKinds(row.until));
    for (const kind of expandKinds(row.kinds)) table.set(kind, until);
  }
  return table;
}

const NONE: ReadonlySet<Kind> = new Set();

/** Planned or declared: explains what follows and ends the search; never an incident. */
export const isExplaining = (kind: Kind): boolean => explaining.has(kind);
/** Where the kernel itself reports `kind`, a plan that it does not report does not explain it. */
export const survivesPlan = (kind: Kind, planned: Kind): boolean => survives.get(kind)?.has(planned) === true;
/** Tells that something is wrong, never what: as a root it means "no root cause yet". */
export const isSymptom = (kind: Kind): boolean => symptoms.has(kind) || kindInfo(kind).neverRoot;
/** Its own severity does not raise that of the incident it is a consequence in. */
export const isReaction = (kind: Kind): boolean => reactions.has(kind);
export const affectsJob = (kind: Kind): boolean => jobAffected.has(kind);
/** A device or host is gone: the load was lost. */
export const losesLoad = (kind: Kind): boolean => loadLost.has(kind);
/** Lasts without any clear event until something resets it. */
export const isLasting = (kind: Kind): boolean => lasting.has(kind);

/** What every condition of a cluster is asked each time it is told. */
export interface Roles {
  readonly reaction: boolean;
  readonly affectsJob: boolean;
  readonly losesLoad: boolean;
  /** A supply, a host or a part of one: what reacts to a feed. */
  readonly fed: boolean;
}

const rolesByKind = new Map<Kind, Roles>();
for (const kind of KINDS) {
  const fed = /^(?:psu|host|cpu|gpu)\./.test(kind);
  rolesByKind.set(kind, { reaction: isReaction(kind), affectsJob: affectsJob(kind), losesLoad: losesLoad(kind), fed });
}

export function rolesOf(kind: Kind): Roles {
  const roles = rolesByKind.get(kind);
  if (roles === undefined) throw new Error(`kind ${kind} is not in catalog/kinds.json`);
  return roles;
}

/** Kinds of events that end a condition of this kind. */
export const releasedBy = (kind: Kind): ReadonlySet<Kind> => released.get(kind) ?? NONE;
export const isReleasing = (kind: Kind): boolean => releasing.has(kind);
/** Kinds of conditions that an event of this kind ends. */
export const releases = (kind: Kind): readonly Kind[] => releasing.get(kind) ?? [];

/** Share of cases in which a condition of this kind without a known cause is the fault itself; 0 to 1. */
export function prior(kind: Kind): number {
  return (catalog.priors as Record<string, number | undefined>)[kind] ?? catalog.priors.default; // keys are some kinds
}

export interface UnknownRoot {
  readonly kind: Kind;
  readonly share: number;
  readonly why: string;
  /** What to look at next to find out. */
  readonly next: string;
}

/** What such a symptom turned out to be elsewhere, most frequent first; see the note in the catalogue for the sources. */
export function likelyRoots(kind: Kind): readonly UnknownRoot[] {
  const { note: _note, ...lists } = catalog.unknown_roots;
  const list = (lists as Record<string, typeof lists.default | undefined>)[kind] ?? lists.default; // keys are some kinds
  return list.flatMap((row) => (isKind(row.kind) ? [{ ...row, kind: row.kind }] : []));
}

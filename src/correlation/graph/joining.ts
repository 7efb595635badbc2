// Joining: what rules of a site and alerts of other systems report joins what this host finds at the same place as its
// consequence, as evidence that others saw it too. It is never the cause of anything.

import { KINDS, type Kind, kindInfo, USER_KIND } from '../../model/kind.ts';
import type { Believed } from '../belief/condition.ts';
import type { Facts } from '../window/facts.ts';
import type { CauseRelation, CauseRow } from './cause-graph.ts';

/** Rules of other systems ask for minutes ("for: 10m" is usual), and so may those of a site. */
const FOLLOWS_MS = 900_000;
/** They may also be seen first: a reading of theirs against a record of ours. */
const LEADS_MS = 60_000;
const STRENGTH = 0.6;

const JOINING: ReadonlySet<Kind> = new Set<Kind>([USER_KIND, 'alert.firing']);
const RELATIONS: readonly CauseRelation[] = ['same_component', 'downstream', 'upstream', 'same_job'];

/** By index of the kind, which all rules of a site share: this is asked of every member at every look. */
const joining = new Uint8Array(KINDS.length);
for (const kind of JOINING) joining[kindInfo(kind).index] = 1;

export function isJoining({ kindIndex }: Pick<Facts, 'kindIndex'>): boolean {
  return joining[kindIndex] === 1;
}

/** Kinds that something may join: all but what joins itself. */
export const JOINED: readonly Kind[] = KINDS.filter((kind) => !JOINING.has(kind));
export const JOINERS: readonly Kind[] = [...JOINING];

/** One for every pair: nothing in them depends on which kinds these are. */
export const JOINING_ROWS: readonly CauseRow[] = RELATIONS.map((relation) => ({
  cause: 'agent.source_failed',
  effect: USER_KIND,
  relation,
  lagMinMs: 0,
  lagMaxMs: FOLLOWS_MS,
  causeLateMs: LEADS_MS,
  effectLateMs: 0,
  strength: STRENGTH,
  whileActive: false,
  keepsUp: false,
  eachTime: false,
  partFirst: false,
  sibling: false,
  minGroup: 2,
  counted: false,
  effectMaxMs: null,
  explainsMs: null,
  unmapped: false,
  cascade: false,
  mustPrecede: false,
  mayCircle: false,
  note: 'a rule of this site, or another system, reports it at the same place',
}));

/** The root is as sure as without them: whoever sends alerts or writes rules neither confirms nor doubts it. */
export function withoutJoiners({ root, members }: Believed): Believed {
  const joins = members.some(({ condition }) => condition !== root && isJoining(condition));
  if (!joins) return { root, members };
  return {
    root,
    members: members.filter(({ condition }) => condition.kind === root.kind || !isJoining(condition)),
  };
}

// Rivals: other roots that could explain a part of a cluster, and why they are believed less.

import type { Component } from '../../model/component.ts';
import type { Alternative } from '../../model/incident.ts';
import { kindInfo } from '../../model/kind.ts';
import type { Believed, Condition, Weighed } from '../belief/condition.ts';
import { isSymptom, likelyRoots } from '../graph/kind-roles.ts';
import { jobOfRank } from '../topology/place.ts';
import { nameOf } from './plain-names.ts';

export interface Rival {
  readonly root: Condition;
  readonly weighed: Weighed;
  /** It would explain the root itself, not only a consequence. */
  readonly ofRoot: boolean;
  /** Its weight against that of the cause that was believed; 0 to 1. */
  readonly ratio: number;
}

const MAX_ALTERNATIVES = 5;

/** Strongest rival of each other root, strongest first. */
export function rivalsOf(cluster: Believed): Rival[] {
  const rivals: Rival[] = [];
  let from = -1;
  for (const member of cluster.members) {
    if (member.inside) continue;
    const ofRoot = member.condition === cluster.root;
    const own = ofRoot ? 1 : (member.causedBy[0]?.weight ?? 1);
    let last: Condition | null = null;
    for (const weighed of member.weighed) {
      const { root } = weighed.edge.cause.belief;
      // Best first: what follows of one root is weaker, or as strong.
      if (root === cluster.root || root === last) continue;
      last = root;
      if (from < 0) from = marks;
      const ratio = Math.min(1, weighed.weight / own);
      const { belief } = root;
      // Marks rise from call to call, so that one of an earlier call is below all of this.
      const at = belief.rivalMark - from;
      const before = at < 0 ? undefined : rivals[at];
      if (before === undefined) {
        belief.rivalMark = marks;
        marks += 1;
        rivals.push({ root, weighed, ofRoot, ratio });
      } else if (isStronger(ofRoot, ratio, before)) rivals[at] = { root, weighed, ofRoot, ratio };
    }
  }
  return rivals.length < 2 ? rivals : rivals.sort(byStrength);
}

let marks = 0;

function byStrength(a: Rival, b: Rival): number {
  return b.ratio - a.ratio || (a.root.text < b.root.text ? -1 : 1);
}

/** What could be behind the root itself counts before what could explain a part. */
function isStronger(ofRoot: boolean, ratio: number, than: Rival): boolean {
  return ofRoot === than.ofRoot ? ratio > than.ratio : ofRoot;
}

const SILENT = 'of all its peers here it alone did not report the collective';

export function alternativesOf(
  cluster: Believed,
  rivals: readonly Rival[],
  confidence: number,
  host: string,
  silent: Component | null = null,
): Alternative[] {
  const room = Math.max(0.01, 1 - confidence);
  const seen = rivals.slice(0, MAX_ALTERNATIVES).map(({ root, weighed, ratio }): Alternative => {
    const { edge } = weighed;
    const { kind, component } = root;
    return {
      root: { kind, component },
      confidence: round(Math.min(room, room * ratio)),
      why: `${nameOf(component, host)} could explain ${nameOf(edge.effect.component, host)} (${kindInfo(edge.effect.kind).title}): ${doubt(weighed)}`,
    };
  });
  if (!isSymptom(cluster.root.kind)) return seen;
  const component = silent ?? workBehind(cluster.root.component);
  const guessed = likelyRoots(cluster.root.kind).map(({ kind, share, why }): Alternative => {
    const reason = silent !== null && kind.startsWith('job.') ? `${SILENT}: ${why}` : why;
    return { root: { kind, component: kind.startsWith('job.') ? component : null }, confidence: share, why: reason };
  });
  return [...seen, ...guessed].slice(0, MAX_ALTERNATIVES);
}

/** A rank that reports that it waited is not the one that stopped: some rank of its job did. */
function workBehind(component: Component | null): Component | null {
  const job = component === null ? null : jobOfRank(component);
  return job === null ? component : { type: 'job', id: job };
}

function doubt({ edge }: Weighed): string {
  if (edge.path === 'unmapped') return 'which hosts it feeds is not configured';
  if (edge.timing.causeFirst < 0.5) return 'it seems to have begun later';
  return edge.row.note;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

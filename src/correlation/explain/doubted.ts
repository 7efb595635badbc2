// Doubted: what came before and could have been the cause by its kind, and what is known that speaks against it.

import type { RuledOut } from '../../model/incident.ts';
import { kindInfo } from '../../model/kind.ts';
import type { Cluster, Condition, Edge } from '../belief/condition.ts';
import { doubtsOf, isWork } from '../graph/doubts/doubts.ts';
import { byOnset } from '../window/facts.ts';
import { nameOf } from './plain-names.ts';

const MAX_DOUBTED = 4;
/** Of more members than a host has, which only a flood invents, so many are looked at. */
const MAX_LOOKED_AT = 64;
const NONE: readonly RuledOut[] = [];

/** Each such cause once, the earliest first. */
export function doubtedCauses(cluster: Cluster, host: string): readonly RuledOut[] {
  let found: Map<Condition, Edge> | null = null;
  let looked = 0;
  for (const { condition } of cluster.members) {
    if (!isWork(condition)) continue;
    looked += 1;
    if (looked > MAX_LOOKED_AT) break;
    for (const edge of condition.causes.all) {
      const { cause } = edge;
      if (edge.fit === 1 || cause.belief.cluster === cluster) continue;
      found ??= new Map();
      const before = found.get(cause);
      if (before === undefined || edge.fit < before.fit) found.set(cause, edge);
    }
  }
  if (found === null) return NONE;
  const causes = [...found].sort(([a], [b]) => byOnset(a, b)).slice(0, MAX_DOUBTED);
  return causes.flatMap(([cause, { effect, row, past }]) => {
    const [strongest] = doubtsOf(cause, effect, row, past);
    if (strongest === undefined) return [];
    return [{ what: `${kindInfo(cause.kind).title} on ${nameOf(cause.component, host)}`, why: strongest.why }];
  });
}

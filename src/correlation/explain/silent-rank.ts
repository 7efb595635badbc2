// Silent rank: where all ranks of a job on this host but one report the same collective as timed out, that one did not join.

import type { Component } from '../../model/component.ts';
import type { Cluster } from '../belief/condition.ts';
import { jobOfRank } from '../topology/place.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';

/** Of two ranks one that is silent may as well be slow to write its log. */
const MIN_REPORTS = 3;

/** Null where the root is another symptom, the reports are of several collectives, or more ranks than one are silent. */
export function silentRank(
  { root, members }: Pick<Cluster, 'root' | 'members'>,
  topology: TopologyIndex,
): Component | null {
  if (root.kind !== 'job.collective_timeout' || root.component === null) return null;
  const job = jobOfRank(root.component);
  if (job === null) return null;
  const reported = new Set<string>();
  const collectives = new Set<string>();
  for (const { condition } of members) {
    if (condition.rankJob !== job) continue;
    // Whatever else a rank says of its end, it is not silent.
    reported.add(condition.text);
    if (condition.kind !== root.kind) continue;
    for (const { attributes } of condition.events)
      collectives.add([attributes.process_group, attributes.sequence, attributes.operation].join(' '));
    if (typeof condition.first.attributes.sequence !== 'number') return null;
  }
  if (reported.size < MIN_REPORTS || collectives.size !== 1) return null;
  const silent: Component[] = [];
  for (const component of topology.components())
    if (component.type === 'rank' && jobOfRank(component) === job && !reported.has(`rank/${component.id}`))
      silent.push(component);
  return silent.length === 1 ? (silent[0] ?? null) : null;
}

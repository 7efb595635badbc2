// Feed path: the stations that power or cooling passes from a root outside the host to the first device that it reached.

import type { Cluster } from '../belief/condition.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';

/** Each `type/id`, the root's first; null where cause and effects are in one place, or no way between them is known. */
export function feedPathOf({ root, members }: Cluster, topology: TopologyIndex): readonly string[] | null {
  for (const { causedBy } of members) {
    for (const { edge } of causedBy) {
      if (edge.cause !== root || edge.path === 'local' || edge.path === 'unmapped') continue;
      const [from, to] = [edge.cause.component, edge.effect.component];
      const path = from === null || to === null ? [] : topology.wayBetween(from, to);
      return path.length > 1 ? path : null;
    }
  }
  return null;
}

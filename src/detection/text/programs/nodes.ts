// Nodes: what one line says of several nodes, "gx-[01-04,07]", is said of each of them.

import { hostsOf } from '../../../helpers/host-list.ts';
import type { StateFinding } from '../kernel/finding.ts';

/** A line that names more is about the cluster: it is left as it is. */
const MOST_NODES = 256;

/** In the order of the list; the list itself where it is none, or names too many. */
export function nodesOf(list: string): readonly string[] {
  const nodes = hostsOf(list, MOST_NODES);
  return nodes.length === 0 ? [list] : [...new Set(nodes)];
}

/** `together`: how many one line names. */
export function ofEach(nodes: readonly string[], { attributes, ...finding }: StateFinding): StateFinding[] {
  const together = nodes.length === 1 ? {} : { together: nodes.length };
  return nodes.map((id) => ({
    ...finding,
    component: { type: 'host', id },
    attributes: { ...attributes, ...together },
  }));
}

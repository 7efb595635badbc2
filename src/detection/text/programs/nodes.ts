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

/** More are counted. */
const MOST_NAMED = 8;

/** The nodes of a job as its scheduler lists them, as attributes of what became of it; none where it lists none. */
export function placesOf(list: string | undefined): Readonly<Record<string, string>> {
  if (list === undefined || list === '' || list.startsWith('None')) return {};
  const all = nodesOf(list);
  const [only] = all;
  const nodes = list.slice(0, 200);
  if (all.length === 1 && only !== undefined) return { nodes, named_host: only };
  const more = all.length > MOST_NAMED ? ` and ${all.length - MOST_NAMED} more` : '';
  return { nodes, possible_hosts: all.slice(0, MOST_NAMED).join(', ') + more };
}

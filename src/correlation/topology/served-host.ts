// Served host: what a host says of a file server that a line names reached it from that server.

import type { FaultEvent } from '../../model/event.ts';
import type { Link } from '../../model/topology.ts';

/** A server may serve others as well, and a client wait for another one. */
const SERVES = 0.95;

/** The link from the server to its client; null for any other event. */
export function servedLink({ kind, component, attributes }: FaultEvent): Link | null {
  const { served_by: server } = attributes;
  if (!kind.startsWith('storage.') || component?.type !== 'host') return null;
  if (typeof server !== 'string' || server === '' || server === component.id) return null;
  return {
    from: { type: 'host', id: server },
    to: component,
    relation: 'feeds',
    source: 'host',
    quality: SERVES,
  };
}

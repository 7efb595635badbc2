// Confirmation: what would confirm an incident that a user of the host may have made up, read from catalog/confirmations.json.

import catalog from '#catalog/confirmations.json' with { type: 'json' };
import { KINDS, type Kind } from '../../model/kind.ts';
import { expandKinds } from './cause-graph.ts';

const by = new Map<Kind, string>();
for (const row of catalog.rows) for (const kind of expandKinds(row.kinds)) if (!by.has(kind)) by.set(kind, row.by);
const missing = KINDS.filter((kind) => !by.has(kind));
if (missing.length > 0) throw new Error(`catalog/confirmations.json: no row for ${missing.join(', ')}`);

/** A noun phrase: "an XID of this GPU in the kernel log, or …". */
export function confirmationOf(kind: Kind): string {
  return by.get(kind) ?? '';
}

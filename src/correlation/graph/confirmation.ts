// Confirmation: what would confirm an incident that a user of the host may have made up, from the files of catalog/kinds.

import { FAMILIES } from '../../model/family.ts';
import type { Kind } from '../../model/kind.ts';
import { expandKinds } from './kind-words.ts';

const by = new Map<Kind, string>();
for (const { confirmed_by } of FAMILIES) {
  for (const row of confirmed_by) for (const kind of expandKinds(row.kinds)) if (!by.has(kind)) by.set(kind, row.by);
}

/** A noun phrase: "an XID of this GPU in the kernel log, or …". */
export function confirmationOf(kind: Kind): string {
  return by.get(kind) ?? '';
}

// Confirmation: what would confirm an incident that a user of the host may have made up, from the files of catalog/kinds.

import type { Attributes } from '../../model/event.ts';
import { FAMILIES } from '../../model/family.ts';
import type { Kind } from '../../model/kind.ts';
import { isQuota, QUOTA_CONFIRMED_BY } from '../../model/quota.ts';
import {
  CERTIFICATE_CONFIRMED_BY,
  DIRECTORY_CONFIRMED_BY,
  NO_DIRECTORY,
  OVER_CERTIFICATE,
} from '../../model/served-by-unit.ts';
import { expandKinds } from './kind-words.ts';

type Row = (typeof FAMILIES)[number]['confirmed_by'][number];

const rows = new Map<Kind, Row>();
for (const { confirmed_by } of FAMILIES) {
  for (const row of confirmed_by) for (const kind of expandKinds(row.kinds)) if (!rows.has(kind)) rows.set(kind, row);
}

/** A noun phrase: "an XID of this GPU in the kernel log, or …". */
export function confirmationOf(kind: Kind, attributes: Attributes = {}): string {
  if (kind === 'host.disk_full' && isQuota(attributes)) return QUOTA_CONFIRMED_BY;
  if (kind === 'host.degraded' && attributes.reason === NO_DIRECTORY) return DIRECTORY_CONFIRMED_BY;
  if (kind === 'host.degraded' && attributes.reason === OVER_CERTIFICATE) return CERTIFICATE_CONFIRMED_BY;
  return rows.get(kind)?.by ?? '';
}

/** Whether the scheduler's record of the same job confirms it. */
export function isConfirmedByRecord(kind: Kind): boolean {
  return rows.get(kind)?.record === true;
}

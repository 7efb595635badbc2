// Ceph: what to do about a check of a cluster's health, by its code or its words.

import { CEPH_CALL, cephCheck, cephCheckByReason } from '../../model/ceph-checks.ts';
import type { Incident } from '../../model/incident.ts';
import type { Special } from './special-step.ts';

/** Null where the root is not such a check. */
export function cephHealth({ root, events }: Incident): Special | null {
  const { file_system: system, check: code, reason } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (!root.kind.startsWith('storage.') || system !== 'ceph') return null;
  const check = cephCheck(code) ?? cephCheckByReason(reason);
  return check?.kind === root.kind ? { does: check.do, now: check.now, call: CEPH_CALL } : null;
}

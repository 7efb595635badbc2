// Ceph: what to do about a check of a cluster's health, by its code or its words.

import { CEPH_CALL, cephCheck, cephCheckByReason } from '../../model/ceph-checks.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import type { Special } from './special-step.ts';

const MOST_PARTS = 4;

/** Null where the root is not such a check. */
export function cephHealth({ root, events }: Incident): Special | null {
  const { file_system: system, check: code, reason } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (!root.kind.startsWith('storage.') || system !== 'ceph') return null;
  const check = cephCheck(code) ?? cephCheckByReason(reason);
  if (check?.kind !== root.kind) return null;
  const parts = partsOf(events, root.kind);
  return { does: `${check.do}${parts === '' ? '' : ` (${parts})`}`, now: check.now, call: CEPH_CALL };
}

/** `osd.12, osd.14`: those that lines name for it. */
function partsOf(events: Incident['events'], kind: Incident['root']['kind']): string {
  const named = events.flatMap(({ kind: of, attributes: { part } }) => (of === kind && typeof part === 'string' ? [plain(part, 32)] : [])); // biome-ignore format: one list
  const all = [...new Set(named)];
  return all.length > MOST_PARTS
    ? `${all.slice(0, MOST_PARTS).join(', ')} and ${all.length - MOST_PARTS} more`
    : all.join(', ');
}

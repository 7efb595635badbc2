// Ceph: what to do about a check of a cluster's health, by its code or its words.

import { CEPH_CALL, cephCheck, cephCheckByReason, hostOfOsdsIn } from '../../model/ceph-checks.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import type { Special } from './special-step.ts';

const MOST_PARTS = 4;

/** Null where the root is not such a check. */
export function cephHealth(incident: Incident): Special | null {
  const { root, events } = incident;
  const { file_system: system, check: code, reason } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (!root.kind.startsWith('storage.') || system !== 'ceph') return null;
  const check = cephCheck(code) ?? cephCheckByReason(reason);
  const at = downHost(incident);
  if (at !== null) return hostOfOsds(at);
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

/** The only host whose OSDs the details of the check name; null where they name none, or several. */
function downHost({ root, evidence }: Incident): string | null {
  if (root.kind !== 'storage.stall') return null;
  const named = evidence.flatMap((piece) => ('text' in piece ? (hostOfOsdsIn(piece.text) ?? []) : []));
  const [only, ...others] = new Set(named);
  return only === undefined || others.length > 0 ? null : plain(only, LONGEST);
}

const LONGEST = 63;

function hostOfOsds(at: string): Special {
  return {
    does: `see whether ${at} is up, whose OSDs are down, and start them again`,
    now: `ping -c 3 ${at}; ssh ${at} uptime; there, systemctl list-units --all 'ceph*osd*', journalctl -b -u 'ceph*osd*' and sudo dmesg -T say whether daemons, disks or the host failed`,
    call: `who runs ${at}, then ${CEPH_CALL}`,
  };
}

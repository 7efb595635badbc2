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
  const at = check?.reason === undefined || check.reason === OSD_DOWN ? downHost(incident) : null;
  if (at !== null) return hostOfOsds(at, partsOf(events, root.kind));
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

const OSD_DOWN = 'osd down';

/** The only host whose OSDs the lines name that say they are down; null where they name none, or several. */
function downHost({ root, events, evidence }: Incident): string | null {
  if (root.kind !== 'storage.stall') return null;
  const said = events.flatMap(({ attributes: { osd_host: at } }) =>
    typeof at === 'string' && HOST.test(at) ? [at] : [],
  );
  const named = [...said, ...evidence.flatMap((piece) => ('text' in piece ? (hostOfOsdsIn(piece.text) ?? []) : []))];
  const [only, ...others] = new Set(named);
  return only === undefined || others.length > 0 ? null : plain(only, LONGEST);
}

const LONGEST = 63;
const HOST = /^[A-Za-z0-9][\w.-]{1,62}$/;

/** `parts`: "osd.117", "osd.3, osd.4"; empty where no line names one. */
function hostOfOsds(at: string, parts: string): Special {
  const [, number] = /^osd\.(\d{1,6})$/.exec(parts) ?? [];
  const units = number === undefined ? `'ceph*osd*'` : `'ceph*osd?${number}.service'`;
  const does = number === undefined ? `see whether ${at} is up, whose OSDs are down, and start them again` : `find out why ${parts} of ${at} is down, and start it again`; // biome-ignore format: one choice
  return {
    does,
    now: `ping -c 3 ${at}; ssh ${at} uptime; there, systemctl list-units --all ${units}, journalctl -b -u ${units} and sudo dmesg -T say whether ${number === undefined ? 'daemons, disks' : 'the daemon, its disk'} or the host failed`,
    call: `who runs ${at}, then ${CEPH_CALL}`,
  };
}

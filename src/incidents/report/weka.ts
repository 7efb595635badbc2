// WEKA: what to do about a cluster that says it lacks backends or drives.

import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { NAME } from './drain.ts';
import type { Special } from './special-step.ts';

const LONGEST = 63;
const CALL = 'who runs the WEKA cluster';
const UNTIL = 'take no other backend down until weka status shows no rebuild';

/** Null where it is not what `weka status` shows. */
export function weka({ root, events }: Incident): Special | null {
  const own = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (root.kind !== 'storage.degraded' || own.file_system !== 'weka') return null;
  const cluster = typeof own.device === 'string' ? ` ${plain(own.device, LONGEST)}` : '';
  const { part } = own;
  if (typeof part === 'string' && NAME.test(part))
    return {
      does: `see whether ${plain(part, LONGEST)} is up, a backend of WEKA${cluster}, and bring it back`,
      now: `ping -c 3 ${part}; ssh ${part} uptime; there, weka local ps and sudo dmesg -T | tail -n 50 say whether its containers, drives or the host failed; ${UNTIL}`,
      call: `who runs ${plain(part, LONGEST)}, then ${CALL}`,
    };
  return {
    does: `see which backends or drives of WEKA${cluster} are down, and bring them back`,
    now: `weka alerts; weka cluster container (before 4: weka cluster host) shows which are not UP; there, weka local ps and sudo dmesg -T | tail -n 50 say whether containers, drives or the host failed; ${UNTIL}`,
    call: CALL,
  };
}

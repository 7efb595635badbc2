// NVLink step: what to do about a link of GPUs: no new work first, then why, where no log that was read says it already. On a
// baseboard NVLinks have neither cable nor transceiver; only bridges between cards can be reseated.

import type { Incident } from '../../model/incident.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

const WHY = "sudo dmesg -T | grep -iE 'xid|sxid' (NVLink: 74, 144 to 150) says why, ";

/** `does`: with `%` for the link or what has it. */
export function nvlinkStep({ events }: Pick<Incident, 'events'>, does: string): Special {
  const isRead = events.some(({ source }) => source === 'kernel-log');
  return {
    does,
    now: `DRAIN; on @, ${isRead ? '' : WHY}systemctl status nvidia-fabricmanager says whether it runs; once nothing runs on @, SAVEreset all its GPUs together (NVIDIA: sudo nvidia-smi --gpu-reset). Where it fails again, reseat the bridge between cards where they have one; for a baseboard, which has no cable, open a case with FILE`,
    call: HANDS,
  };
}

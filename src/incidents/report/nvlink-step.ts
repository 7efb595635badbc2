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

/** Of a host or GPU whose links the lines do not name one by one. */
export function unnamedNvlinks(incident: Incident): Special | null {
  const { action, root } = incident;
  const isUnnamed = root.kind.startsWith('nvlink.') && action.target?.type !== 'nvlink';
  return action.kind === 'check_link' && isUnnamed ? nvlinkStep(incident, 'check the NVLinks of %') : null;
}

export function nvlinkOfGpus(incident: Incident): Special | null {
  const { kind, target } = incident.action;
  const isOfGpus = target?.type === 'nvlink' || target?.type === 'nvswitch';
  return kind === 'check_link' && isOfGpus ? nvlinkStep(incident, 'check %') : null;
}

// Other group: a control group that ran out of its own memory loses a process of its own, and no process of another one.

import type { Facts } from '../../window/facts.ts';
import type { Doubt, Doubting } from './doubt.ts';

const OTHER = 0.15;
/** A service of the system, by the name of its unit. */
const SERVICE = /^\/system\.slice\/(?:[^/]{1,200}\/)?([^/]{1,200})\.service(?:\/|$)/;
/** Under these run jobs: schedulers, container engines, and whatever else starts the work of others. */
const STARTERS =
  /^(?:slurm|pbs|lsf|flux|sge|condor|docker|containerd|crio|cri-o|podman|k3s|k0s|rke2|kubelet|ray|run-|user@|ssh)/i;
/** What training and serving run as; a job may be a service itself. */
const OF_WORK = /^(?:python|pt_|torchrun|ray::|VLLM::|sglang|deepspeed|accelerate|mpirun|node$|java$)/;

export const otherGroup: Doubting = (cause, effect) => {
  if (cause.kind !== 'host.oom' || effect.kindIndex === cause.kindIndex) return null;
  const unit = serviceOf(cause);
  return unit === null ? null : doubtOf(unit);
};

function doubtOf(unit: string): Doubt {
  return { code: 'other_process', factor: OTHER, why: `it was ${unit}.service, by a limit of its own` };
}

/** The service whose own limit was hit; null where it may be that of a job, or the host as a whole ran out. */
function serviceOf({ events }: Facts): string | null {
  for (const { attributes, trust } of events) {
    const { constraint, memcg, process } = attributes;
    if (trust === 'tenant' || constraint !== 'CONSTRAINT_MEMCG' || typeof memcg !== 'string') continue;
    const unit = SERVICE.exec(memcg)?.[1];
    if (unit === undefined || STARTERS.test(unit)) return null;
    return typeof process === 'string' && OF_WORK.test(process) ? null : unit;
  }
  return null;
}

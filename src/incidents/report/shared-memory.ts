// Shared memory: full as a job says. Most jobs run in containers, whose /dev/shm is their own, and as large as who starts them asks for.

import type { Incident } from '../../model/incident.ts';
import { OWNER } from './kind-step.ts';
import { workSaid } from './owner.ts';
import type { Special } from './special-step.ts';

/** Null where it is the host that reports it. */
export function sharedMemory(incident: Incident): Special | null {
  const { root, events } = incident;
  const own = events.find(({ id }) => id === root.eventId);
  if (root.kind !== 'host.shm_full' || own?.trust !== 'tenant') return null;
  return {
    does: `give ${workSaid(incident) ?? 'the job'} more shared memory (/dev/shm)`,
    now: 'where it runs in a container, start it again with more (docker, podman: --shm-size=32g, or --ipc=host; Kubernetes: an emptyDir with medium Memory on /dev/shm). Where not, df -h /dev/shm on @ says whether it is full there: who runs @ then has what no process has open (sudo lsof +D /dev/shm) deleted by its owner',
    call: OWNER,
  };
}

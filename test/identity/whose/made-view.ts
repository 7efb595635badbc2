// A view of the work as assembled, with what a test does not care about filled in.

import type { DeviceUse, Work, WorkPod, WorkRank, WorkView } from '../../../src/identity/work/work.ts';

export function work(id: string, given: Partial<Work> = {}): Work {
  return {
    id,
    aliases: [],
    manager: 'slurm',
    name: null,
    user: null,
    account: null,
    queue: null,
    pods: [],
    ranks: [],
    worldSize: null,
    framework: null,
    logs: [],
    step: null,
    attempt: null,
    startedMs: null,
    knownBy: ['scontrol listpids'],
    ...given,
  };
}

export function rank(number: number, given: Partial<WorkRank> = {}): WorkRank {
  return {
    rank: number,
    localRank: number,
    pid: null,
    gpus: [],
    nics: [],
    pod: null,
    role: '',
    knownBy: 'RANK',
    ...given,
  };
}

export function pod(name: string, container: string | null = 'trainer'): WorkPod {
  return { namespace: 'ml', name, uid: `uid-${name}`, container };
}

export function use(device: string, job: string | null, given: Partial<DeviceUse> = {}): DeviceUse {
  return { device, work: job, ranks: [], pod: null, sharedBy: 1, knownBy: "driver's list of processes", ...given };
}

let version = 0;

/** Each has a version of its own. */
export function view(given: Partial<WorkView> = {}): WorkView {
  version += 1;
  return { works: [], devices: [], conflicts: [], ...given, version };
}

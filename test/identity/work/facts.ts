// Facts as sources give them, with what a test does not care about filled in.

import type { GpuFacts } from '../../../src/identity/host-gpus.ts';
import { type NicFacts, NO_NICS } from '../../../src/identity/host-nics.ts';
import type { Facts, GroupPlace, PodFact, ProcessFact, ScheduledJobFact } from '../../../src/identity/work/facts.ts';
import type { Component } from '../../../src/model/component.ts';

export const NOWHERE: GroupPlace = { pod: null, container: null, runtime: null, batch: null };

export function processFact(pid: number, given: Partial<ProcessFact> = {}): ProcessFact {
  return {
    pid,
    startTicks: pid,
    startedMs: null,
    parent: 1,
    owner: [1000],
    innerPid: pid,
    place: NOWHERE,
    variables: {},
    readable: true,
    root: '',
    role: '',
    launcher: null,
    said: null,
    framework: null,
    folders: [],
    writes: [],
    devices: [],
    ...given,
  };
}

export function slurm(job: string | null, step: string | null = '0', task: number | null = null): GroupPlace {
  return { ...NOWHERE, batch: { manager: 'slurm', job, sluid: null, step, task } };
}

export function podFact(name: string, given: Partial<PodFact> = {}): PodFact {
  return {
    uid: `uid-${name}`,
    configHash: null,
    namespace: 'ml',
    name,
    phase: 'Running',
    owner: null,
    queue: null,
    user: null,
    attempt: null,
    batchJob: null,
    containers: [],
    startedMs: null,
    knownBy: 'kubelet Pods API',
    ...given,
  };
}

export function scheduledFact(id: string, given: Partial<ScheduledJobFact> = {}): ScheduledJobFact {
  return {
    manager: 'slurm',
    id,
    aliases: [],
    name: null,
    user: null,
    userId: null,
    account: null,
    queue: null,
    states: ['RUNNING'],
    gpus: null,
    tasks: [],
    taskGroupsAreGlobal: false,
    worldSize: null,
    logs: [],
    restarts: null,
    startedMs: null,
    knownBy: 'scontrol',
    ...given,
  };
}

/** UUID of the n-th GPU. */
export const uuid = (n: number): string => `GPU-00000000-0000-0000-0000-00000000000${n}`;
export const gpuId = (n: number): string => `0000:${n}b:00.0`;

/** `users`: index of a GPU → the pids on it. */
export function gpuFacts(count: number, users: Readonly<Record<number, readonly number[]>> = {}): GpuFacts {
  const gpus = Array.from({ length: count }, (_, n): Component => ({ type: 'gpu', id: gpuId(n), aliases: [`gpu ${n}`, uuid(n)] })); // biome-ignore format: one line
  return {
    gpus,
    oneModel: true,
    users: new Map(Object.entries(users).map(([n, pids]) => [gpuId(Number(n)), pids])),
    minors: new Map(gpus.map(({ id }, n) => [n, id])),
    instances: [],
    kernel: [],
  };
}

export const nicId = (n: number): string => `0000:d${n}:00.0`;

/** Cards mlx5_<n> with interface ib<n> and verbs device uverbs<n>, each with one virtual function. */
export function nicFacts(count: number): NicFacts {
  const all = Array.from({ length: count }, (_, n) => n);
  const cards = all.map((n): Component => ({ type: 'nic', id: nicId(n), aliases: [`mlx5_${n}`, `ib${n}`] }));
  return {
    cards,
    rdma: new Map(all.map((n) => [`mlx5_${n}`, nicId(n)])),
    verbs: new Map(all.map((n) => [`uverbs${n}`, nicId(n)])),
    interfaces: new Map(all.map((n) => [`ib${n}`, [nicId(n)]])),
    functions: new Map(all.map((n) => [`0000:d${n}:00.1`, nicId(n)])),
    queues: new Map(),
  };
}

export function factsOf(given: Partial<Facts> = {}): Facts {
  return {
    processes: [],
    pods: [],
    scheduled: [],
    named: [],
    reported: [],
    dumped: [],
    users: [],
    gpus: gpuFacts(0),
    nics: NO_NICS,
    ...given,
  };
}

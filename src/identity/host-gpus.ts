// Host GPUs: the devices of this host as the driver lists them — address, UUID, index, model — and the processes on them.

import { isDeepStrictEqual } from 'node:util';
import { hasRoom } from '../helpers/has-room.ts';
import type { Component } from '../model/component.ts';
import type { KernelGpu } from './kernel-gpus.ts';

/** More than any host has. */
const MAX_GPUS = 256;
const MAX_INSTANCES = 2048;

interface Gpu {
  readonly component: Component;
  readonly model: string;
  /** Of its device file; null where the driver does not say. */
  readonly minor: number | null;
  /** Null until the driver said. */
  pids: readonly number[] | null;
  /** Pid → the MIG instances that it is on, by number. */
  instances: ReadonlyMap<number, readonly number[]>;
}

/** A part of a GPU that is used like a GPU of its own. */
export interface GpuInstance {
  /** With its UUID among the aliases; the id is that of the GPU, a slash, and the number of the instance. */
  readonly component: Component;
  /** 1g.10gb */
  readonly profile: string;
}

/** What is known of the GPUs now, all by their id, the PCI address. */
export interface GpuFacts {
  /** With UUID and "gpu <index>" among their aliases. */
  readonly gpus: readonly Component[];
  /** All are of one model. */
  readonly oneModel: boolean;
  /** Id of a GPU, or of the instance where the driver names it → pids of the compute processes on it; a long list is cut. */
  readonly users: ReadonlyMap<string, readonly number[]>;
  /** Number of the device file → GPU id. */
  readonly minors: ReadonlyMap<number, string>;
  readonly instances: readonly GpuInstance[];
  /** GPUs that no vendor library is asked about: those of AMD and Intel, as the kernel lists them. */
  readonly kernel: readonly KernelGpu[];
}

const NO_INSTANCES: Gpu['instances'] = new Map();

export class HostGpus {
  readonly #gpus = new Map<string, Gpu>();
  readonly #instances = new Map<string, GpuInstance>();
  #kernel: readonly KernelGpu[] = [];
  #kernelUsers: ReadonlyMap<string, readonly number[]> = new Map();
  #answers = false;
  #version = 0;

  /** Another one where something changed. */
  get version(): number {
    return this.#version;
  }

  /** The driver lists this device; an index moves from one device to another, the address stays. */
  found(component: Component, model: string, minor: number | null = null): void {
    const known = this.#gpus.get(component.id);
    if (known === undefined && this.#gpus.size >= MAX_GPUS) return;
    const { pids = null, instances = NO_INSTANCES } = known ?? {};
    this.#gpus.set(component.id, { component, model, minor, pids, instances });
    this.#version += 1;
  }

  /** An instance of a GPU appeared, or went away. */
  instance(component: Component, profile: string, isThere: boolean): void {
    if (!isThere) this.#instances.delete(component.id);
    else if (hasRoom(this.#instances, component.id, MAX_INSTANCES))
      this.#instances.set(component.id, { component, profile });
    this.#version += 1;
  }

  /** The driver does not list it any more. */
  gone(id: string): void {
    this.#gpus.delete(id);
    for (const each of this.#instances.keys()) if (each.startsWith(`${id}/`)) this.#instances.delete(each);
    this.#version += 1;
  }

  /** The compute processes on a device, as of now; a long list is cut. `instances`: on which parts of it they are. */
  usedBy(id: string, pids: readonly number[], instances: ReadonlyMap<number, readonly number[]> = NO_INSTANCES): void {
    const gpu = this.#gpus.get(id);
    const isSame = gpu?.pids != null && isDeepStrictEqual([gpu.pids, gpu.instances], [pids, instances]);
    if (gpu === undefined || isSame) return;
    gpu.pids = pids;
    gpu.instances = instances;
    this.#version += 1;
  }

  /** What the kernel lists, in the place of what it listed before; `users`: id of a GPU or part → pids on it. */
  listedByKernel(gpus: readonly KernelGpu[], users: ReadonlyMap<string, readonly number[]>): void {
    if (isDeepStrictEqual([gpus, users], [this.#kernel, this.#kernelUsers])) return;
    this.#kernel = gpus;
    this.#kernelUsers = users;
    this.#version += 1;
  }

  /** Pids of all processes that a driver lists on a device. */
  holders(): number[] {
    const pids = [...this.#gpus.values()].flatMap((gpu) => gpu.pids ?? []);
    return [...new Set([...pids, ...[...this.#kernelUsers.values()].flat()])];
  }

  /** Whether the driver answers, so that what it does not list is missing. */
  driverAnswers(answers: boolean): void {
    this.#answers = answers;
  }

  /** PCI addresses that the driver lists; null while it does not answer. */
  listed(): readonly string[] | null {
    return this.#answers ? [...this.#gpus.keys()] : null;
  }

  facts(): GpuFacts {
    const all = [...this.#gpus.values()];
    const users = all.flatMap(({ component, pids, instances }) =>
      pids === null ? [] : usersOf(component.id, pids, instances),
    );
    return {
      gpus: all.map(({ component }) => component),
      oneModel: new Set(all.map(({ model }) => model)).size === 1,
      users: new Map([...users, ...this.#kernelUsers]),
      minors: new Map(all.flatMap(({ component, minor }) => (minor === null ? [] : [[minor, component.id] as const]))),
      instances: [...this.#instances.values()],
      kernel: this.#kernel,
    };
  }
}

/** Where the driver names the instance of a process, the process is on that and not on the GPU. */
function usersOf(id: string, pids: readonly number[], instances: Gpu['instances']): [string, readonly number[]][] {
  const users = new Map<string, number[]>([[id, []]]);
  for (const pid of pids)
    for (const key of instances.get(pid)?.map((instance) => `${id}/${instance}`) ?? [id])
      users.set(key, [...(users.get(key) ?? []), pid]);
  return [...users];
}

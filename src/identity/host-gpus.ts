// Host GPUs: the devices of this host as the driver lists them — address, UUID, index, model — and the processes on them.

import { isDeepStrictEqual } from 'node:util';
import { hasRoom } from '../helpers/has-room.ts';
import type { Component } from '../model/component.ts';

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
  /** GPU id → pids of the compute processes on it, as the driver lists them; a long list is cut. */
  readonly users: ReadonlyMap<string, readonly number[]>;
  /** Number of the device file → GPU id. */
  readonly minors: ReadonlyMap<number, string>;
  readonly instances: readonly GpuInstance[];
}

export class HostGpus {
  readonly #gpus = new Map<string, Gpu>();
  readonly #instances = new Map<string, GpuInstance>();
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
    this.#gpus.set(component.id, { component, model, minor, pids: known?.pids ?? null });
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

  /** The compute processes on a device, as of now; a long list is cut. */
  usedBy(id: string, pids: readonly number[]): void {
    const gpu = this.#gpus.get(id);
    if (gpu === undefined || (gpu.pids !== null && isDeepStrictEqual(gpu.pids, pids))) return;
    gpu.pids = pids;
    this.#version += 1;
  }

  /** Pids of all processes that the driver lists on a device. */
  holders(): number[] {
    return [...new Set([...this.#gpus.values()].flatMap(({ pids }) => pids ?? []))];
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
    const users = all.flatMap(({ component, pids }) => (pids === null ? [] : [[component.id, pids] as const]));
    return {
      gpus: all.map(({ component }) => component),
      oneModel: new Set(all.map(({ model }) => model)).size === 1,
      users: new Map(users),
      minors: new Map(all.flatMap(({ component, minor }) => (minor === null ? [] : [[minor, component.id] as const]))),
      instances: [...this.#instances.values()],
    };
  }
}

// Host GPUs: the devices of this host as the driver lists them — address, UUID, index, model — and the processes on them.

import type { Component } from '../model/component.ts';

/** More than any host has. */
const MAX_GPUS = 256;

interface Gpu {
  readonly component: Component;
  readonly model: string;
  /** Null until the driver said. */
  pids: readonly number[] | null;
}

/** What is known of the GPUs now, all by their id, the PCI address. */
export interface GpuFacts {
  /** With UUID and "gpu <index>" among their aliases. */
  readonly gpus: readonly Component[];
  /** All are of one model. */
  readonly oneModel: boolean;
  /** GPU id → pids of the compute processes on it, as the driver lists them; a long list is cut. */
  readonly users: ReadonlyMap<string, readonly number[]>;
}

export class HostGpus {
  readonly #gpus = new Map<string, Gpu>();
  #answers = false;

  /** The driver lists this device; an index moves from one device to another, the address stays. */
  found(component: Component, model: string): void {
    const known = this.#gpus.get(component.id);
    if (known === undefined && this.#gpus.size >= MAX_GPUS) return;
    this.#gpus.set(component.id, { component, model, pids: known?.pids ?? null });
  }

  /** The driver does not list it any more. */
  gone(id: string): void {
    this.#gpus.delete(id);
  }

  /** The compute processes on a device, as of now; a long list is cut. */
  usedBy(id: string, pids: readonly number[]): void {
    const gpu = this.#gpus.get(id);
    if (gpu !== undefined) gpu.pids = pids;
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
    };
  }
}

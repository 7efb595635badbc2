// Identity: the one place that knows which device, process, container, job and rank are the same thing.
// Sources and the pipeline teach it facts and ask it; it reads nothing itself. What cannot be resolved is null.

import type { Component } from '../model/component.ts';
import { HostGpus } from './host-gpus.ts';
import { KnownNames } from './known-names.ts';
import { OwnProcesses } from './own-processes.ts';
import { gpuOfRank } from './rank/gpu-of-rank.ts';
import type { RankProcess } from './rank/processes.ts';
import { Resolver } from './resolver.ts';

export class Identity {
  /** Which GPUs the driver lists, and who uses them; taught by the GPU source. */
  readonly gpus = new HostGpus();
  /** Which processes are this daemon's own; taught by the part that starts one. */
  readonly own: OwnProcesses;
  /** Every component that was configured, discovered or named by an event. */
  readonly names: KnownNames;
  readonly #resolver = new Resolver();

  /** `now`: epoch ms. */
  constructor(host: string, { now = Date.now }: { readonly now?: () => number } = {}) {
    this.own = new OwnProcesses({ now });
    this.names = new KnownNames(host);
  }

  /** A source found this component: its host, parent and other names. */
  learn(component: Component): void {
    this.#resolver.learn(component);
    this.names.saw(component);
  }

  /** The same component with host, parent and aliases as far as they are known; what is not known stays as it is. */
  resolve(component: Component | null): Component | null {
    return this.#resolver.resolve(component);
  }

  /** The GPU that a rank uses; null where that would be a guess. */
  gpuOf(rank: RankProcess): Component | null {
    return gpuOfRank(rank, this.gpus.facts());
  }
}

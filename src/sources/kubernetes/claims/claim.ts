// Claim: what a driver of claims (DRA) gave to a container, as PodResources has it.

import type { PodDevice } from '../../../identity/work/facts.ts';

export interface Claim {
  /** gpu.nvidia.com */
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  /** Names in files of the Container Device Interface: k8s.gpu.nvidia.com/claim=<uid>-gpu-0 */
  readonly cdi: readonly string[];
}

/** As kubelet lists it: a device of a plugin, or of a claim. */
export interface ListedDevice extends PodDevice {
  readonly claim?: Claim;
}

/** Namespace/pod → container → devices, each once, in their order. */
export type Devices<D extends PodDevice> = ReadonlyMap<string, ReadonlyMap<string, readonly D[]>>;

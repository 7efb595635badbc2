// What the readers of the vendors give of one GPU.

import type { KernelGpu } from '../../identity/kernel-gpus.ts';

export interface FoundGpu extends KernelGpu {
  readonly model: string;
  /** Id of the GPU or part → the number by which the compute driver calls it; none where it has no such driver. */
  readonly computeIds: ReadonlyMap<string, number>;
}

// Said device: what a line calls a device whose address it does not give: "mlx5_3", "the GPU of rank 6", "GPU 5".

import type { Attributes } from './event.ts';
import type { Kind } from './kind.ts';
import { plain } from './plain.ts';

/** Names of devices are short; what is longer is none. */
const A_NAME = /^(?=\w*\d)[a-z]\w{1,31}$/i;

/** Null where the line names none in any way. Of a GPU the rank that reports it says which it is. */
export function saidDevice(
  kind: Kind,
  { device, interface: port, rank, local_rank: local, ...numbers }: Attributes,
): string | null {
  if (kind.startsWith('nic.') && typeof port === 'string' && A_NAME.test(port)) return plain(port);
  if (typeof device === 'string' && A_NAME.test(device)) return plain(device);
  const gpu = saidGpu(numbers);
  if (gpu !== null && OF_GPUS.test(kind) && typeof rank !== 'number') return `GPU ${gpu}`;
  if (!kind.startsWith('gpu.')) return null;
  if (typeof rank === 'number') return `the GPU of rank ${rank}`;
  return typeof local === 'number' ? `the GPU of local rank ${local}` : null;
}

const OF_GPUS = /^(?:gpu|pcie|nvlink)\./;

/** The number that a tool counts the GPU by, DCGM's or nvidia-smi's, which are the same on most hosts; null where none is given. */
export function saidGpu({ dcgm_gpu: dcgm, gpu_index: index }: Attributes): number | null {
  return typeof dcgm === 'number' ? dcgm : typeof index === 'number' ? index : null;
}

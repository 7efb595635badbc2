// Processes on AMD's GPUs, as the compute driver shows them to everybody: /sys/class/kfd/kfd/proc/<pid>, with the memory that each has
// on each GPU, and its queues. Kernel: drivers/gpu/drm/amd/amdkfd/kfd_process.c.

import { join } from 'node:path';
import type { SmallFiles } from '../files/small-files.ts';

const MAX_PROCESSES = 1024;
const MAX_QUEUES = 512;

/** Number of a GPU in the compute driver → pids on it, as the first namespace of the host numbers them. */
export async function kfdUsers(files: SmallFiles, sys: string): Promise<Map<number, number[]>> {
  const folder = join(sys, 'class/kfd/kfd/proc');
  const users = new Map<number, number[]>();
  const pids = ((await files.list(folder)) ?? []).filter((name) => /^[1-9]\d{0,9}$/.test(name)).map(Number);
  for (const pid of pids.sort((a, b) => a - b).slice(0, MAX_PROCESSES)) {
    const own = join(folder, String(pid));
    for (const gpu of await gpusOf(files, own)) users.set(gpu, [...(users.get(gpu) ?? []), pid]);
    files.forget(`${own}/`);
  }
  return users;
}

/** Whoever opens the driver has a file for each GPU. It is on those where it has memory, and of several on those with its queues. */
async function gpusOf(files: SmallFiles, folder: string): Promise<readonly number[]> {
  const names = (await files.list(folder)) ?? [];
  const gpus = names.flatMap((name) => /^vram_([1-9]\d{0,9})$/.exec(name)?.[1] ?? []).map(Number);
  const held: number[] = [];
  for (const gpu of gpus) if (Number(await files.read(join(folder, `vram_${gpu}`))) > 0) held.push(gpu);
  if (held.length < 2) return held;
  const queued = new Set<number>();
  const queues = ((await files.list(join(folder, 'queues'))) ?? []).slice(0, MAX_QUEUES);
  for (const queue of queues) queued.add(Number(await files.read(join(folder, 'queues', queue, 'gpuid'))));
  const both = held.filter((gpu) => queued.has(gpu));
  return both.length > 0 ? both : held;
}

// Reset tool: whether root resets GPUs at this moment. The driver does not list a GPU meanwhile, and says nothing of why.

import type { SmallFiles } from '../files/small-files.ts';
import { ofProcess, pids } from './process-names.ts';

/** NVIDIA's own tool; what else resets GPUs calls it. */
const TOOL = 'nvidia-smi';
/** `-r`, `--gpu-reset`; a GPU is also reset where its MIG mode is set. */
const RESETS = /^(?:-r|--gpu-reset|-mig|--multi-instance-gpu)(?:=|$)/;

export interface ResetTool {
  readonly pid: number;
  /** "nvidia-smi --gpu-reset -i 4" */
  readonly command: string;
}

/** The first that is found; null where none runs. Looks at every process: to be asked only where it matters. */
export async function resetTool(files: SmallFiles, proc: string): Promise<ResetTool | null> {
  for (const pid of await pids(files, proc)) {
    if ((await ofProcess(files, proc, pid, 'comm')) !== TOOL) continue;
    const words = ((await ofProcess(files, proc, pid, 'cmdline')) ?? '').split('\0').filter((word) => word !== '');
    const [, ...options] = words;
    if (!options.some((word) => RESETS.test(word))) continue;
    // Any user can call a process so; only root can reset.
    const status = await ofProcess(files, proc, pid, 'status');
    if (/^Uid:\t\d+\t0\t/m.test(status ?? '')) return { pid: Number(pid), command: [TOOL, ...options].join(' ') };
  }
  return null;
}

// Which srun of a job's batch script, or of its shell, runs on this host, and where it sends the output of its step.

import { join } from 'node:path';
import type { SmallFiles } from '../../files/small-files.ts';
import type { ListedTask } from '../read/listed-tasks.ts';
import { type SrunOutput, srunOutput } from '../read/srun-options.ts';

/** Processes of one job outside of its steps that are looked at. */
const MAX_PROCESSES = 64;
const MAX_SRUNS = 16;

/** By the raw number of the job; of those only that have numbered steps here, whose outputs these are. */
export async function findSruns(
  files: SmallFiles,
  proc: string,
  tasks: ReadonlyMap<number, readonly ListedTask[]>,
): Promise<ReadonlyMap<number, readonly SrunOutput[]>> {
  const found = new Map<number, readonly SrunOutput[]>();
  for (const [job, all] of tasks) {
    if (!all.some(({ rank }) => rank !== null)) continue;
    const sruns = new Map<string, SrunOutput>();
    for (const { pid } of all.filter(isOutside).slice(0, MAX_PROCESSES)) {
      const folder = join(proc, String(pid));
      const text = await files.read(join(folder, 'cmdline'));
      files.forget(folder); // the number may be another process's next time
      const srun = text === null ? null : srunOutput(text.split('\0'));
      if (srun !== null && (srun.output ?? srun.errors) !== null) sruns.set(JSON.stringify(srun), srun);
    }
    if (sruns.size > 0) found.set(job, [...sruns.values()].slice(0, MAX_SRUNS));
  }
  return found;
}

const isOutside = ({ step }: ListedTask): boolean => step === 'batch' || step === 'interactive';

// Launcher lines: what the program that started a rank prints of the end of the rank's process.

import type { PlannedJob } from '../scenario/world.ts';

export interface RankEnd {
  readonly rank: number;
  readonly signal?: number;
  readonly code?: number;
  readonly pid?: number;
  readonly launcher?: 'torchrun' | 'srun' | 'mpirun' | 'none';
}

/** signal(7) as strsignal(3) of glibc says it. */
const SIGNALS: Readonly<Record<number, string>> = {
  1: 'Hangup', 2: 'Interrupt', 4: 'Illegal instruction', 6: 'Aborted', 7: 'Bus error', 8: 'Floating point exception', 9: 'Killed',
  11: 'Segmentation fault', 13: 'Broken pipe', 15: 'Terminated',
}; // biome-ignore format: a table
const USUAL_PID = 40_000;

/**
 * torch/distributed/elastic/multiprocessing/api.py (`failed (exitcode: %s) local_rank: %s (pid: %s) of binary: %s`); srun's task_exit
 * (src/srun/task_state.c, launch.c); Open MPI's help-mpirun.txt.
 */
export function launcherLines(end: RankEnd, { ranks }: Pick<PlannedJob, 'ranks'>, host: string, now: Date): string[] {
  const { rank, code, launcher = 'torchrun', pid = USUAL_PID + rank } = end;
  const signal = end.signal ?? (code === undefined ? 9 : undefined);
  const name = signal === undefined ? '' : (SIGNALS[signal] ?? `Unknown signal ${signal}`);
  switch (launcher) {
    case 'none':
      return [];
    case 'srun':
      return [`srun: error: ${host}: task ${rank}: ${signal === undefined ? `Exited with exit code ${code}` : name}`];
    case 'mpirun':
      if (signal !== undefined)
        return [
          `mpirun noticed that process rank ${rank} with PID ${pid} on node ${host} exited on signal ${signal} (${name}).`,
        ];
      return [
        'mpirun detected that one or more processes exited with non-zero status, thus causing',
        'the job to be terminated. The first process to do so was:',
        '',
        `  Process name: [[51234,1],${rank}]`,
        `  Exit code:    ${code}`,
      ];
    default: {
      const exit = signal === undefined ? code : -signal;
      const others = ranks.filter((one) => one !== rank);
      const stamp = now.toISOString().slice(5, 23).replace('-', '').replace('T', ' ');
      const at = (level: string) => `${level}${stamp}000 39000 torch/distributed/elastic/multiprocessing/api.py`;
      return [
        ...others.map((one) => `${at('W')}:897] Sending process ${USUAL_PID + one} closing signal SIGTERM`),
        `${at('E')}:869] failed (exitcode: ${exit}) local_rank: ${ranks.indexOf(rank)} (pid: ${pid}) of binary: /usr/bin/python3`,
      ];
    }
  }
}

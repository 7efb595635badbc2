// Launchers: programs that start ranks and are none, though they carry a task's variables; known by their command line.

import { basename } from 'node:path';

/** The name of the program, or of the script that Python or a shell runs. */
const PROGRAMS: ReadonlyMap<string, string> = new Map([
  ['torchrun', 'torchrun'],
  ['accelerate', 'accelerate'],
  ['accelerate-launch', 'accelerate'],
  ['deepspeed', 'deepspeed'],
  ['mpirun', 'mpi'],
  ['mpiexec', 'mpi'],
  ['mpiexec.hydra', 'mpi'],
  ['mpirun.actual', 'mpi'],
  ['orterun', 'mpi'],
  ['orted', 'mpi'],
  ['prterun', 'mpi'],
  ['prted', 'mpi'],
  ['prte', 'mpi'],
  ['hydra_pmi_proxy', 'mpi'],
  ['hydra_bstrap_proxy', 'mpi'],
  ['pmi_proxy', 'mpi'],
  ['mpirun_rsh', 'mpi'],
  ['mpispawn', 'mpi'],
  ['palsd', 'mpi'],
  ['srun', 'slurm'],
  ['sbatch', 'slurm'],
  ['jsrun', 'lsf'],
  ['pjtask', 'lsf'],
  ['flux', 'flux'],
  ['flux-shell', 'flux'],
  ['horovodrun', 'mpi'],
]);
const MODULES: ReadonlyMap<string, string> = new Map([
  ['torch.distributed.run', 'torchrun'],
  ['torch.distributed.launch', 'torchrun'],
  ['torch.distributed.elastic.multiprocessing', 'torchrun'],
  ['accelerate.commands.launch', 'accelerate'],
  ['accelerate.commands.accelerate_cli', 'accelerate'],
  ['deepspeed.launcher.launch', 'deepspeed'],
  ['deepspeed.launcher.runner', 'deepspeed'],
]);
const INTERPRETER = /^(?:python[\d.]*|bash|sh|dash)$/;

/** Which launcher it is; null where it is none. */
export function launcherOf(command: readonly string[]): string | null {
  const [program = ''] = command;
  if (program.startsWith('slurmstepd:') || basename(program) === 'slurmstepd') return 'slurm';
  const name = basename(program);
  const known = PROGRAMS.get(name);
  if (known !== undefined) return known;
  if (!INTERPRETER.test(name)) return null;
  // What follows the interpreter's own options; of a module only its name counts.
  for (let at = 1; at < command.length && at < 16; at += 1) {
    const word = command[at] ?? '';
    if (word === '-m') return MODULES.get(command[at + 1] ?? '') ?? null;
    if (word === '-c') return null;
    if (word === '-W' || word === '-X') at += 1;
    else if (!word.startsWith('-')) return PROGRAMS.get(basename(word)) ?? null;
  }
  return null;
}

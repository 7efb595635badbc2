// Where a job's output goes: the patterns of --output of sbatch and srun, which Slurm of most releases keeps as they were written.

import { isAbsolute, join } from 'node:path';
import { hostsOf } from '../../../helpers/host-list.ts';
import type { SlurmJob } from './job.ts';
import type { ListedTask } from './listed-tasks.ts';
import type { SrunOutput } from './srun-options.ts';

const LONGEST_WIDTH = 10;
/** What a job outside of an array has for %a: NO_VAL. */
const NO_TASK = 4_294_967_294;
const MAX_PATH = 4096;
/** Files of a step's tasks on one host. */
const MAX_FILES = 64;

/** A task of a step that srun started, on a node. */
interface StepTask {
  readonly step: string;
  readonly rank: number;
  readonly node: string;
  /** The job has no other node. */
  readonly alone: boolean;
}

/** Absolute paths of this host, standard output first; what is not known is left out. `nodes`: all names of this node. */
export function outputPaths(job: SlurmJob, nodes: readonly string[] = []): readonly string[] {
  const written = job.output ?? (job.batch ? standardOutput(job) : null);
  const here = job.batchHost !== null && nodes.includes(job.batchHost);
  const jobs = here ? nodes.map((batchHost) => ({ ...job, batchHost })) : [job];
  const paths = [written, job.errors].flatMap((file) =>
    file === null ? [] : jobs.flatMap((each) => pathOf(file, each) ?? []),
  );
  return [...new Set(paths)].filter((path) => path !== '/dev/null');
}

/**
 * Of the steps that an srun on this host runs; `nodes`: all names of this node, Slurm's first. Which srun runs which step is not known: of several each
 * pattern is a file of each step, of which those that are there are the right ones.
 */
export function stepOutputPaths(
  job: SlurmJob,
  nodes: readonly string[],
  tasks: readonly ListedTask[],
  sruns: readonly SrunOutput[],
): readonly string[] {
  const paths = new Set<string>();
  for (const { output, errors, folder } of sruns)
    for (const pattern of [output, errors])
      for (const { step, rank } of pattern === null ? [] : tasks) {
        if (rank === null || paths.size >= MAX_FILES) continue;
        for (const name of nodes.map((node) =>
          expandOutput(pattern ?? '', job, { step, rank, node, alone: job.nodes === nodes[0] }),
        )) {
          const path = name === null ? null : whole(name, job, folder);
          if (path !== null && path !== '/dev/null') paths.add(path);
        }
      }
  return [...paths];
}

function standardOutput({ array }: SlurmJob): NonNullable<SlurmJob['output']> {
  return { path: array === null ? 'slurm-%j.out' : 'slurm-%A_%a.out', expanded: false };
}

/** The text form has the working folder, which is not part of the pattern, before what it expands in part. */
function pathOf({ path, expanded }: NonNullable<SlurmJob['output']>, job: SlurmJob): string | null {
  if (expanded) return whole(path, job, null);
  const before = job.folder !== null && path.startsWith(`${job.folder}/`) ? job.folder.length : 0;
  const name = expandOutput(path.slice(before), job);
  return name === null ? null : whole(path.slice(0, before) + name, job, null);
}

function whole(name: string, job: SlurmJob, folder: string | null): string | null {
  if (name.length > MAX_PATH || name.includes('\0')) return null;
  if (isAbsolute(name)) return name;
  const base = folder !== null && !isAbsolute(folder) && job.folder !== null ? join(job.folder, folder) : (folder ?? job.folder); // biome-ignore format: one line
  return base !== null && isAbsolute(base) ? join(base, name) : null;
}

/** `task`: left out, of the batch script. Null where a sign stands for what is not known. */
export function expandOutput(pattern: string, job: SlurmJob, task?: StepTask): string | null {
  // A backslash anywhere turns patterns off.
  if (pattern.includes('\\')) return pattern.replaceAll('\\', '');
  let known = true;
  const name = pattern.replaceAll(/%(\d*)([%A-Za-z])/g, (sign, width: string, letter: string) => {
    if (letter === '%') return '%';
    const value = task === undefined ? batchSign(letter, job) : stepSign(letter, job, task);
    if (value === undefined) return sign;
    if (value === null) known = false;
    const padded = typeof value === 'number' ? Math.min(LONGEST_WIDTH, Number(width === '' ? 0 : width)) : 0;
    return String(value).padStart(padded, '0');
  });
  return known ? name : null;
}

/** Undefined: no sign of Slurm's, and left as it is. Null: not known. */
function jobSign(letter: string, job: SlurmJob): string | number | null | undefined {
  switch (letter) {
    case 'A':
      return job.array?.job ?? job.number;
    case 'a':
      return job.array?.task ?? NO_TASK;
    case 'b':
      return (job.array?.task ?? NO_TASK) % 10;
    case 'j':
      return job.number;
    case 'r':
      return job.restarts;
    case 'S':
      return job.sluid ?? undefined;
    case 'u':
      return job.user;
    case 'x':
      return job.name === null || job.name.includes('/') ? null : job.name;
    default:
      return undefined;
  }
}

function batchSign(letter: string, job: SlurmJob): string | number | null | undefined {
  switch (letter) {
    case 'J':
      return job.number;
    case 'N':
      return job.batchHost ?? (job.nodes === null ? null : (hostsOf(job.nodes)[0] ?? null));
    // The node and the task are the first.
    case 'n':
    case 't':
      return 0;
    case 's':
      return 'batch';
    default:
      return jobSign(letter, job);
  }
}

function stepSign(letter: string, job: SlurmJob, { step, rank, node, alone }: StepTask) {
  switch (letter) {
    case 'J':
      return `${job.number}.${step}`;
    case 'N':
      return node;
    // Within the step, which may have fewer nodes than the job.
    case 'n':
      return alone ? 0 : null;
    case 's':
      return Number(step.split('+')[0]);
    case 't':
      return rank;
    default:
      return jobSign(letter, job);
  }
}

// Where a job's output goes: the patterns of sbatch's --output, which live jobs of older Slurm keep as they were written.

import { isAbsolute, join } from 'node:path';
import { hostsOf } from './host-list.ts';
import type { SlurmJob } from './job.ts';

const LONGEST_WIDTH = 10;
/** What a job outside of an array has for %a: NO_VAL. */
const NO_TASK = 4_294_967_294;
const MAX_PATH = 4096;

/** Absolute paths of this host, standard output first; what is not known is left out. */
export function outputPaths(job: SlurmJob): readonly string[] {
  const written = job.output ?? (job.batch ? standardOutput(job) : null);
  const paths = [written, job.errors].flatMap((file) => (file === null ? [] : (pathOf(file, job) ?? [])));
  return [...new Set(paths)].filter((path) => path !== '/dev/null');
}

function standardOutput({ array }: SlurmJob): NonNullable<SlurmJob['output']> {
  return { path: array === null ? 'slurm-%j.out' : 'slurm-%A_%a.out', expanded: false };
}

function pathOf({ path, expanded }: NonNullable<SlurmJob['output']>, job: SlurmJob): string | null {
  const name = expanded ? path : expandOutput(path, job);
  if (name === null || name.length > MAX_PATH || name.includes('\0')) return null;
  if (isAbsolute(name)) return name;
  return job.folder !== null && isAbsolute(job.folder) ? join(job.folder, name) : null;
}

/** Of a batch script; null where a sign stands for what is not known here, as %s and %t of a step. */
export function expandOutput(pattern: string, job: SlurmJob): string | null {
  // A backslash anywhere turns patterns off.
  if (pattern.includes('\\')) return pattern.replaceAll('\\', '');
  let known = true;
  const name = pattern.replaceAll(/%(\d*)([%A-Za-z])/g, (sign, width: string, letter: string) => {
    if (letter === '%') return '%';
    const value = signOf(letter, job);
    if (value === undefined) return sign;
    if (value === null) known = false;
    const padded = typeof value === 'number' ? Math.min(LONGEST_WIDTH, Number(width === '' ? 0 : width)) : 0;
    return String(value).padStart(padded, '0');
  });
  return known ? name : null;
}

/** Undefined: no sign of Slurm's, and left as it is. Null: not known. */
function signOf(letter: string, job: SlurmJob): string | number | null | undefined {
  switch (letter) {
    case 'A':
      return job.array?.job ?? job.number;
    case 'a':
      return job.array?.task ?? NO_TASK;
    case 'b':
      return job.array === null ? null : job.array.task % 10;
    case 'j':
      return job.number;
    case 'N':
      return job.batchHost ?? (job.nodes === null ? null : (hostsOf(job.nodes)[0] ?? null));
    case 'u':
      return job.user;
    case 'x':
      return job.name === null || job.name.includes('/') ? null : job.name;
    // Of a batch script: the node and the task are the first.
    case 'n':
    case 't':
      return 0;
    case 'J':
    case 's':
      return null;
    default:
      return undefined;
  }
}

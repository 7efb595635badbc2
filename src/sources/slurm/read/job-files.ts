// Files about jobs that a prologue left: our own, with all that slurmd knew, and those of the convention that exporters of GPU
// metrics have, one for each GPU with job ids in it.

const MAX_LINES = 64;
const MAX_VALUE = 4096;
const ID = /^[1-9]\d{0,9}$/;

export interface JobFile {
  readonly number: number;
  readonly bootId: string | null;
  readonly sluid: string | null;
  readonly user: string | null;
  readonly uid: number | null;
  readonly account: string | null;
  readonly partition: string | null;
  readonly name: string | null;
  readonly gpus: readonly number[] | null;
  readonly output: string | null;
  readonly array: { readonly job: number; readonly task: number } | null;
  readonly restarts: number | null;
}

/** Lines NAME=value; null where it is not the file of a job. */
export function jobFileOf(text: string): JobFile | null {
  const values = new Map<string, string>();
  for (const line of text.split('\n', MAX_LINES)) {
    const at = line.indexOf('=');
    // A user chooses the last of them, and might write further lines: the first of a name counts.
    if (at > 0 && !values.has(line.slice(0, at)) && /^[A-Z][A-Z0-9_]*$/.test(line.slice(0, at)))
      values.set(line.slice(0, at), line.slice(at + 1, at + 1 + MAX_VALUE));
  }
  const word = (key: string): string | null => values.get(key) || null;
  const count = (key: string): number | null =>
    /^\d{1,10}$/.test(values.get(key) ?? '') ? Number(values.get(key)) : null;
  const id = values.get('SLURM_JOB_ID') ?? '';
  if (!ID.test(id)) return null;
  const [arrayJob, arrayTask] = [count('SLURM_ARRAY_JOB_ID'), count('SLURM_ARRAY_TASK_ID')];
  return {
    number: Number(id),
    bootId: word('BOOT_ID'),
    sluid: word('SLURM_JOB_SLUID'),
    user: word('SLURM_JOB_USER'),
    uid: count('SLURM_JOB_UID'),
    account: word('SLURM_JOB_ACCOUNT'),
    partition: word('SLURM_JOB_PARTITION'),
    name: word('SLURM_JOB_NAME'),
    gpus: indicesOf(values.get('SLURM_JOB_GPUS') ?? ''),
    output: word('SLURM_JOB_STDOUT'),
    array: arrayJob === null || arrayTask === null ? null : { job: arrayJob, task: arrayTask },
    restarts: count('SLURM_JOB_RESTART_COUNT') ?? count('SLURM_RESTART_COUNT'),
  };
}

function indicesOf(text: string): number[] | null {
  return /^\d{1,4}(,\d{1,4})*$/.test(text) ? text.split(',').map(Number) : null;
}

/** Of a file named "0" or "0.3" (an instance): the GPU's index. Null for an instance and any other name. */
export function mappedGpu(name: string): number | null {
  return /^\d{1,4}$/.test(name) ? Number(name) : null;
}

/** Raw numbers of jobs, one a line. */
export function mappedJobs(text: string): number[] {
  return text.split('\n', MAX_LINES).flatMap((line) => (ID.test(line.trim()) ? [Number(line.trim())] : []));
}

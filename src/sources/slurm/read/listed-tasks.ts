// Reads `scontrol listpids`: which process is which task. It needs neither rights nor slurmctld.

import { documentOf } from './job-json.ts';
import { countOf, positiveOf, rowOf } from './values.ts';

const MAX_TASKS = 65_536;

export interface ListedTask {
  readonly pid: number;
  /** The raw number of the job. */
  readonly job: number;
  /** A number, or batch, extern, interactive; a part of a heterogeneous job behind a plus. */
  readonly step: string;
  /** Null of helpers: slurmstepd's own, and what runs in no task. */
  readonly localRank: number | null;
  readonly rank: number | null;
}

const STEP = /^(?:\d{1,10}|batch|extern|interactive)(?:\+\d{1,5})?$/;
const NUMBERED = /^\d/;

/** PID JOBID STEPID LOCALID GLOBALID in columns. */
export function tasksFromText(text: string): ListedTask[] {
  return text.split('\n', MAX_TASKS).flatMap((line) => taskOf(line.trim().split(/\s+/)) ?? []);
}

function taskOf([pid, job, step = '', local, global]: readonly string[]): ListedTask | null {
  const [pidOf, jobOf] = [positiveOf(pid), positiveOf(job?.split('_')[0])];
  if (pidOf === null || jobOf === null || !STEP.test(step)) return null;
  return ranked(pidOf, jobOf, step, countOf(local), countOf(global));
}

/** From 24.11 on. Null where the text is not such a document. */
export function tasksFromJson(text: string): ListedTask[] | null {
  const document = documentOf(text);
  const rows = Object.values(document ?? {}).find(
    (value): value is unknown[] => Array.isArray(value) && value.some((one) => positiveOf(rowOf(one)?.pid) !== null),
  );
  if (rows === undefined) return document === null ? null : [];
  return rows.slice(0, MAX_TASKS).flatMap((one) => {
    const row = rowOf(one);
    const [pid, job] = [positiveOf(row?.pid), positiveOf(row?.job_id)];
    const step = typeof row?.step_id === 'number' ? String(row.step_id) : String(row?.step_id ?? '').toLowerCase();
    if (pid === null || job === null || !STEP.test(step)) return [];
    return [ranked(pid, job, step, countOf(row?.local_task_id), countOf(row?.global_task_id))];
  });
}

/** A batch script and what it started without srun are task 0 to Slurm, all of them: that is not a rank. */
function ranked(pid: number, job: number, step: string, localRank: number | null, rank: number | null): ListedTask {
  return NUMBERED.test(step) ? { pid, job, step, localRank, rank } : { pid, job, step, localRank: null, rank: null };
}

// Reads jobs from `scontrol show job --json`, `squeue --json` and slurmrestd, of Slurm 22.05 (data parser 36) to 26.05 (45).

import type { ExitStatus, SlurmJob } from './job.ts';
import { countOf, positiveOf, type Row, rowOf, textOf, timeOf, wordsOf } from './values.ts';

const MAX_JOBS = 4096;
const MAX_NODES = 65_536;
/** Where resources are named, given or asked for; the list of what was given empties when the job ends. */
const RESOURCES = [
  'tres_alloc_str',
  'tres_req_str',
  'tres_per_node',
  'tres_per_job',
  'tres_per_task',
  'tres_per_socket',
];
/** NO_VAL and INFINITE of 32 bits, which older generations print for "not set". */
const NOT_SET = 0xfffffffe;

/** Null where the text is not such a document; an empty list where it has no job. */
export function jobsFromJson(text: string): SlurmJob[] | null {
  const jobs = documentOf(text)?.jobs;
  if (!Array.isArray(jobs)) return null;
  return jobs.slice(0, MAX_JOBS).flatMap((each) => jobOf(rowOf(each)) ?? []);
}

/** What its `errors` say, in words; empty where there are none. */
export function errorsInJson(text: string): string {
  const errors = documentOf(text)?.errors;
  if (!Array.isArray(errors)) return '';
  const said = errors.flatMap((each) => {
    const row = rowOf(each);
    return textOf(row?.error) ?? textOf(row?.description) ?? textOf(each) ?? [];
  });
  return said.join('; ').slice(0, 300);
}

export function documentOf(text: string): Row | null {
  try {
    return rowOf(JSON.parse(text));
  } catch {
    return null;
  }
}

function jobOf(row: Row | null): SlurmJob | null {
  const number = positiveOf(row?.job_id);
  if (row === null || number === null) return null;
  const arrayJob = positiveOf(row.array_job_id);
  const arrayTask = setOf(row.array_task_id);
  const leader = positiveOf(row.het_job_id);
  return {
    number,
    array: arrayJob === null || arrayTask === null ? null : { job: arrayJob, task: arrayTask },
    parts: leader === null ? null : { job: leader, offset: countOf(row.het_job_offset) ?? 0 },
    // Of a job that is not over within its step's id, of accounting by itself.
    sluid: textOf(row.sluid) ?? textOf(rowOf(row.step_id)?.sluid),
    name: textOf(row.name),
    user: textOf(row.user_name),
    uid: countOf(row.user_id),
    account: textOf(row.account),
    partition: textOf(row.partition),
    qos: textOf(row.qos),
    states: wordsOf(row.job_state),
    reason: reasonOf(row.state_reason),
    exit: exitOf(row.exit_code),
    restarts: countOf(row.restart_cnt),
    tasks: positiveOf(row.tasks),
    nodes: textOf(row.nodes) ?? textOf(rowOf(row.job_resources)?.nodes),
    batchHost: textOf(row.batch_host),
    failedNode: textOf(row.failed_node),
    gres: gresOf(row.gres_detail),
    hasGpus: RESOURCES.some((key) => /\b(?:gpu|shard|mps)\b/.test(textOf(row[key]) ?? '')),
    batch: row.batch_flag === true,
    output: pathOf(row.stdout_expanded, row.standard_output),
    errors: pathOf(row.stderr_expanded, row.standard_error),
    folder: textOf(row.current_working_directory),
    submittedMs: timeOf(row.submit_time),
    startedMs: timeOf(row.start_time),
    endMs: timeOf(row.end_time),
    preemptedMs: timeOf(row.preempt_time),
  };
}

function setOf(value: unknown): number | null {
  const count = countOf(value);
  return count === null || count >= NOT_SET ? null : count;
}

export function reasonOf(value: unknown): string | null {
  const text = textOf(value);
  return text === null || text === 'None' || !/^[\w.:/ -]{1,80}$/.test(text) ? null : text;
}

/** The raw status of wait(2) up to data parser 39, then its parts. */
function exitOf(value: unknown): ExitStatus | null {
  const row = rowOf(value);
  if (row === null || 'number' in row) {
    const status = setOf(value);
    return status === null ? null : { code: (status >> 8) & 0xff, signal: status & 0x7f };
  }
  const signal = rowOf(row.signal);
  return { code: countOf(row.return_code) ?? 0, signal: countOf(signal?.id ?? signal?.signal_id) ?? 0 };
}

function gresOf(value: unknown): SlurmJob['gres'] {
  const list = Array.isArray(value) ? value : [];
  return list.slice(0, MAX_NODES).map((text) => ({ nodes: null, text: textOf(text) ?? '' }));
}

function pathOf(expanded: unknown, written: unknown): SlurmJob['output'] {
  const path = textOf(expanded);
  if (path !== null) return { path, expanded: true };
  const asWritten = textOf(written);
  return asWritten === null ? null : { path: asWritten, expanded: false };
}

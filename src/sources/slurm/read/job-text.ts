// Reads jobs from `scontrol --details show job`, the form of Slurm before 23.02 and of a build without JSON.

import type { SlurmJob } from './job.ts';
import { reasonOf } from './job-json.ts';
import { type TextRecord, textRecords } from './text-record.ts';
import { wordsOf } from './values.ts';

const RESOURCES = [
  'AllocTRES',
  'ReqTRES',
  'TRES',
  'JOB_GRES',
  'TresPerNode',
  'TresPerJob',
  'TresPerTask',
  'TresPerSocket',
];
/** The first key whose value a user chooses. */
const NAME = 'JobName';

export function jobsFromText(text: string): SlurmJob[] {
  return textRecords(text, 'JobId').flatMap((record) => jobOf(record) ?? []);
}

function jobOf(record: TextRecord): SlurmJob | null {
  const number = digitsOf(record.textBefore(NAME, 'JobId'));
  if (number === null) return null;
  const arrayJob = digitsOf(record.textBefore(NAME, 'ArrayJobId'));
  const arrayTask = digitsOf(record.textBefore(NAME, 'ArrayTaskId'));
  const leader = digitsOf(record.textBefore(NAME, 'HetJobId'));
  const user = /^([^\s()]{1,64})\((\d{1,10})\)$/.exec(record.text('UserId') ?? '');
  const exit = /^(\d{1,5}):(\d{1,3})$/.exec(record.text('ExitCode') ?? '');
  const output = record.text('StdOut');
  const errors = record.text('StdErr');
  return {
    number,
    array: arrayJob === null || arrayTask === null ? null : { job: arrayJob, task: arrayTask },
    parts: leader === null ? null : { job: leader, offset: digitsOf(record.textBefore(NAME, 'HetJobOffset')) ?? 0 },
    sluid: record.textBefore(NAME, 'SLUID'),
    name: record.text(NAME),
    user: user?.[1] ?? null,
    uid: user?.[2] === undefined ? null : Number(user[2]),
    account: record.text('Account'),
    partition: record.text('Partition'),
    qos: record.text('QOS'),
    states: wordsOf(record.text('JobState')),
    reason: reasonOf(record.text('Reason')),
    exit: exit === null ? null : { code: Number(exit[1]), signal: Number(exit[2]) },
    restarts: record.count('Restarts'),
    tasks: record.count('NumTasks') || null,
    nodes: record.text('NodeList'),
    batchHost: record.text('BatchHost'),
    // A key that is not always there could be part of a name.
    failedNode: null,
    gres: gresOf(record),
    hasGpus: RESOURCES.some((key) => /\b(?:gpu|shard|mps)\b/.test(record.text(key) ?? '')),
    batch: record.text('BatchFlag') === '1',
    // Up to 24.05 only %A %a %j %u %x are replaced, and none with a width.
    output: output === null ? null : { path: output, expanded: false },
    errors: errors === null ? null : { path: errors, expanded: false },
    folder: record.text('WorkDir'),
    submittedMs: record.time('SubmitTime'),
    startedMs: record.time('StartTime'),
    endMs: record.time('EndTime'),
    preemptedMs: record.time('PreemptTime'),
  };
}

/** "JOB_GRES=gpu:4", then for each share "Nodes=n[1-2] CPU_IDs=0-1 Mem=0 GRES=gpu:2(IDX:0-1)". */
function gresOf(record: TextRecord): SlurmJob['gres'] {
  const shares: { nodes: string | null; text: string }[] = [];
  let nodes: string | null = null;
  for (const { key, value } of record.between('NodeList', 'WorkDir')) {
    if (key === 'Nodes') nodes = value;
    if (key === 'GRES' && nodes !== null) shares.push({ nodes, text: value });
  }
  return shares;
}

function digitsOf(text: string | null): number | null {
  return text !== null && /^\d{1,10}$/.test(text) ? Number(text) : null;
}

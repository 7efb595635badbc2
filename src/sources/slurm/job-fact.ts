// The fact that the identity room gets of a job: what slurmctld, the list of tasks and a prologue's file say together.

import type { ScheduledJobFact } from '../../identity/work/facts.ts';
import { gpusOn, sharesGpus } from './read/gres.ts';
import { jobId, type SlurmJob } from './read/job.ts';
import type { JobFile } from './read/job-files.ts';
import { outputPaths, stepOutputPaths } from './read/output-path.ts';
import type { SrunOutput } from './read/srun-options.ts';
import type { TrackedJob } from './states/tracker.ts';

/** From this release on `task_K` counts over the whole job. */
const GLOBAL_TASKS = 2405;

export interface FactContext {
  /** What Slurm calls this host. */
  readonly node: string;
  /** What it calls itself, where that is another name. */
  readonly hostName: string | null;
  /** 2205 of 22.05; null where it is not known. */
  readonly release: number | null;
  /** What is asked about jobs: "scontrol show job", "slurmrestd". */
  readonly asked: string;
  readonly file: JobFile | null;
  /** By the convention of exporters. */
  readonly mapped: readonly number[] | null;
  /** Slurm gives this node's GPUs to jobs. */
  readonly nodeHasGpus: boolean;
  /** Of the sruns that run steps of it from this host. */
  readonly sruns: readonly SrunOutput[];
}

export function jobFact({ number, record, tasks, isOver }: TrackedJob, context: FactContext): ScheduledJobFact {
  const { file, mapped, node, hostName, release, asked, nodeHasGpus, sruns } = context;
  // Which of its names files carry has changed over the releases.
  const nodes = hostName === null || hostName === node ? [node] : [node, hostName];
  const array = record?.array ?? file?.array ?? null;
  const id = jobId({ number, array });
  const isGivenNone = nodeHasGpus && record !== null && record.nodes !== null && !record.hasGpus;
  const sources = [
    record === null ? [] : [asked],
    tasks.length === 0 ? [] : ['scontrol listpids'],
    file === null ? [] : ["the prologue's file"],
  ].flat();
  return {
    manager: 'slurm',
    id,
    aliases: aliasesOf(number, id, record, file),
    name: record?.name ?? file?.name ?? null,
    user: record?.user ?? file?.user ?? null,
    userId: record?.uid ?? file?.uid ?? null,
    account: record?.account ?? file?.account ?? null,
    queue: record?.partition ?? file?.partition ?? null,
    states: record?.states ?? [],
    // They may be another job's already.
    gpus: isOver
      ? null
      : ((record === null ? null : gpusOn(node, record)) ?? file?.gpus ?? mapped ?? (isGivenNone ? [] : null)),
    sharesGpus: record !== null && sharesGpus(record),
    tasks: tasks.map(({ pid, step, rank, localRank }) => ({ pid, step, rank, localRank })),
    taskGroupsAreGlobal: release !== null && release >= GLOBAL_TASKS,
    worldSize: record?.tasks ?? null,
    logs:
      record === null
        ? logOf(file)
        : [...new Set([...outputPaths(record, nodes), ...stepOutputPaths(record, nodes, tasks, sruns)])],
    restarts: record?.restarts ?? file?.restarts ?? null,
    startedMs: record?.startedMs ?? null,
    isOver,
    knownBy: sources.length === 0 ? 'control group' : sources.join(' and '),
  };
}

function aliasesOf(number: number, id: string, record: SlurmJob | null, file: JobFile | null): string[] {
  const parts = record?.parts ?? null;
  const others = [String(number), record?.sluid, file?.sluid, parts === null ? null : `${parts.job}+${parts.offset}`];
  return [...new Set(others.filter((name) => typeof name === 'string' && name !== id))].map(String);
}

/** Already expanded by slurmd, where it is a whole path. */
function logOf(file: JobFile | null): string[] {
  const path = file?.output ?? null;
  return path === null || !path.startsWith('/') || path === '/dev/null' || path.includes('%') ? [] : [path];
}

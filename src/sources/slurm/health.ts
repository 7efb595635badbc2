// What `doctor` says of Slurm: what is known here, by what, and what is lost without the rest.

import type { SourceHealth } from '../source.ts';
import type { Installation } from './find/installation.ts';
import type { SlurmNode } from './read/node.ts';
import { isDrained } from './read/node.ts';
import { SOURCE } from './states/job-events.ts';
import type { TrackedJob } from './states/tracker.ts';

export interface SlurmState {
  readonly installation: Installation | null;
  readonly release: string | null;
  /** As reports name what is asked about jobs. */
  readonly asked: string;
  readonly jobs: readonly TrackedJob[];
  readonly node: SlurmNode | null;
  /** Why there was no answer last time; null where there was one. */
  readonly noTasks: string | null;
  readonly noJobs: string | null;
  readonly doubts: readonly string[];
  readonly folders: readonly string[];
}

const NOT_HERE = 'no Slurm on this host: neither slurmd, slurm.conf nor scontrol';

export function slurmHealth(state: SlurmState): SourceHealth {
  const { installation, release, node, noTasks, noJobs } = state;
  const jobs = state.jobs.filter(({ isOver }) => !isOver);
  const health = (status: SourceHealth['status'], detail: string, remedy: string | null): SourceHealth => ({
    source: SOURCE,
    status,
    detail,
    remedy,
    notes: notesOf(state),
  });
  if (installation === null) return { source: SOURCE, status: 'absent', detail: NOT_HERE, remedy: null };
  if (installation.programs === null)
    return health(
      'partial',
      'Slurm is here, and no scontrol that may be run: jobs are known by their control groups only, without user, ranks of older releases and how they end',
      'set sources.slurm.programs to the folder of scontrol, with programs that only root can change',
    );
  const counts = `${jobs.length} ${jobs.length === 1 ? 'job' : 'jobs'}, ${jobs.reduce((sum, { tasks }) => sum + tasks.filter(({ rank }) => rank !== null).length, 0)} tasks`;
  const parts = [`Slurm ${release ?? '(release not known yet)'}, node ${installation.node}: ${counts}`];
  if (node !== null && isDrained(node)) parts.push(`drained: ${node.reason ?? 'no reason given'}`);
  if (noJobs !== null)
    return health(
      'partial',
      [...parts, `users, devices and ends of jobs are not known: ${noJobs}`].join('; '),
      'check that this host reaches slurmctld: scontrol ping; behind munge, that munged runs here',
    );
  if (noTasks !== null)
    return health(
      'partial',
      [...parts, `ranks of jobs are not known by Slurm: ${noTasks}`].join('; '),
      `let the service see ${installation.spool}, where slurmd runs: scontrol listpids`,
    );
  return health('works', parts.join('; '), null);
}

function notesOf({ installation, asked, jobs, doubts, folders }: SlurmState): string[] {
  if (installation === null) return [];
  const { programs, conf, isPrivate, slurmd } = installation;
  const hidden = jobs.filter(({ isHidden }) => isHidden).length;
  return [
    programs === null ? [] : [`tasks: ${programs}/scontrol listpids, without slurmctld and without rights`],
    [`jobs: ${asked}, once when a job appears and at its end`],
    [`configuration: ${conf ?? "found by Slurm's own programs"}`],
    slurmd === null ? ['slurmd: not found by its pid file or its service'] : [],
    folders.map((folder) => `files of a prologue: ${folder}`),
    isPrivate
      ? ['PrivateData=jobs: jobs of other users are known by control group and tasks; name, output and end are not']
      : [],
    hidden > 0 && !isPrivate ? [`Slurm does not show ${hidden} of the jobs that are here`] : [],
    doubts,
  ].flat();
}

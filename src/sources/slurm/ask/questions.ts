// Questions: what the slurm source asks of Slurm, whoever answers: its programs, or slurmrestd.

import type { SlurmJob } from '../read/job.ts';
import type { ListedTask } from '../read/listed-tasks.ts';
import type { SlurmNode } from '../read/node.ts';
import type { Reservation } from '../read/reservation.ts';

/** gone: Slurm knows no such job, or does not show it to us. */
export type JobAnswer = { readonly job: SlurmJob } | 'gone';

/** Each rejects with why there is no answer, in words for operators. */
export interface ControllerQuestions {
  job(number: number): Promise<JobAnswer>;
  node(name: string): Promise<SlurmNode | null>;
  /** Raw numbers of the jobs that have this node. */
  jobsOf(node: string): Promise<readonly number[]>;
  reservations(): Promise<readonly Reservation[]>;
}

export interface LocalQuestions {
  tasks(): Promise<readonly ListedTask[]>;
}

/** Which of the jobs in an answer was asked for: a heterogeneous job and an array may come whole. */
export function jobNumbered(jobs: readonly SlurmJob[], number: number): JobAnswer {
  const job = jobs.find((each) => each.number === number);
  return job === undefined ? 'gone' : { job };
}

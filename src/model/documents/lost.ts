// Lost document: `faultline/lost/1`, the GPU-hours that the jobs of a host had and lost, by job, user and cause.

import type { Kind } from '../kind.ts';

export const LOST_SCHEMA = 'faultline/lost/1';

export interface LostDocument {
  readonly schema: typeof LOST_SCHEMA;
  readonly since: string;
  readonly until: string;
  readonly jobs: readonly JobLostDocument[];
  readonly users: readonly (Sums & { readonly user: string | null })[];
  /** What could not be decided is not one of them. */
  readonly causes: readonly LostToDocument[];
  readonly sum: Sums;
  /** What must be known to read the numbers. */
  readonly notes: readonly string[];
}

export interface Sums {
  /** GPU-hours that jobs had GPUs of this host. */
  readonly held_gpu_hours: number;
  readonly lost_gpu_hours: number;
  /** Lost to what has no known root. */
  readonly undecided_gpu_hours: number;
  /** By Slurm's accounting, on this host; null where none was given. */
  readonly accounted_gpu_hours: number | null;
  /** Accounted, and not seen here: whether anything of it was lost could not be decided either. */
  readonly unseen_gpu_hours: number | null;
  /** Held against accounted, in per cent; null where nothing is accounted. */
  readonly difference_percent: number | null;
}

export interface JobLostDocument extends Sums {
  /** Null for devices that worked for no job that is known. */
  readonly job: string | null;
  readonly aliases: readonly string[];
  readonly manager: string | null;
  readonly name: string | null;
  readonly user: string | null;
  readonly account: string | null;
  /** As the accounting has it: FAILED, NODE_FAIL, …; null where none was given. */
  readonly state: string | null;
  readonly lost_to: readonly LostToDocument[];
}

export interface LostToDocument {
  /** Null: what it was could not be decided. */
  readonly cause: Kind | null;
  readonly gpu_hours: number;
  /** Of these so much is work since the last checkpoint, which is to be done again. */
  readonly again_gpu_hours: number;
  readonly incidents: readonly string[];
}

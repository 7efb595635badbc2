// Changes of the host itself, of the daemon on it, and of a job's numbers; accuracy runs only.

export interface HostChanges {
  /** Shares of space and of inodes. */
  readonly filesystem?: { readonly path: string; readonly used?: number; readonly inodes?: number };
  readonly pressure?: { readonly resource: 'cpu' | 'memory' | 'io'; readonly some?: number; readonly full?: number };
  readonly cpu_load?: {
    readonly utilization?: number;
    readonly iowait?: number;
    readonly steal?: number;
    readonly load?: number;
    readonly blocked?: number;
  };
  readonly host_memory?: { readonly used: number };
  /** Share of time that a package spends slowed down by heat. */
  readonly cpu_throttle?: { readonly package: number | 'all'; readonly share: number };
  /** A process is known to run, on a GPU or as a rank. */
  readonly process?: {
    readonly pid: number;
    readonly name?: string;
    readonly gpu?: number | string;
    readonly rank?: string;
  };
  /** A disk or a memory module is gone; of modules firmware says so from the next reboot on. */
  readonly part_missing?: { readonly part: 'disk' | 'dimm'; readonly number: number };
  /** The job has done all its steps and says so. */
  readonly job_end?: { readonly job: string };
  /** The process of a rank ends, and the launcher says how; no signal and no code: by SIGKILL. */
  readonly rank_end?: {
    readonly job: string;
    readonly rank: number;
    readonly signal?: number;
    readonly code?: number;
    readonly pid?: number;
    readonly launcher?: 'torchrun' | 'srun' | 'mpirun' | 'none';
  };
  /** The daemon reads nothing while this lasts. */
  readonly agent_gap?: object;
  /** It is away while this lasts, and takes up its open incidents. */
  readonly agent_restart?: object;
  readonly reboot?: { readonly orderly?: boolean };
  /** Numbers that the job writes. */
  readonly job_numbers?: {
    readonly job: string;
    readonly loss?: number | 'nan' | 'inf';
    readonly grad_norm?: number | 'nan' | 'inf';
    readonly nan_iterations?: number;
    readonly skipped_iterations?: number;
    readonly tflops?: number;
  };
}

export const HOST_NAMES = [
  'filesystem',
  'pressure',
  'cpu_load',
  'host_memory',
  'cpu_throttle',
  'process',
  'part_missing',
  'job_end',
  'rank_end',
  'agent_gap',
  'agent_restart',
  'reboot',
  'job_numbers',
] as const satisfies readonly (keyof HostChanges)[];

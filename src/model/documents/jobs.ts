// Documents about whose work is on a host: `faultline/jobs/1`, the jobs, and `faultline/devices/1`, who has each device.

export const JOBS_SCHEMA = 'faultline/jobs/1';
export const DEVICES_SCHEMA = 'faultline/devices/1';

export interface JobsDocument extends Known {
  readonly schema: typeof JOBS_SCHEMA;
  readonly jobs: readonly JobDocument[];
}

export interface DevicesDocument extends Known {
  readonly schema: typeof DEVICES_SCHEMA;
  readonly devices: readonly DeviceDocument[];
}

/** How well all this is known. */
export interface Known {
  readonly host: string;
  readonly time: string;
  /** Facts that speak against each other; nothing was joined for them. */
  readonly conflicts: readonly { readonly about: string; readonly reason: string }[];
  /** Sources of this knowledge that do not work, or only in part: why, and the line that fixes it. */
  readonly lacking: readonly LackingDocument[];
}

export interface LackingDocument {
  readonly source: string;
  readonly status: string;
  readonly detail: string;
  readonly remedy: string | null;
}

export interface JobDocument {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly manager: string;
  readonly name: string | null;
  readonly user: string | null;
  readonly account: string | null;
  readonly queue: string | null;
  readonly attempt: number | null;
  readonly started_at: string | null;
  /** Of the scheduler: a number, batch, extern. */
  readonly scheduler_step: string | null;
  /** Of the training, as its log printed it last; null where no log is read. */
  readonly training_step: {
    readonly iteration: number;
    readonly step_time_ms: number | null;
    readonly time: string;
  } | null;
  readonly world_size: number | null;
  readonly ranks: readonly RankDocument[];
  /** Devices that it has on this host, in the text form of a component. */
  readonly devices: readonly string[];
  readonly pods: readonly PodDocument[];
  /** `confidence`: from 0 to 1, by what says it; a daemon of before has none. */
  readonly framework: { readonly name: string; readonly known_by: string; readonly confidence?: number } | null;
  readonly logs: readonly { readonly path: string; readonly known_by: string }[];
  /** Where `wandb` or `tensorboard` record it, by name: nothing in them is read. Left out by releases before it. */
  readonly run_folders?: readonly { readonly tool: string; readonly path: string; readonly known_by: string }[];
  readonly known_by: readonly string[];
}

export interface RankDocument {
  readonly rank: number;
  readonly local_rank: number | null;
  readonly pid: number | null;
  readonly gpus: readonly string[];
  readonly nics: readonly string[];
  readonly pod: string | null;
  readonly role: string | null;
  readonly known_by: string;
}

export interface PodDocument {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly container: string | null;
}

export interface DeviceDocument {
  readonly device: string;
  /** "gpu 0", UUID, mlx5_0, ib0: as the driver calls it. */
  readonly aliases: readonly string[];
  /** Empty while it is idle. */
  readonly uses: readonly DeviceUseDocument[];
}

export interface DeviceUseDocument {
  /** As in `faultline/jobs/1`; null where a process or pod without a known job has it. */
  readonly job: string | null;
  readonly manager: string | null;
  readonly name: string | null;
  readonly user: string | null;
  readonly ranks: readonly number[];
  readonly pod: PodDocument | null;
  /** Its part of all that share the device, 0 to 1. */
  readonly share: number;
  readonly known_by: string;
}

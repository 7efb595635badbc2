// SlurmJob: what slurmctld says of a job, whichever generation, JSON or text, said it.

/** How a job, or its batch script, ended. */
export interface ExitStatus {
  readonly code: number;
  /** 0 where no signal ended it. */
  readonly signal: number;
}

export interface SlurmJob {
  /** The raw number, which each task of an array has of its own. */
  readonly number: number;
  readonly array: { readonly job: number; readonly task: number } | null;
  /** Of a heterogeneous job: the leader's number and which part this is. */
  readonly parts: { readonly job: number; readonly offset: number } | null;
  readonly sluid: string | null;
  readonly name: string | null;
  readonly user: string | null;
  readonly uid: number | null;
  readonly account: string | null;
  readonly partition: string | null;
  readonly qos: string | null;
  /** Base state and flags in Slurm's words, upper case. */
  readonly states: readonly string[];
  /** Why it is in this state: TimeLimit, NonZeroExitCode, NodeDown; null where there is no reason. */
  readonly reason: string | null;
  readonly exit: ExitStatus | null;
  readonly restarts: number | null;
  /** Of the tasks that were asked for; null where it is not known. */
  readonly tasks: number | null;
  /** Host list as written: n[1-3]; null until it has nodes. */
  readonly nodes: string | null;
  readonly batchHost: string | null;
  /** The node whose failure ended it. */
  readonly failedNode: string | null;
  /** Generic resources given to it, one text a node in the order of `nodes`: gpu:4(IDX:0-3). */
  readonly gres: readonly { readonly nodes: string | null; readonly text: string }[];
  /** It has, or asked for, GPUs. */
  readonly hasGpus: boolean;
  readonly batch: boolean;
  /** As users wrote it, with %j and kin, unless `expanded`. */
  readonly output: { readonly path: string; readonly expanded: boolean } | null;
  readonly errors: { readonly path: string; readonly expanded: boolean } | null;
  readonly folder: string | null;
  /** Epoch ms. */
  readonly submittedMs: number | null;
  readonly startedMs: number | null;
  /** Of a job that ended: when its end was decided. Of one that runs: when its time is over. */
  readonly endMs: number | null;
  readonly preemptedMs: number | null;
}

/** As users write it. */
export function jobId({ number, array }: Pick<SlurmJob, 'number' | 'array'>): string {
  return array === null ? String(number) : `${array.job}_${array.task}`;
}

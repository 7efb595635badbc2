// Job run: that a job had GPUs of this host, from when to when, and how many GPU-hours that were; what losses are held against.

export interface JobRun {
  /** The same for one attempt of one job, over restarts of the daemon. */
  readonly id: string;
  readonly host: string;
  /** As in component job/<id>. */
  readonly job: string;
  readonly aliases: readonly string[];
  readonly manager: string;
  readonly name: string | null;
  readonly user: string | null;
  readonly account: string | null;
  readonly queue: string | null;
  readonly attempt: number | null;
  readonly startedMs: number;
  /** Up to when it is known that it had them. */
  readonly seenMs: number;
  /** Null while it runs. */
  readonly endedMs: number | null;
  /** GPUs of this host, or instances of them; one that it shares counts in part. */
  readonly gpus: number;
  /** Over its life, up to `seenMs`. */
  readonly gpuHours: number;
  /** When its log said last that a checkpoint was saved; null where it never did. */
  readonly savedMs: number | null;
}

// Job run document: `faultline/job-run/1`, a line of the incident log; the newest of an id counts.

import type { JobRun } from '../job-run.ts';
import * as read from './fields.ts';
import { computedTime } from './fields.ts';

export const JOB_RUN_SCHEMA = 'faultline/job-run/1';

export interface JobRunDocument {
  readonly schema: typeof JOB_RUN_SCHEMA;
  readonly id: string;
  readonly host: string;
  readonly job: string;
  readonly aliases: readonly string[];
  readonly manager: string;
  readonly name: string | null;
  readonly user: string | null;
  readonly account: string | null;
  readonly queue: string | null;
  readonly attempt: number | null;
  readonly started_at: string;
  readonly seen_at: string;
  readonly ended_at: string | null;
  readonly gpus: number;
  readonly gpu_hours: number;
  readonly saved_at: string | null;
}

export function jobRunToDocument(run: JobRun): JobRunDocument {
  const { startedMs, seenMs, endedMs, savedMs, gpuHours, ...rest } = run;
  return {
    schema: JOB_RUN_SCHEMA,
    ...rest,
    started_at: computedTime(startedMs),
    seen_at: computedTime(seenMs),
    ended_at: endedMs === null ? null : computedTime(endedMs),
    gpu_hours: Math.round(gpuHours * 1e6) / 1e6,
    saved_at: savedMs === null ? null : computedTime(savedMs),
  };
}

/** Null when anything that a run needs is missing or of the wrong type. */
export function jobRunFromDocument(document: unknown): JobRun | null {
  return read.orNull(() => {
    const from = read.fields(document);
    read.oneOf(from.schema, [JOB_RUN_SCHEMA]);
    const timeOrNull = (value: unknown) => (value === null || value === undefined ? null : read.timeMs(value));
    return {
      id: read.name(from.id),
      host: read.text(from.host),
      job: read.name(from.job),
      aliases: read.listOrEmpty(from.aliases, read.text),
      manager: read.text(from.manager),
      name: read.textOrNull(from.name),
      user: read.textOrNull(from.user),
      account: read.textOrNull(from.account),
      queue: read.textOrNull(from.queue),
      attempt: read.numberOrNull(from.attempt),
      startedMs: read.timeMs(from.started_at),
      seenMs: read.timeMs(from.seen_at),
      endedMs: timeOrNull(from.ended_at),
      gpus: read.number(from.gpus),
      gpuHours: read.number(from.gpu_hours),
      savedMs: timeOrNull(from.saved_at),
    };
  });
}

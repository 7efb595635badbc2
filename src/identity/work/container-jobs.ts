// Which job of a scheduler a container without Kubernetes belongs to: a runtime that starts it by a daemon takes it out of the job's
// control groups, so that only its variables name the job, and its processes may be root's.

import type { BatchNames } from './batch-names.ts';
import { gpuOfIndex } from './device-names.ts';
import type { Facts, ProcessFact } from './facts.ts';
import { type Seen, seenOn } from './seen.ts';

/** Container → the key of the job. */
export type ContainerJobs = ReadonlyMap<string, string>;

/**
 * By a process in it of the job's own user that names the job. Of root's, who may be any user that may start containers, where the
 * GPUs that they hold are the job's: what an environment says alone joins nothing of another user.
 */
export function containerJobs(facts: Pick<Facts, 'processes' | 'gpus'>, batch: BatchNames): ContainerJobs {
  const inside = facts.processes.filter(
    ({ place }) => place.container !== null && place.pod === null && place.batch === null,
  );
  const seen = inside.length === 0 ? new Map<number, string[]>() : seenOn(facts.gpus);
  const jobs = new Map<string, string>();
  for (const [container, processes] of Map.groupBy(inside, ({ place }) => place.container ?? '')) {
    const named = new Set(processes.flatMap((process) => jobOf(process, processes, { facts, batch, seen }) ?? []));
    const [job] = named;
    if (job !== undefined && named.size === 1) jobs.set(container, job);
  }
  return jobs;
}

interface Known {
  readonly facts: Pick<Facts, 'gpus'>;
  readonly batch: BatchNames;
  readonly seen: Seen;
}

function jobOf(process: ProcessFact, all: readonly ProcessFact[], { facts, batch, seen }: Known): string | null {
  const says = batch.bySaying(process);
  if (says === null) return null;
  const key = `${says.manager}/${says.id}`;
  if (!says.ofOthers) return `batch/${key}`;
  if (process.owner[0] !== 0) return null;
  const given = new Set((batch.facts.get(key)?.gpus ?? []).map((index) => gpuOfIndex(index, facts.gpus)));
  const held = all.flatMap(({ pid }) => seen.get(pid) ?? []);
  return held.length > 0 && held.every((gpu) => given.has(`gpu/${gpu}`)) ? `batch/${key}` : null;
}

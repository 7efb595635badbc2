// Claims: to which job each process belongs by itself, as a key. What the kernel or a scheduler says goes before what the
// process says; where nothing does, those that one launcher started belong together.

import { RANK_MARKERS } from '../rank/variables.ts';
import type { BatchNames } from './batch-names.ts';
import type { ContainerJobs } from './container-jobs.ts';
import type { PodFact, ProcessFact } from './facts.ts';
import type { WorkConflict } from './work.ts';

const MAX_ANCESTORS = 32;

export interface Claim {
  readonly key: string;
  /** The kernel or a scheduler says so: two of these are never one job. */
  readonly strong: boolean;
}

export interface ClaimContext {
  readonly batch: BatchNames;
  /** By pid. */
  readonly processes: ReadonlyMap<number, ProcessFact>;
  /** Uid or hash of a pod, as its control group has it → the pod. */
  readonly pods: ReadonlyMap<string, PodFact>;
  readonly holdsGpu: ReadonlySet<number>;
  readonly containers: ContainerJobs;
}

/** A key in words. */
export function calledKey(key: string): string {
  const [kind, ...rest] = key.split('/');
  if (kind === 'batch') return `${rest[0]} job ${rest.slice(1).join('/').replace('#', ' as user ')}`;
  if (kind === 'owner') return `${rest[1]} ${rest[0]}/${rest[2]}`;
  if (kind === 'pod') return `pod ${rest.join('/')}`;
  if (kind === 'pod-uid') return `pod ${rest[0]}`;
  if (kind === 'container') return `container ${rest[0]?.slice(0, 12)}`;
  return kind === 'run' || kind === 'pmix' ? `launch ${rest.slice(1).join('/')}` : `process ${rest[1]}`;
}

/** What a pod is a part of: its owner's work, or nothing but itself. */
export function podJob(pod: PodFact, batch: BatchNames): string {
  if (pod.batchJob !== null) return `batch/slurm/${batch.id({ manager: 'slurm', id: pod.batchJob })}`;
  const { owner, namespace, name } = pod;
  return owner === null ? `pod/${namespace}/${name}` : `owner/${namespace}/${owner.kind}/${owner.name}`;
}

/** What of it is not what it seems goes to `conflicts`. */
export function claimOf(process: ProcessFact, context: ClaimContext, conflicts: WorkConflict[]): Claim {
  const { batch, pods } = context;
  const [sure, says] = [batch.surely(process), batch.bySaying(process)];
  if (sure !== null) {
    if (says?.manager === sure.manager && says.id !== sure.id)
      conflicts.push({
        about: `process ${process.pid}`,
        reason: `it is in the control group of ${sure.manager} job ${sure.id}, and its environment says ${says.id}: the control group counts`,
      });
    return { key: `batch/${sure.manager}/${sure.id}`, strong: true };
  }
  const { pod: uid, container } = process.place;
  // A scheduler's daemon that runs in a pod, without groups of its own.
  if (says !== null && !says.ofOthers && (uid === null || batch.facts.has(`${says.manager}/${says.id}`)))
    return { key: `batch/${says.manager}/${says.id}`, strong: true };
  if (uid !== null) {
    const pod = pods.get(uid);
    return { key: pod === undefined ? `pod-uid/${uid}` : podJob(pod, batch), strong: true };
  }
  if (container !== null) return { key: context.containers.get(container) ?? `container/${container}`, strong: true };
  if (says !== null) return { key: `batch/${says.manager}/${says.id}#${process.owner[0]}`, strong: true };
  return { key: launchOf(process, context), strong: false };
}

/** Ranks of one user that have the same run id, or the same parent. */
function launchOf(process: ProcessFact, { processes, holdsGpu }: ClaimContext): string {
  let top = process;
  for (let steps = 0; steps < MAX_ANCESTORS; steps += 1) {
    const parent = processes.get(top.parent);
    if (parent === undefined || parent.owner[0] !== process.owner[0] || parent.startTicks > top.startTicks) break;
    if (parent.launcher === null && !isRank(parent) && !holdsGpu.has(parent.pid)) break;
    // A launcher's own group is the group of what it starts.
    top = parent;
    if (top.launcher !== null) break;
  }
  const user = process.owner[0];
  const { TORCHELASTIC_RUN_ID: run, PMIX_NAMESPACE: namespace } = process.variables;
  if (run !== undefined && run !== 'none' && /^[^\s/\p{C}]{1,128}$/u.test(run)) return `run/${user}/${run}`;
  if (namespace !== undefined && /^[\w.@-]{1,128}$/.test(namespace)) return `pmix/${user}/${namespace}`;
  if (top.launcher !== null) return `launch/${user}/${top.pid}`;
  return isRank(top) && top.parent > 1 ? `launch/${user}/${top.parent}` : `process/${user}/${top.pid}`;
}

/** By its variables, or a title that numbers it. */
export function isRank({ variables, launcher, said }: ProcessFact): boolean {
  return launcher === null && (said?.titleRank != null || RANK_MARKERS.some((name) => variables[name] !== undefined));
}

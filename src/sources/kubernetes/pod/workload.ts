// Workload: what a pod belongs to by its own labels: topmost owner, queue, user, attempt. No owner is ever asked for.

import { WORKLOADS } from './kept-names.ts';
import type { Pod } from './pod.ts';

const { owners, queues, users, attempts, batch_jobs: batchJobs, indexes } = WORKLOADS;

export interface Workload {
  readonly owner: { readonly kind: string; readonly name: string } | null;
  readonly queue: string | null;
  readonly user: string | null;
  readonly attempt: number | null;
  readonly batchJob: string | null;
}

/** `userLabels`: asked before the catalogue's. */
export function workloadOf(pod: Pod, userLabels: readonly string[] = []): Workload {
  const attempt = first(pod, attempts);
  return {
    owner: ownerOf(pod),
    queue: first(pod, queues),
    user: first(pod, [...userLabels, ...users]),
    attempt: attempt !== null && /^\d{1,6}$/.test(attempt) ? Number(attempt) : null,
    batchJob: first(pod, batchJobs),
  };
}

/** Variables of a container with what the labels say of the pod's place, where its specification does not. */
export function placedVariables(pod: Pod, own: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { variable, name } of indexes) {
    const value = own[variable] === undefined ? textOf(pod, name) : null;
    if (value !== null && /^\d{1,7}$/.test(value)) found[variable] = value;
  }
  return { ...found, ...own };
}

/** The owner that its labels name: those run jobs, while a mere controller may run anything. */
export function labelledOwner(pod: Pod): Workload['owner'] {
  for (const { kind, name, where = {} } of owners) {
    const called = textOf(pod, name);
    if (called !== null && fits(pod, where)) return { kind, name: called };
  }
  return null;
}

function ownerOf(pod: Pod): Workload['owner'] {
  const labelled = labelledOwner(pod);
  if (labelled !== null) return labelled;
  const { controller } = pod;
  if (controller === null) return null;
  // A Deployment's pods name only the set of its present version.
  const hash = textOf(pod, 'pod-template-hash');
  const isVersion = controller.kind === 'ReplicaSet' && hash !== null && controller.name.endsWith(`-${hash}`);
  if (isVersion) return { kind: 'Deployment', name: controller.name.slice(0, -hash.length - 1) };
  // A static pod's controller is the node itself.
  return controller.kind === 'Node' ? null : controller;
}

function fits(pod: Pod, where: Readonly<Record<string, string>>): boolean {
  return Object.entries(where).every(([name, wanted]) => {
    const value = textOf(pod, name);
    return value !== null && (wanted === '' || value === wanted);
  });
}

function first(pod: Pod, names: readonly string[]): string | null {
  for (const name of names) {
    const value = textOf(pod, name);
    if (value !== null) return value;
  }
  return null;
}

function textOf({ labels, annotations }: Pod, name: string): string | null {
  return labels[name] ?? annotations[name] ?? null;
}

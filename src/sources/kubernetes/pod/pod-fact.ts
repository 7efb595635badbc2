// Pod fact: a pod with the devices that kubelet gave to it and its containers' logs, as identity takes it.

import { join } from 'node:path';
import type { PodContainer, PodDevice, PodFact } from '../../../identity/work/facts.ts';
import type { Container, Pod } from './pod.ts';
import { placedVariables, workloadOf } from './workload.ts';

const DONE: ReadonlySet<string | null> = new Set(['Succeeded', 'Failed']);

export function isOver({ phase }: Pick<Pod, 'phase'>): boolean {
  return DONE.has(phase);
}

export interface FactOptions {
  /** Container → devices, by kubelet's list. */
  readonly devices: ReadonlyMap<string, readonly PodDevice[]>;
  /** /var/log/pods as this daemon sees it. */
  readonly logs: string;
  readonly userLabels: readonly string[];
  readonly knownBy: string;
}

export function podFact(pod: Pod, options: FactOptions): PodFact {
  const { uid, configHash, namespace, name, phase, startedMs, priorityClass } = pod;
  const workload = workloadOf(pod, options.userLabels);
  return {
    uid,
    configHash,
    namespace,
    name,
    phase,
    ...workload,
    queue: workload.queue ?? priorityClass,
    containers: pod.containers.map((container) => containerFact(pod, container, options)),
    startedMs,
    knownBy: options.knownBy,
  };
}

function containerFact(pod: Pod, container: Container, { devices, logs }: FactOptions): PodContainer {
  const { name, id, variables } = container;
  return {
    name,
    id,
    variables: placedVariables(pod, variables),
    // Before 1.34 kubelet lists the devices of pods that are over.
    devices: isOver(pod) ? [] : (devices.get(name) ?? []),
    log: logOf(pod, container, logs),
    ...(pod.network === undefined ? {} : { network: pod.network }),
  };
}

/** As kubelet makes it (pkg/kubelet/kuberuntime/helpers.go): its folder is named by the hash for a static pod. */
function logOf(pod: Pod, { name, id, restarts }: Container, logs: string): string | null {
  if (id === null || restarts === null) return null;
  return join(logs, `${pod.namespace}_${pod.name}_${pod.configHash ?? pod.uid}`, name, `${restarts}.log`);
}

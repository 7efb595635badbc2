// Reasons: what the words of kubelet, scheduler and controllers mean as kinds of events. Whatever is not here makes no event.

import type { Kind } from '../../../model/kind.ts';

/** Of a pod's status (kubernetes: pkg/kubelet/{eviction,nodeshutdown,preemption,lifecycle}, pkg/controller/podgc). */
const STATUS: readonly (readonly [reason: RegExp, kind: Kind])[] = [
  [/^Evicted$/, 'pod.evicted'],
  [/^(?:NodeShutdown|Shutdown|Terminated)$/, 'pod.removed'],
  [/^Preempting$/, 'job.preempted'],
  [/^DeadlineExceeded$/, 'job.cancelled'],
  [/^(?:UnexpectedAdmissionError|OutOf\S+|NodeAffinity|NodeName|NodePorts|InsufficientResourceError|TopologyAffinityError|ResourceAllocateError|PodOSNotSupported|AppArmor|SysctlForbidden|InvalidNodeInfo)$/, 'pod.rejected'],
]; // biome-ignore format: one row each

/** Of the condition DisruptionTarget (kubernetes: Pod disruption conditions). */
const DISRUPTION: Readonly<Record<string, Kind>> = {
  PreemptionByScheduler: 'job.preempted',
  PreemptionByKubeScheduler: 'job.preempted',
  DeletionByTaintManager: 'pod.evicted',
  TerminationByKubelet: 'pod.evicted',
  EvictionByEvictionAPI: 'pod.removed',
  DeletionByPodGC: 'pod.removed',
};

/** What a container waits for (kubernetes: pkg/kubelet/{images,kuberuntime,container}). CrashLoopBackOff is the program's own. */
const WAITING =
  /^(?:ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName|ImageInspectError|RegistryUnavailable|CreateContainerConfigError|CreateContainerError|RunContainerError|PreStartHookError|PostStartHookError|ContainerCannotRun)$/;

/** Of Events about a pod that waits (kubernetes: pkg/kubelet/events). */
const WAITING_EVENT =
  /^(?:FailedMount|FailedAttachVolume|FailedMapVolume|FailedCreatePodSandBox|FailedPrepareDynamicResources|NetworkNotReady|FailedPostStartHook)$/;

/** Conditions of a node: what is wrong where they are True, or not True. */
const NODE_CONDITIONS: Readonly<Record<string, { readonly bad: 'True' | 'not True'; readonly kind: Kind }>> = {
  Ready: { bad: 'not True', kind: 'host.not_ready' },
  MemoryPressure: { bad: 'True', kind: 'host.pressure' },
  DiskPressure: { bad: 'True', kind: 'host.pressure' },
  PIDPressure: { bad: 'True', kind: 'host.pressure' },
};

export function ofStatus(reason: string | null): Kind | null {
  return reason === null ? null : (STATUS.find(([words]) => words.test(reason))?.[1] ?? null);
}

export function ofDisruption(reason: string | null): Kind | null {
  return reason !== null && Object.hasOwn(DISRUPTION, reason) ? (DISRUPTION[reason] ?? null) : null;
}

export const keepsFromStarting = (reason: string | null): boolean => reason !== null && WAITING.test(reason);
export const isStartEvent = (reason: string | null): boolean => reason !== null && WAITING_EVENT.test(reason);

/** Null where the condition is as it should be, or not one of these. */
export function ofNodeCondition(type: string, status: string): Kind | null {
  const entry = Object.hasOwn(NODE_CONDITIONS, type) ? NODE_CONDITIONS[type] : undefined;
  if (entry === undefined) return null;
  return (entry.bad === 'True' ? status === 'True' : status !== 'True') ? entry.kind : null;
}

export const NODE_CONDITION_TYPES: readonly string[] = Object.keys(NODE_CONDITIONS);

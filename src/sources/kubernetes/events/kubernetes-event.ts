// Kubernetes event: a change of a pod or the node as an event, at the job that the pod is a part of.

import type { Identity } from '../../../identity/identity.ts';
import { deviceOf } from '../../../identity/work/device-names.ts';
import { type Component, parseComponent } from '../../../model/component.ts';
import type { Trust } from '../../../model/event.ts';
import type { EventInput } from '../../../model/record.ts';
import type { Pod } from '../pod/pod.ts';
import { labelledOwner, workloadOf } from '../pod/workload.ts';
import type { NodeChange } from './node.ts';
import type { PodChange } from './pod-changes.ts';

export const SOURCE = 'kubernetes';
/** What happened this long before a pod was first seen is history that an earlier run reported. */
const RECENT_MS = 60_000;

export interface EventPlace {
  readonly host: string;
  readonly identity: Identity;
  /** Epoch ms on the steady clock: now, and when the source last answered before. */
  readonly nowMs: number;
  readonly lastMs: number;
}

/** The job of a pod; null for one that is not work: a daemon of the cluster, a web server. */
export function jobOf(pod: Pod, identity: Identity, hasDevices: boolean): Component | null {
  const { uid, namespace, name } = pod;
  const work = identity.work.view().works.find(({ pods }) => pods.some((each) => each.uid === uid));
  if (work !== undefined) return { type: 'job', id: work.id };
  if (labelledOwner(pod) === null && !hasDevices) return null;
  return { type: 'job', id: `${namespace}/${workloadOf(pod).owner?.name ?? name}` };
}

/** Null where it is older than what this run could have missed. `first`: the pod was not known before. */
export function podEvent(
  change: PodChange,
  pod: Pod,
  job: Component,
  first: boolean,
  { host, identity, nowMs, lastMs }: EventPlace,
  trust: Trust = 'system',
): EventInput | null {
  const { kind, state, reason, message, container, device, exitCode, atMs } = change;
  if (first && state === 'point' && (atMs === null || atMs < nowMs - RECENT_MS)) return null;
  const where = `${pod.namespace}/${pod.name}`;
  const earliestMs = Math.min(nowMs, atMs ?? (first ? nowMs : lastMs));
  // Its status has whole seconds.
  const latestMs = atMs === null ? nowMs : Math.min(nowMs, Math.max(earliestMs, atMs + 1000));
  const what = [where, container, device?.id, reason].filter((part) => part != null).join(' ');
  return {
    kind,
    component: device === null ? job : componentOf(device, host, identity),
    timeMs: atMs === null ? nowMs : earliestMs,
    interval: { earliestMs, latestMs },
    observedMs: nowMs,
    trust,
    state,
    source: SOURCE,
    attributes: {
      reason,
      namespace: pod.namespace,
      pod: pod.name,
      pod_uid: pod.uid,
      ...(container === null ? {} : { container }),
      ...(device === null ? {} : { resource: device.resource, device: device.id }),
      ...(exitCode === null ? {} : { exit_code: exitCode }),
      ...(message === null ? {} : { message }),
    },
    evidence: [{ source: SOURCE, timeMs: earliestMs, text: message === null ? what : `${what}: ${message}` }],
    discriminator: `${pod.uid} ${container ?? ''} ${device?.id ?? ''} ${reason} ${atMs ?? ''}`,
  };
}

export function nodeEvent(change: NodeChange, node: string, first: boolean, place: EventPlace): EventInput {
  const { kind, state, what, reason, message, atMs, by = null } = change;
  const { host, nowMs, lastMs } = place;
  const earliestMs = Math.min(nowMs, atMs ?? (first ? nowMs : lastMs));
  const words = [node, what, reason].filter((part) => part !== null).join(' ');
  return {
    kind,
    component: { type: 'host', id: host },
    // What began before this run is news now: its own time stays in the interval.
    timeMs: first || atMs === null ? nowMs : earliestMs,
    interval: { earliestMs, latestMs: first || atMs === null ? nowMs : Math.min(nowMs, earliestMs + 1000) },
    observedMs: nowMs,
    trust: 'system',
    state,
    source: SOURCE,
    attributes: {
      node,
      what,
      ...(by === null ? {} : { set_by: by }),
      ...(reason === null ? {} : { reason }),
      ...(message === null ? {} : { message }),
    },
    evidence: [{ source: SOURCE, timeMs: nowMs, text: message === null ? words : `${words}: ${message}` }],
    discriminator: `${what} ${atMs ?? ''}`,
  };
}

/** The last pod with work is gone from a node that is out of service. */
export function emptiedEvent(node: string, { host, nowMs, lastMs }: EventPlace): EventInput {
  return {
    kind: 'host.emptied',
    component: { type: 'host', id: host },
    timeMs: nowMs,
    interval: { earliestMs: Math.min(lastMs, nowMs), latestMs: nowMs },
    observedMs: nowMs,
    trust: 'system',
    state: 'point',
    source: SOURCE,
    attributes: { node },
    evidence: [{ source: SOURCE, timeMs: nowMs, text: `${node}: no pod of a job is left` }],
    discriminator: `${node} emptied ${nowMs}`,
  };
}

/** Null where no device here is called so: naming one would be a guess. */
function componentOf(
  { id, resource }: NonNullable<PodChange['device']>,
  host: string,
  identity: Identity,
): Component | null {
  // A driver of claims is named with its pool: gpu.nvidia.com/node-3/gpu-4.
  const names = [id, id.slice(id.lastIndexOf('/') + 1)];
  for (const name of names) {
    const found = deviceOf(name, identity.gpus.facts(), resource);
    if (found !== null) return parseComponent(found.device, host);
  }
  return null;
}

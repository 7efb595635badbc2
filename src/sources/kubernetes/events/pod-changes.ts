// Pod changes: what happened to a pod, by how it was and how it is. Pure.

import type { Kind } from '../../../model/kind.ts';
import type { Container, DeviceHealth, Pod } from '../pod/pod.ts';
import { isOver } from '../pod/pod-fact.ts';
import { keepsFromStarting, ofDisruption, ofStatus } from './reasons.ts';

export interface PodChange {
  readonly kind: Kind;
  readonly state: 'onset' | 'clear' | 'point';
  readonly reason: string;
  readonly message: string | null;
  readonly container: string | null;
  readonly device: Pick<DeviceHealth, 'resource' | 'id'> | null;
  readonly exitCode: number | null;
  /** When it was, by the pod's own status; null where that does not say. */
  readonly atMs: number | null;
}

const NOTHING = { state: 'point', message: null, container: null, device: null, exitCode: null, atMs: null } as const;

/** `before`: null for a pod that is seen for the first time; what it went through before then shows in its times. */
export function podChanges(before: Pod | null, after: Pod): PodChange[] {
  const ended = endOf(before, after);
  return [
    ...(ended === null ? [] : [ended]),
    ...after.containers.flatMap((container) => {
      const known = before?.containers.find(({ name }) => name === container.name) ?? null;
      return [...killed(known, container), ...starts(known, container, after), ...health(known, container)];
    }),
    ...starting(before, after),
  ];
}

/** One reason for its end: its status names the closest one, then the condition, then that it was deleted. */
function endOf(before: Pod | null, after: Pod): PodChange | null {
  const [was, is] = [before === null ? null : reasonOf(before), reasonOf(after)];
  // An eviction by a taint is reported as the condition first, and the status may follow: it is the same one.
  if (is === null || was?.kind === is.kind) return null;
  // What its owner deletes after it was disrupted, or after it ended, is the consequence.
  return is.reason === 'Deleted' || was?.reason !== 'Deleted' ? is : null;
}

function reasonOf(pod: Pod): PodChange | null {
  const { reason, message, phase, deletionMs, conditions } = pod;
  const disrupted = conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  const byStatus = ofStatus(reason);
  if (byStatus !== null && reason !== null) {
    const kind = byStatus === 'pod.evicted' && isShutdown(message) ? 'pod.removed' : byStatus;
    return { ...NOTHING, kind, reason, message, atMs: disrupted?.atMs ?? null };
  }
  if (disrupted !== undefined) {
    const kind = ofDisruption(disrupted.reason);
    const isPlanned = disrupted.reason === 'TerminationByKubelet' && isShutdown(disrupted.message);
    if (kind !== null && disrupted.reason !== null)
      return { ...NOTHING, kind: isPlanned ? 'pod.removed' : kind, reason: disrupted.reason, message: disrupted.message, atMs: disrupted.atMs }; // biome-ignore format: one record
  }
  if (deletionMs === null || phase !== 'Running' || hasFailed(pod)) return null;
  return { ...NOTHING, kind: 'pod.removed', reason: 'Deleted', atMs: null };
}

function isShutdown(message: string | null): boolean {
  return message !== null && /node shutdown|shutting down/i.test(message);
}

/** A container ended with an error: whoever deletes the pod then does so because of that. */
function hasFailed({ containers }: Pod): boolean {
  return containers.some(({ ended }) => ended.some(({ exitCode }) => exitCode !== null && exitCode !== 0));
}

/** Ends that were not there before, of those that ran out of memory. */
function killed(before: Container | null, after: Container): PodChange[] {
  const known = new Set(before?.ended.map(({ atMs }) => atMs) ?? []);
  return after.ended.flatMap(({ reason, exitCode, atMs }): PodChange[] => {
    if (reason !== 'OOMKilled' || known.has(atMs)) return [];
    return [{ ...NOTHING, kind: 'pod.oom_killed', reason, container: after.name, exitCode, atMs }];
  });
}

/** A container waits for what it cannot have. */
function starts(before: Container | null, after: Container, pod: Pod): PodChange[] {
  const [was, is] = [before?.waiting ?? null, isOver(pod) ? null : after.waiting];
  const [failed, fails] = [keepsFromStarting(was), keepsFromStarting(is)];
  if (failed === fails) return [];
  const reason = (fails ? is : was) ?? '';
  return [{ ...NOTHING, kind: 'pod.start_failed', state: fails ? 'onset' : 'clear', reason, container: after.name }];
}

/** The pod is gone from among those that start: nothing keeps it any more. */
function starting(before: Pod | null, after: Pod): PodChange[] {
  if (before === null || after.containers.length >= before.containers.length) return [];
  const names = new Set(after.containers.map(({ name }) => name));
  return before.containers
    .filter(({ name, waiting }) => !names.has(name) && keepsFromStarting(waiting))
    .map(({ name, waiting }) => ({ ...NOTHING, kind: 'pod.start_failed', state: 'clear', reason: waiting ?? '', container: name })); // biome-ignore format: one record
}

function health(before: Container | null, after: Container): PodChange[] {
  const changes: PodChange[] = [];
  const was = new Map(before?.devices.map((device) => [device.id, device.health]) ?? []);
  for (const { resource, id, health: is, message } of after.devices) {
    const [sick, isSick] = [was.get(id) === 'Unhealthy', is === 'Unhealthy'];
    was.delete(id);
    // "Unknown" takes nothing back.
    if (sick === isSick || (sick && is !== 'Healthy')) continue;
    changes.push({ ...NOTHING, kind: 'pod.device_unhealthy', state: isSick ? 'onset' : 'clear', reason: is, message, container: after.name, device: { resource, id } }); // biome-ignore format: one record
  }
  return changes;
}

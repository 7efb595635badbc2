// What a change of a pod's status means: each reason of kubelet, scheduler and controllers, once, and what is planned as planned.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PodChange, podChanges } from '../../../../src/sources/kubernetes/events/pod-changes.ts';
import type { Pod } from '../../../../src/sources/kubernetes/pod/pod.ts';
import { readPod } from '../../../../src/sources/kubernetes/pod/read-pod.ts';

const AT = '2026-11-28T11:00:00Z';

function pod(status: object, metadata: object = {}): Pod {
  const read = readPod({ metadata: { name: 'p', namespace: 'train', uid: 'u', ...metadata }, status: { phase: 'Running', ...status } }); // biome-ignore format: one line
  assert.ok(read !== null);
  return read;
}

const disrupted = (reason: string, message = '') => ({ conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message, lastTransitionTime: AT }] }); // biome-ignore format: one line
const failed = (reason: string, message = '') => ({ phase: 'Failed', reason, message });
const ended = (reason: string, exitCode: number, finishedAt = AT) => ({ containerStatuses: [{ name: 'main', restartCount: 1, lastState: { terminated: { reason, exitCode, finishedAt } } }] }); // biome-ignore format: one line
const short = ({ kind, state, reason }: PodChange): string => [kind, state, reason].join(' ');

const RUNNING = pod({});

for (const [status, expected] of [
  [failed('Evicted', 'The node was low on resource: memory.'), 'pod.evicted point Evicted'],
  [failed('NodeShutdown', 'Pod was rejected as the node is shutting down.'), 'pod.removed point NodeShutdown'],
  [failed('Terminated', 'Pod was terminated in response to imminent node shutdown.'), 'pod.removed point Terminated'],
  [failed('Preempting'), 'job.preempted point Preempting'],
  [failed('DeadlineExceeded', 'Pod was active on the node longer than the specified deadline'), 'job.cancelled point DeadlineExceeded'],
  [failed('UnexpectedAdmissionError', 'Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu'), 'pod.rejected point UnexpectedAdmissionError'],
  [failed('OutOfcpu'), 'pod.rejected point OutOfcpu'],
  [failed('OutOfnvidia.com/gpu'), 'pod.rejected point OutOfnvidia.com/gpu'],
  [failed('NodeAffinity'), 'pod.rejected point NodeAffinity'],
  [failed('Error'), null],
  [disrupted('PreemptionByScheduler'), 'job.preempted point PreemptionByScheduler'],
  [disrupted('DeletionByTaintManager'), 'pod.evicted point DeletionByTaintManager'],
  [disrupted('EvictionByEvictionAPI'), 'pod.removed point EvictionByEvictionAPI'],
  [disrupted('DeletionByPodGC'), 'pod.removed point DeletionByPodGC'],
  [disrupted('TerminationByKubelet', 'The node was low on resource: ephemeral-storage.'), 'pod.evicted point TerminationByKubelet'],
  [disrupted('TerminationByKubelet', 'Pod was terminated in response to imminent node shutdown.'), 'pod.removed point TerminationByKubelet'],
  [disrupted('SomethingNew'), null],
  [ended('OOMKilled', 137), 'pod.oom_killed point OOMKilled'],
  [ended('Error', 137), null],
  [ended('Error', 1), null],
  [{ phase: 'Pending', containerStatuses: [{ name: 'main', state: { waiting: { reason: 'ImagePullBackOff' } } }] }, 'pod.start_failed onset ImagePullBackOff'],
  [{ phase: 'Pending', containerStatuses: [{ name: 'main', state: { waiting: { reason: 'CreateContainerConfigError' } } }] }, 'pod.start_failed onset CreateContainerConfigError'],
  [{ containerStatuses: [{ name: 'main', state: { waiting: { reason: 'CrashLoopBackOff' } } }] }, null],
  [{ containerStatuses: [{ name: 'main', state: { waiting: { reason: 'ContainerCreating' } } }] }, null],
] as const) {
  test(`${JSON.stringify(status).slice(0, 90)} is ${expected ?? 'nothing'}`, () => {
    assert.deepEqual(podChanges(RUNNING, pod(status)).map(short), expected === null ? [] : [expected]);
    assert.deepEqual(podChanges(pod(status), pod(status)), [], 'it is reported once');
  });
} // biome-ignore format: one row each

test('the condition first, then the status: one eviction', () => {
  const condition = disrupted('TerminationByKubelet', 'The node was low on resource: memory.');
  assert.deepEqual(podChanges(pod(condition), pod({ ...condition, ...failed('Evicted') })), []);
});

test('deleted while it ran is planned; deleted after it failed, ended or was evicted is not a second event', () => {
  const deletion = { deletionTimestamp: AT };
  assert.deepEqual(podChanges(RUNNING, pod({}, deletion)).map(short), ['pod.removed point Deleted']);
  assert.deepEqual(podChanges(RUNNING, pod({ phase: 'Succeeded' }, deletion)), []);
  const crashed = ended('Error', 1);
  assert.deepEqual(podChanges(pod(crashed), pod(crashed, deletion)), []);
  const evicted = disrupted('DeletionByTaintManager');
  assert.deepEqual(podChanges(pod(evicted), pod(evicted, deletion)), []);
  assert.deepEqual(podChanges(pod({}, deletion), pod({ phase: 'Failed' }, deletion)), []);
});

test('the same container out of memory again is another one', () => {
  const first = pod(ended('OOMKilled', 137));
  const second = pod(ended('OOMKilled', 137, '2026-11-28T11:05:00Z'));
  const [change, ...others] = podChanges(first, second);
  assert.deepEqual([change?.kind, change?.exitCode, change?.atMs, others.length], ['pod.oom_killed', 137, Date.parse('2026-11-28T11:05:00Z'), 0]); // biome-ignore format: one line
});

test('a device turns unhealthy and back; unknown takes nothing back', () => {
  const health = (health: string) => pod({ containerStatuses: [{ name: 'main', allocatedResourcesStatus: [{ name: 'nvidia.com/gpu', resources: [{ resourceID: 'GPU-1', health }] }] }] }); // biome-ignore format: one line
  const [sick, unknown, well] = [health('Unhealthy'), health('Unknown'), health('Healthy')];
  assert.deepEqual(podChanges(well, sick).map(short), ['pod.device_unhealthy onset Unhealthy']);
  assert.deepEqual(podChanges(sick, unknown), []);
  assert.deepEqual(podChanges(sick, well).map(short), ['pod.device_unhealthy clear Healthy']);
  assert.deepEqual(podChanges(sick, well)[0]?.device, { resource: 'nvidia.com/gpu', id: 'GPU-1' });
});

test('a container that starts at last, or whose pod ends, waits no more', () => {
  const waiting = pod({ containerStatuses: [{ name: 'main', state: { waiting: { reason: 'ErrImagePull' } } }] });
  assert.deepEqual(podChanges(waiting, RUNNING).map(short), ['pod.start_failed clear ErrImagePull']);
  const over = pod({
    phase: 'Failed',
    containerStatuses: [{ name: 'main', state: { waiting: { reason: 'ErrImagePull' } } }],
  });
  assert.deepEqual(podChanges(waiting, over).map(short), ['pod.start_failed clear ErrImagePull']);
});

// What a scan says of pods: whose they are, what is looked at first by the word that their kubelet has, and where one was evicted.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { podStart } from '../../../src/incidents/report/pod-start.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { scannedLogs } from './scanned.ts';

/** The text of the report in one line. */
const scanned = async (t: TestContext, name: string, lines: readonly string[]): Promise<string> =>
  (await scannedLogs(t, { [name]: lines })).replace(/\s+/g, ' ');

const TABLE = 'NAMESPACE     NAME              READY   STATUS   RESTARTS   AGE   IP   NODE';
const row = (namespace: string, pod: string, status: string, restarts: string, node: string): string =>
  `${namespace}   ${pod}   0/1   ${status}   ${restarts}   9h   10.40.1.13   ${node}`;

test('a node without its device plugin gives no GPUs: its log, and who runs the node', async (t) => {
  const plugin = row('kube-system', 'nvidia-device-plugin-9x2', 'CrashLoopBackOff', '44 (2m ago)', 'gx-63');
  const text = await scanned(t, 'pods.txt', [TABLE, plugin]);
  assert.match(
    text,
    /Do find out why pod kube-system\/\S+ ends again and again: without it gx-63 gives no GPUs to new pods/,
  );
  assert.match(text, /Now kubectl logs nvidia-device-plugin-9x2 -n kube-system --previous has/);
  assert.match(text, /Call who runs gx-63/);
});

test('an image that is not pulled, and a pod that ended with an error, have commands of their own', async (t) => {
  const pulled = await scanned(t, 'pods.txt', [TABLE, row('ml', 'trainer-1', 'ImagePullBackOff', '0', 'gx-62')]);
  assert.match(pulled, /Now kubectl describe pod trainer-1 -n ml names the image and the error: .*pull secret/);
  assert.doesNotMatch(pulled, /--previous/);
  const failed = await scanned(t, 'pods.txt', [TABLE, row('ml', 'trainer-0', 'Error', '0', 'gx-61')]);
  assert.match(failed, /Now kubectl logs trainer-0 -n ml has the end of its output/);
  assert.doesNotMatch(failed, /Slurm|sacct/);
});

const EVENTS = 'LAST SEEN   TYPE      REASON      OBJECT            MESSAGE';
const evicted = (words: string): string =>
  `9m          Warning   Evicted     pod/trainer-9     The node was low on resource: ${words}`;

test('a pod that was evicted is named, and so is its node where a line says it', async (t) => {
  const text = await scanned(t, 'events.txt', [EVENTS, evicted('memory. Threshold quantity: 100Mi.')]);
  assert.match(text, /Root cause node runs short of memory on the node of pod trainer-9/);
  assert.match(text, /Effect pod trainer-9 evicted Do find what uses up the memory of the node of pod trainer-9/);
  assert.match(text, /Now kubectl get pod trainer-9 -o wide names that node; there, free -h/);
  assert.doesNotMatch(text, /(?:Now|Call|Do) [^:]*the host of events\.txt/);
  const assigned = `12m         Normal    Scheduled   pod/trainer-9     Successfully assigned ml/trainer-9 to gx-66`;
  const known = await scanned(t, 'events.txt', [
    EVENTS,
    assigned,
    evicted('ephemeral-storage. Threshold quantity: 1Gi.'),
  ]);
  assert.match(
    known,
    /Root cause node runs short of disk on gx-66: ephemeral-storage Effect pod ml\/trainer-9 evicted/,
  );
  assert.match(known, /Now on gx-66, df -h/);
});

test('a pod that is described and was evicted is one incident on its node, under its own name', async (t) => {
  const text = await scanned(t, 'desc.txt', [
    'Name:             eval-3',
    'Namespace:        ml',
    'Node:             gx-12/10.0.0.12',
    'Status:           Failed',
    'Reason:           Evicted',
    'Message:          The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 8Gi.',
  ]);
  assert.match(text, /Root cause node runs short of disk on gx-12: ephemeral-storage Effect pod ml\/eval-3 evicted/);
  assert.match(text, /1 incident out of/);
  assert.doesNotMatch(text, /why gx-12 was evicted|host of desc\.txt/);
});

test('a container that ends again and again is read by its own log', async (t) => {
  const text = await scanned(t, 'events.txt', [
    'NAMESPACE   LAST SEEN   TYPE      REASON    OBJECT       MESSAGE',
    'ml          4m          Warning   BackOff   pod/etl-1    Back-off restarting failed container main in pod etl-1_ml(3a1)',
  ]);
  assert.match(text, /Now kubectl logs etl-1 -n ml --previous has the end of what ended/);
});

test('a namespace that only the words of an event name is in its commands, and what starts does not fail to start', async (t) => {
  const text = await scanned(t, 'events.txt', [
    EVENTS,
    '4m          Warning   BackOff   pod/chat-7c1   Back-off restarting failed container main in pod chat-7c1_serve(3a1)',
  ]);
  assert.match(text, /Root cause container ends again and again on pod serve\/chat-7c1/);
  assert.match(text, /Do find out why pod serve\/chat-7c1 ends again and again/);
  assert.match(
    text,
    /Now kubectl logs chat-7c1 -n serve --previous has .*, kubectl describe pod chat-7c1 -n serve its/,
  );
  assert.doesNotMatch(text, /does not start/);
});

test('pods of a node that is not ready are what follows from it', async (t) => {
  const node = '14m   Normal    NodeNotReady   node/gx-44   Node gx-44 status is now: NodeNotReady';
  const waits = '13m   Warning   NodeNotReady   pod/t-1   Node is not ready';
  const waiting = await scanned(t, 'events.txt', [EVENTS, node, waits]);
  assert.match(waiting, /Root cause node not ready for Kubernetes on gx-44 Effect pod t-1 waiting for it/);
  const taken = await scanned(t, 'events.txt', [
    EVENTS,
    node,
    waits,
    '9m   Normal    TaintManagerEviction   pod/t-1   Marking for deletion Pod ml/t-1',
    '9m   Normal    TaintManagerEviction   pod/t-2   Marking for deletion Pod ml/t-2',
  ]);
  assert.match(taken, /Effect pods ml\/t-1, ml\/t-2 taken off it/);
  assert.doesNotMatch(taken, /none seen on a job/);
  const two = [node, node.replaceAll('gx-44', 'gx-45'), waits];
  assert.doesNotMatch(await scanned(t, 'events.txt', [EVENTS, ...two]), /pod t-1/);
});

test('a described node that runs short of disk is not one short of memory, and gives pods fewer GPUs than it has', async (t) => {
  const text = await scanned(t, 'node.txt', [
    'Name:               gx-44',
    'Conditions:',
    '  DiskPressure   True    Sun, 29 Nov 2026 10:40:01 +0000   Sun, 29 Nov 2026 10:31:18 +0000   KubeletHasDiskPressure   kubelet has disk pressure',
    'Capacity:',
    '  nvidia.com/gpu:     8',
    'Allocatable:',
    '  nvidia.com/gpu:     6',
  ]);
  assert.match(text, /Root cause node runs short of disk on gx-44/);
  assert.doesNotMatch(text, /Out of host memory/);
  assert.match(text, /gx-44 only 6 of 8 GPUs for pods: others unhealthy/);
  assert.match(text, /Most likely a GPU of that host/);
});

test('a piece of a described node says as much, where its name was cut off', async (t) => {
  const piece = ['Capacity:', '  amd.com/gpu:     8', 'Allocatable:', '  amd.com/gpu:     5'];
  assert.match(await scanned(t, 'node.txt', piece), /only 5 of 8 GPUs for pods: others unhealthy/);
  assert.doesNotMatch(await scanned(t, 'node.txt', piece.with(3, '  amd.com/gpu:     8')), /INCIDENT/);
});

test('an eviction says what its pod held, and the shortage before it hides neither', async (t) => {
  const assigned = '12m         Normal    Scheduled   pod/prep-4        Successfully assigned etl/prep-4 to gx-67';
  const met = '3m10s       Warning   EvictionThresholdMet   node/gx-67   Attempting to reclaim ephemeral-storage';
  const held = `3m          Warning   Evicted     pod/prep-4        The node was low on resource: ephemeral-storage. Threshold quantity: 94489280512, available: 1234Mi. Container log was using 12Mi, request is 0, has larger consumption of ephemeral-storage. Container etl was using 307200Mi, request is 10Gi, has larger consumption of ephemeral-storage.`;
  for (const lines of [[met, held], [held]]) {
    const text = await scanned(t, 'events.txt', [EVENTS, assigned, ...lines]);
    assert.match(text, /Root cause node runs short of disk on gx-67/);
    assert.match(text, /Effect pod etl\/prep-4 evicted/);
    assert.match(text, /have pod etl\/prep-4 ask for its .*its container etl held 300 GiB, and asked for 10Gi/);
    assert.match(text, /Call who runs pod etl\/prep-4; then who runs gx-67/);
    assert.doesNotMatch(text, /crictl/);
  }
});

test('a pod that its node refused for want of devices sends to the node, with the numbers', async (t) => {
  const described = (why: string): readonly string[] => [
    'Name:             infer-0',
    'Namespace:        serving',
    'Node:             gx-68/10.0.0.68',
    'Status:           Failed',
    'Reason:           UnexpectedAdmissionError',
    `Message:          Pod was rejected: ${why}`,
  ];
  const few = 'Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: 4, Available: 3, which is unexpected'; // biome-ignore format: one line
  const event = ['Events:', `  Warning  UnexpectedAdmissionError  3m2s  kubelet   ${few}`];
  const text = await scanned(t, 'describe.txt', [...described(few), ...event]);
  assert.match(text, /1 incident out of 1 event/);
  assert.match(text, /rejected by its node on gx-68: pod serving\/infer-0, 4 nvidia.com\/gpu asked for, 3 available/);
  assert.match(text, /Do find out why gx-68 has 3 nvidia.com\/gpu to give, and not 4/);
  assert.match(text, /Now kubectl describe node gx-68 .* on gx-68, nvidia-smi -L;/);
  assert.match(text, /Call who runs gx-68/);
  const none = await scanned(t, 'describe.txt', described("Node didn't have enough resource: amd.com/gpu, requested: 1, used: 8, capacity: 8")); // biome-ignore format: one line
  assert.match(none, /Do see which pods hold amd.com\/gpu of gx-68 \(8 of 8\)/);
  assert.match(none, /--field-selector spec.nodeName=gx-68/);
});

test('an image that its registry refuses, and a container that its liveness probe ends, are said with what helps', async (t) => {
  const head = 'LAST SEEN   TYPE      REASON      OBJECT                MESSAGE';
  const refused = await scanned(t, 'events.txt', [
    head,
    '9m          Warning   Failed      pod/trainer-6f7d-0    Failed to pull image "registry.example/ml/trainer:1": failed to resolve reference "registry.example/ml/trainer:1": pulling from host registry.example failed with status code [manifests 1]: 401 Unauthorized',
  ]);
  assert.match(refused, /Do +give pod trainer-6f7d-0 the right to pull its image: its registry refuses it/);
  assert.match(refused, /imagePullSecrets/);
  const gone = await scanned(t, 'events.txt', [
    head,
    '9m          Warning   Failed      pod/trainer-6f7d-0    Failed to pull image "registry.example/ml/trainer:1": manifest unknown',
  ]);
  assert.doesNotMatch(gone, /right to pull/);
  const attributes = { message: 'Container server failed liveness probe, will be restarted' };
  const ended = { root: { kind: 'pod.start_failed', eventId: 'e' }, events: [{ id: 'e', attributes }] };
  assert.match(podStart(ended as unknown as Incident)?.now ?? '', /startupProbe/);
});

// Events of pods as kubectl prints them: each row of catalog/kubernetes/event-words.json, where the line may be, and what says nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MESSAGE_ROWS, PodEvents, REASON_ROWS } from '../../../../src/detection/text/report/pod-events.ts';
import { isKind } from '../../../../src/model/kind.ts';
import { quotedKernel } from '../../../../src/sources/saved-text/form/kernel-words.ts';
import { readReport } from './read-report.ts';

function reported(...lines: string[]): string[] {
  return foundIn(lines).map(({ kind, component }) => `${kind} ${component?.id}`);
}

/** With what waits for the end of the text. */
function foundIn(lines: readonly string[]) {
  const reader = new PodEvents('log-1');
  return [...lines.map((line) => reader.take(line)), reader.end()].flatMap((said) => said?.findings ?? []);
}

for (const { message, example, kind } of MESSAGE_ROWS)
  test(`"${example.slice(0, 80)}" is ${kind}`, () => {
    assert.ok(isKind(kind) && message !== '');
    for (const line of [
      example,
      `Message:        ${example}`,
      `  message: '${example}'`,
      `    "message": "${example}",`,
    ])
      assert.deepEqual(reported(line), [`${kind} log-1`], line);
    for (const line of [`what does "${example}" mean`, `# ${example}`]) assert.deepEqual(reported(line), [], line);
  });

test('each reason of an event has a kind', () => {
  for (const { kind } of REASON_ROWS) assert.ok(isKind(kind), kind);
});

const REJECTED = 'UnexpectedAdmissionError';
const WHY = 'Allocate failed due to rpc error: code = Unavailable desc = transport is closing, which is unexpected';

test('a rejected pod is said once a node, from its event, its status or its reason', () => {
  const event = `  Warning  ${REJECTED}  73s   kubelet   ${WHY}`;
  const row = `train-0   0/1     ${REJECTED}   0          4s`;
  assert.deepEqual(reported(event), ['pod.rejected log-1']);
  assert.deepEqual(reported(row), ['pod.rejected log-1']);
  assert.deepEqual(reported('Node:   gx-4/10.0.0.4', `Reason:         ${REJECTED}`), ['pod.rejected gx-4']);
  assert.deepEqual(reported(event, row, event, `Message: Pod ${WHY}`), ['pod.rejected log-1']);
  assert.deepEqual(reported(`2m   Warning   OutOfnvidia.com/gpu   pod/train-0   Node didn't have enough resource`), [
    'pod.rejected log-1',
  ]);
});

test('the columns of pods and the events of jobs are read, each with its kind', () => {
  assert.deepEqual(reported('train-0   0/1     ImagePullBackOff   0          4s'), ['pod.start_failed log-1']);
  assert.deepEqual(reported('train-0   0/1     Evicted   0          4s'), ['pod.evicted log-1']);
  assert.deepEqual(reported('train-0   0/1     CrashLoopBackOff   4          4s'), []);
  assert.deepEqual(
    reported('  Warning  Failed  3m (x4 over 5m)  kubelet  Failed to pull image "registry/a:1": not found'),
    ['pod.start_failed log-1'],
  );
  const failed = '  Warning  BackoffLimitExceeded  3m  job-controller  Job has reached the specified backoff limit';
  assert.deepEqual(reported('Name:   train', failed), ['job.failed train']);
  assert.deepEqual(
    reported(
      '3m   Warning   PyTorchJobFailed   pytorchjob/llama   PyTorchJob llama is failed because 1 Worker replica(s) failed.',
    ),
    ['job.failed llama'],
  );
});

test('a GPU that is lost is what the pod was rejected for', () => {
  const lost = 'Message:  Pod Allocate failed due to nvml: GPU is lost, which is unexpected';
  assert.deepEqual(reported(lost, `train-0   0/1   ${REJECTED}   0   4s`), ['gpu.lost log-1']);
});

test('ordinary events, and a pod that waits for free devices, report nothing', () => {
  const lines = [
    '  Normal   Scheduled         73s   default-scheduler   Successfully assigned ml/train-0 to gx-4',
    '  Warning  FailedScheduling  73s   default-scheduler   0/3 nodes are available: 3 Insufficient nvidia.com/gpu.',
    '  Normal   Pulled            12s   kubelet             Container image "a:b" already present on machine',
    '  Warning  BackOff           12s   kubelet             Back-off restarting failed container',
    '  Warning  Failed            12s   kubelet             Error: ImagePullBackOff',
    'train-0   1/1     Running   0          4s',
    'OutOfMemory tests: 3 passed',
  ];
  assert.deepEqual(reported(...lines), []);
});

test('what node-problem-detector reports is of the node that is described, or that the object names', () => {
  const hung = '  Warning  TaskHung  2m  kernel-monitor  INFO: task python:4411 blocked for more than 120 seconds.';
  assert.deepEqual(reported('Name:   gx-9', hung), ['host.hung_task gx-9']);
  assert.deepEqual(reported('Name:   train-0', 'Namespace:   ml', hung), ['host.hung_task log-1']);
  assert.deepEqual(reported(`2m   Warning   TaskHung   node/gx-7   INFO: task python:4411 blocked`), [
    'host.hung_task gx-7',
  ]);
});

test('an event of a pod names it, its message, and the node that the scheduler put it on', () => {
  const lines = [
    'LAST SEEN   TYPE      REASON        OBJECT          MESSAGE',
    '12m         Normal    Scheduled     pod/trainer-0   Successfully assigned ml/trainer-0 to gx-61',
    '3m          Warning   FailedMount   pod/trainer-2   MountVolume.SetUp failed for volume "data" : mount failed: exit status 32',
    '2m          Warning   FailedMount   pod/trainer-0   MountVolume.SetUp failed for volume "data" : mount failed: exit status 32',
  ];
  const found = foundIn(lines);
  const message = 'MountVolume.SetUp failed for volume "data" : mount failed: exit status 32';
  assert.deepEqual(
    found.map(({ component, attributes }) => [component?.id, attributes]),
    [
      ['log-1', { reason: 'FailedMount', pod: 'trainer-2', message }],
      ['gx-61', { reason: 'FailedMount', pod: 'trainer-0', namespace: 'ml', message }],
    ],
  );
});

test('the namespace is the first column of all namespaces', () => {
  const [found] = foundIn(['ops   2m   Warning   FailedMount   pod/dcgm-7   MountVolume.SetUp failed for volume "x"']);
  assert.equal(found?.attributes.namespace, 'ops');
  assert.equal(found?.attributes.pod, 'dcgm-7');
});

test('each pod of a table of events is said, and a container that ends again and again only where nothing else is of its pod', () => {
  const back = (pod: string) => `3m   Warning   BackOff   pod/${pod}   Back-off restarting failed container main in pod ${pod}_ml(1f2e)`; // biome-ignore format: one line
  const lines = [
    '4m   Warning   FailedPostStartHook   pod/trainer-2   PostStartHook failed',
    '3m   Warning   FailedMount   pod/trainer-4   MountVolume.SetUp failed for volume "data" : exit status 32',
    back('trainer-2'),
    back('trainer-3'),
    back('trainer-3'),
  ];
  const found = foundIn(lines);
  assert.deepEqual(
    found.map(({ kind, attributes }) => [kind, attributes.pod]),
    [
      ['pod.start_failed', 'trainer-2'],
      ['pod.start_failed', 'trainer-3'],
      ['pod.start_failed', 'trainer-4'],
    ],
  );
});

test('a driver container whose probe finds no driver says so of its node', () => {
  const line = 'gpu-operator   3m   Warning   Unhealthy   pod/nvidia-driver-daemonset-x1   Startup probe failed: NVIDIA-SMI has failed because it couldn\'t communicate with the NVIDIA driver.'; // biome-ignore format: one line
  const [found] = new PodEvents('log-1').take(line)?.findings ?? [];
  assert.equal(found?.kind, 'gpu.driver_unsupported');
  assert.deepEqual(
    [found.attributes.driver_loaded, found.attributes.pod, found.attributes.namespace],
    [false, 'nvidia-driver-daemonset-x1', 'gpu-operator'],
  );
});

test('kubectl get events -o wide: a GPU is of the node of the event, and a pod of the node whose kubelet says it', () => {
  const xid =
    '7m   Warning   XIDError   node/gx-31   nvidia-problem-detector, gx-31   NVRM: Xid (PCI:0000:9d:00): 79, GPU has fallen off the bus.   7m   1   gx-31.1';
  assert.deepEqual(reported(xid), ['gpu.lost 0000:9d:00.0']);
  const [finding] = new PodEvents('log-1').take(xid)?.findings ?? [];
  assert.equal(finding?.component?.host, 'gx-31');
  assert.equal(finding?.age?.seconds, 420);
  assert.equal(quotedKernel(xid), null);
  const pod = `7m   Warning   ${REJECTED}   pod/train-2   kubelet, gx-31   ${WHY}   7m   1   train-2.4`;
  assert.deepEqual(reported(pod), ['pod.rejected gx-31']);
});

test('events in the wide columns of kubectl before 1.10, and a pull alone in the words of the container runtime', () => {
  const wide = `  12m   9m   2   kubelet, ip-10-0-0-7.example.internal${' '.repeat(70)}Warning FailedMount   Unable to mount volumes for pod "train-0_ml(4c4e)": timeout expired waiting for volumes to attach/mount`;
  const pulled = (why: string) =>
    `Failed to pull image "registry.example.com/train:9": rpc error: code = Unknown desc = failed to do request: ${why}`;
  const kinds = (line: string) => readReport(line).faults.map(([kind]) => kind);
  assert.deepEqual(kinds(wide), ['pod.start_failed']);
  assert.deepEqual(kinds(wide.replace('Warning FailedMount', 'Normal Pulled')), []);
  assert.deepEqual(kinds(pulled('Get "https://registry.example.com/v2/": dial tcp: lookup registry.example.com: no such host')), ['pod.start_failed']); // biome-ignore format: one line
  assert.deepEqual(kinds(pulled('x509: certificate signed by unknown authority')), ['pod.start_failed']);
  assert.deepEqual(kinds(pulled('context canceled')), []);
});

test('volumes that were late are over once something of the container is said later, in whatever order', () => {
  const mount = (age: string) => `${age}   Warning   FailedMount   pod/etl-3   MountVolume.SetUp failed for volume "set" : timed out`; // biome-ignore format: one line
  const started = (age: string) => `${age}   Normal   Started   pod/etl-3   Started container main`;
  const image = '2m   Warning   Failed   pod/etl-3   Failed to pull image "registry.example.com/etl:4": not found';
  const reasons = (...lines: string[]) => foundIn(lines).map(({ attributes }) => attributes.reason);
  assert.deepEqual(reasons(mount('9m'), started('8m')), []);
  assert.deepEqual(reasons(started('8m'), mount('9m')), []);
  assert.deepEqual(reasons(mount('9m'), image), ['Failed']);
  assert.deepEqual(reasons(started('5d'), mount('40s (x9 over 12m)')), ['FailedMount']);
  assert.deepEqual(reasons(mount('9m'), started('8m').replace('etl-3', 'etl-4')), ['FailedMount']);
});

test('the last line of an event says why its container does not start, on the node of its pod', () => {
  const event = '  Warning  Failed  9s (x4 over 2m)  kubelet  Error: failed to create containerd task: OCI runtime create failed: error running prestart hook #0: exit status 1, stderr: Auto-detected mode as'; // biome-ignore format: one line
  const why = 'nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown';
  const [found, ...others] = foundIn(['Name:   eval-7', 'Namespace:   nlp', 'Node:   gx-52/10.0.0.52', `${event} 'legacy'`, why]); // biome-ignore format: one line
  assert.equal(others.length, 0);
  assert.deepEqual([found?.kind, found?.component?.id], ['pod.start_failed', 'gx-52']);
  assert.deepEqual([found?.attributes.pod, found?.attributes.message], ['eval-7', why]);
  assert.deepEqual(foundIn([why]), []);
});

test('a container that is ended for its probe begins again; one that is ended with its pod does not', () => {
  const killing = (why: string): string => `  Normal   Killing   41s   kubelet   ${why}`;
  for (const probe of ['liveness', 'startup'])
    assert.deepEqual(reported(killing(`Container server failed ${probe} probe, will be restarted`)), [
      'pod.start_failed log-1',
    ]);
  assert.deepEqual(reported(killing('Stopping container server')), []);
  assert.deepEqual(reported('  Warning  Unhealthy  41s  kubelet  Liveness probe failed: connection refused'), []);
});

test('an event without its object is of the pod that the kubelet names in it', () => {
  const event =
    '  Warning  BackOff  5s (x10 over 2m)  kubelet  Back-off restarting failed container main in pod train-0_ml(1234)';
  assert.deepEqual(reported(event), ['pod.start_failed log-1']);
});

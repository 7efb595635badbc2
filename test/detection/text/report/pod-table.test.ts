// The table of `kubectl get pods`: each pod by its name, on the host of the column NODE.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReport } from './read-report.ts';

const WIDE = [
  'NAMESPACE   NAME                         READY   STATUS             RESTARTS        AGE     IP            NODE    NOMINATED NODE   READINESS GATES',
  'ml          trainer-0                    0/1     Error              0               3h      10.40.1.11    gx-61   <none>           <none>',
  'ml          trainer-1                    0/1     ImagePullBackOff   0               3h      10.40.1.12    gx-62   <none>           <none>',
  'ml          trainer-2                    1/1     Running            1 (3h ago)      3h      10.40.1.14    gx-62   <none>           <none>',
  'serving     vllm-6d9c                    0/1     Pending            0               2h      <none>        <none>  <none>           <none>',
  'kube-system nvidia-device-plugin-9x2     0/1     CrashLoopBackOff   44 (2m ago)     9h      10.40.1.13    gx-63   <none>           <none>',
];

test('each pod is of the host that its row names, and what gives GPUs to all others is the gravest', () => {
  const { faults, findings } = readReport(WIDE.join('\n'));
  assert.deepEqual(faults, [
    ['job.failed', 'job/ml/trainer-0'],
    ['pod.start_failed', 'host/gx-62'],
    ['pod.start_failed', 'host/gx-63'],
  ]);
  assert.deepEqual(findings[1]?.attributes, { pod: 'trainer-1', namespace: 'ml', reason: 'ImagePullBackOff', message: 'ImagePullBackOff' }); // biome-ignore format: one line
  assert.equal(findings[2]?.attributes.message, 'CrashLoopBackOff, 44 restarts');
  assert.deepEqual(
    findings.map(({ severity }) => severity),
    [undefined, undefined, 'critical'],
  );
  assert.equal(findings[0]?.attributes.named_host, 'gx-61');
});

test('without a column for it the host is that of the text; a container that restarted twice is not said to loop', () => {
  const { faults } = readReport(
    [
      'NAME        READY   STATUS             RESTARTS   AGE',
      'trainer-0   0/1     CrashLoopBackOff   2          4m',
      'trainer-1   0/1     CrashLoopBackOff   9          4m',
      'trainer-2   0/1     CrashLoopBackOff   9          4m',
    ].join('\n'),
  );
  assert.deepEqual(faults, [
    ['pod.start_failed', 'host/node-1'],
    ['pod.start_failed', 'host/node-1'],
  ]);
});

test('rows whose head was not copied are read by their form', () => {
  const rows = [
    'trainer-3                 1/1     Running            4 (24d ago)     85d',
    'gpu-device-plugin-wvvnp   0/1     CrashLoopBackOff   212 (3m9s ago)  37h',
    'ml   loader-7   0/1   ImagePullBackOff   0   4m',
  ];
  const { findings } = readReport(rows.join('\n'));
  assert.deepEqual(
    findings.map(({ attributes }) => [attributes.pod, attributes.namespace]),
    [['gpu-device-plugin-wvvnp', undefined], ['loader-7', 'ml']],
  ); // biome-ignore format: one line
  assert.deepEqual(readReport('epoch 3/10 CrashLoopBackOff seen in the log of 4 pods').faults, []);
});

test('a pod that is on its way for an hour is stuck; for less, or where it waits for its turn, it is not', () => {
  const { faults, findings } = readReport(
    [
      'NAMESPACE   NAME                        READY   STATUS              RESTARTS   AGE    IP       NODE    NOMINATED NODE   READINESS GATES',
      'ml          loader-0                    0/1     ContainerCreating   0          59m    <none>   gx-61   <none>           <none>',
      'ml          loader-1                    0/1     Init:1/3            0          1h2m   <none>   gx-62   <none>           <none>',
      'ml          loader-2                    0/1     PodInitializing     0          2d     <none>   gx-63   <none>           <none>',
      'ml          loader-3                    0/1     Pending             0          2d     <none>   gx-64   <none>           <none>',
    ].join('\n'),
  );
  assert.deepEqual(faults, [
    ['pod.start_failed', 'host/gx-62'],
    ['pod.start_failed', 'host/gx-63'],
  ]);
  assert.deepEqual(
    findings.map(({ attributes }) => attributes.message),
    ['Init:1/3 for 1h2m', 'PodInitializing for 2d'],
  );
});

test('a pod that its node evicted or refused is said to be, also under the head of the table', () => {
  const { faults, findings } = readReport(
    [
      'NAME        READY   STATUS                     RESTARTS   AGE',
      'trainer-0   0/1     Evicted                    0          3h',
      'trainer-1   0/1     UnexpectedAdmissionError   0          3m',
      'trainer-2   0/1     OutOfnvidia.com/gpu        0          3m',
      'trainer-3   0/1     Completed                  0          3m',
    ].join('\n'),
  );
  assert.deepEqual(
    faults.map(([kind]) => kind),
    ['pod.evicted', 'pod.rejected', 'pod.rejected'],
  );
  assert.equal(findings[0]?.severity, 'warning');
});

// Pods as kubectl prints them: in which namespace they were asked for, on which node they are, and what their own log says of how they end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const TABLE = [
  '$ kubectl --namespace chat get po -o wide',
  'NAME           READY   STATUS             RESTARTS       AGE   IP           NODE    NOMINATED NODE   READINESS GATES',
  'api-77-qx2     0/1     CrashLoopBackOff   9 (70s ago)    31m   10.1.7.4     nb-07   <none>           <none>',
];
const LOGS = [
  '$ kubectl -n chat logs api-77-qx2 -c server --previous | tail -n 3',
  'Traceback (most recent call last):',
  '  File "/app/serve.py", line 12, in <module>',
  "ModuleNotFoundError: No module named 'flash_attn'",
];

test('commands that are to be pasted have the namespace of the command above the table', async (t) => {
  const text = await scannedLogs(t, { 'pods.txt': TABLE });
  assert.match(text, /kubectl logs api-77-qx2 -n chat --previous .* kubectl describe pod api-77-qx2 -n chat /);
  assert.match(text, /Call +who runs pod chat\/api-77-qx2/);
});

test('a pod whose own log says how it ends is one incident, on its node and under its name, in either order', async (t) => {
  for (const lines of [
    [...TABLE, ...LOGS],
    [...LOGS, ...TABLE],
  ]) {
    const text = await scannedLogs(t, { 'notes.txt': lines });
    assert.match(text, /\n1 incident out of /);
    assert.match(text, /rank crashed on chat\/api-77-qx2: ModuleNotFoundError: No module named 'flash_attn' \(nb-07\)/);
    assert.doesNotMatch(text, /called after their logs|host not named/);
  }
});

test('a log of another pod leaves the one that ends again and again as it is', async (t) => {
  const other = LOGS.map((line) => line.replace('api-77-qx2', 'api-77-zz9'));
  const text = await scannedLogs(t, { 'notes.txt': [...TABLE, ...other] });
  assert.match(text, /\n2 incidents out of /);
  assert.match(text, /container ends again and again on nb-07: pod chat\/api-77-qx2/);
});

test('a pod whose log ends with a GPU out of memory is one incident, on its node', async (t) => {
  const oom = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.11 GiB of which 1.20 GiB is free. Including non-PyTorch memory, this process has 77.00 GiB memory in use.'; // biome-ignore format: one line
  const text = await scannedLogs(t, { 'notes.txt': [...TABLE, LOGS[0] ?? '', oom] });
  assert.match(text, /\n1 incident out of /);
  assert.match(text, /GPU out of memory on chat\/api-77-qx2 \(nb-07/);
});

test('a pod without a GPU sends to its node', async (t) => {
  const text = await scannedLogs(t, {
    'notes.txt': [...TABLE, LOGS[0] ?? '', 'RuntimeError: No CUDA GPUs are available'],
  });
  assert.match(text, /Do +find out why chat\/api-77-qx2 is given no GPU on nb-07 /);
  assert.match(text, /Now +kubectl describe node nb-07 \| grep nvidia\.com\/gpu; on nb-07, nvidia-smi -L;/);
  assert.match(text, /Call +who runs nb-07/);
});

test('the node of a pod is that of its Scheduled event, wherever that is, and the end of a long message is its cause', async (t) => {
  const text = await scannedLogs(t, {
    'ev.txt': [
      'LAST SEEN   TYPE      REASON                   OBJECT          MESSAGE',
      '40s         Warning   FailedCreatePodSandBox   pod/pretrain-3   Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "77e0": plugin type="calico" failed (add): error getting ClusterInformation: failed to allocate for range 0: no IP addresses available in range set: 10.4.0.1-10.4.0.254',
      '3m          Normal    Scheduled                pod/pretrain-3   Successfully assigned lab/pretrain-3 to nb-11',
    ],
  });
  assert.match(
    text,
    /Root cause +container does not start on nb-11: pod lab\/pretrain-3, .*no IP addresses available in range set: 10\.4\.0\.1-10\.4\.0\.254\n/,
  );
  assert.match(text, /Now +the addresses for pods of nb-11 are used up/);
  assert.match(text, /Call +who runs the network of the cluster of nb-11/);
});

test('a node that someone cordoned is behind one that no one did, and is said to be cordoned', async (t) => {
  const text = await scannedLogs(t, {
    'nodes.txt': [
      'NAME    STATUS                        ROLES    AGE   VERSION',
      'nb-02   NotReady,SchedulingDisabled   <none>   90d   v1.30.2',
      'nb-09   NotReady                      <none>   90d   v1.30.2',
    ],
  });
  assert.match(text, /The gravest of them: \w+, error: node not ready for Kubernetes on nb-09/);
  assert.match(text, /warning .*on nb-02\s.*Do +ask who cordoned nb-02, and whether it is down for that work/s);
  assert.doesNotMatch(text, /ask who cordoned nb-09/);
});

// What a text says itself is used: times in its lines, the pod and its node, whose process ended, and that a silent node may be dead.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

/** The text of the report in lines that are not broken. */
const scanned = (t: TestContext, name: string, lines: readonly string[]): Promise<string> =>
  scannedLogs(t, { [name]: lines });

test('a node whose kubelet stopped posting may be dead: whether it is up comes first, since when its condition says', async (t) => {
  const condition = (type: string): string =>
    `  ${type}   Unknown   Sun, 29 Nov 2026 02:10:02 +0000   Sun, 29 Nov 2026 02:11:02 +0000   NodeStatusUnknown   Kubelet stopped posting node status.`;
  const text = await scanned(t, 'describe-node.txt', [
    'Name:               gx-18',
    'Conditions:',
    condition('MemoryPressure'),
    condition('Ready'),
  ]);
  assert.match(text, / seen [\d-]+ 02:11:02\n/);
  assert.match(
    text,
    /Now +ping -c 3 gx-18; ssh gx-18 uptime; ipmitool .* chassis power status: .*Where it is up, there: sudo systemctl/,
  );
  assert.doesNotMatch(text, /when the file was written|no line names the host/);
});

test('a container that was killed is of its pod, on the node of that, when it finished', async (t) => {
  const pod = [
    'Name:             llama-worker-2',
    'Namespace:        train',
    'Node:             gx-19/10.2.0.19',
    'Containers:',
    '  trainer:',
    '    Last State:     Terminated',
    '      Reason:       OOMKilled',
    '      Exit Code:    137',
    '      Started:      Sun, 29 Nov 2026 02:00:00 +0000',
    '      Finished:     Sun, 29 Nov 2026 02:30:00 +0000',
  ];
  const text = await scanned(t, 'describe-pod.txt', pod);
  assert.match(text, / seen [\d-]+ 02:30:00\n/);
  assert.match(text, /Root cause +container out of memory on gx-19: pod train\/llama-worker-2\n/);
  assert.match(text, /Effect +on pod train\/llama-worker-2 itself\n/);
  assert.match(text, /Call +who runs pod train\/llama-worker-2\n/);
  const undated = await scanned(t, 'describe-pod.txt', pod.slice(0, -1));
  assert.match(undated, /Root cause +container out of memory on gx-19: pod train\/llama-worker-2\n/);
  assert.match(undated, /when the file was written/);
});

test('times of vLLM have no year, and are read', async (t) => {
  const text = await scanned(t, 'vllm.log', [
    'ERROR 11-29 03:00:17 [core.py:634] EngineCore encountered a fatal error.',
    'ERROR 11-29 03:00:17 [core.py:634] Traceback (most recent call last):',
    'ERROR 11-29 03:00:17 [core.py:634] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of 79.11 GiB of which 1.02 GiB is free.',
  ]);
  assert.match(text, / seen [\d-]+ 03:00:17\n/);
  assert.match(text, /times without a year are of the newest one that fits the file/);
  assert.match(text, /Effect +on vllm itself\n/);
});

test('a process that the kernel ended is an effect, and its memory is of the host of the file', async (t) => {
  const text = await scanned(t, 'dmesg-gx-36.txt', [
    '[Sun Nov 29 02:41:00 2026] EDAC MC3: 1 UE memory read error on CPU_SrcID#1_MC#1_Chan#0_DIMM#0 (channel:0 slot:0 page:0x1c2f3a offset:0x40 grain:32 -  err_code:0x0101:0x0090)',
    '[Sun Nov 29 02:41:00 2026] Memory failure: 0x1c2f3a: Sending SIGBUS to python:5511 due to hardware memory corruption',
  ]);
  assert.match(text, /Root cause +uncorrected memory error on gx-36 dimm MC3 /);
  assert.match(text, /Effect +process python \(5511\) ended\n/);
  const limit = await scanned(t, 'dmesg-gx-51.txt', [
    '[Sun Nov 29 06:10:01 2026] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0-1,oom_memcg=/system.slice/slurmstepd.scope/job_90411,task_memcg=/system.slice/slurmstepd.scope/job_90411/step_0/user/task_0,task=python,pid=5123,uid=1002',
  ]);
  assert.match(limit, /Effect +process python \(5123\) ended, of slurm job 90411\n/);
});

// What schedulers, kubelets and frameworks say of who was hit, where the other end is and what is over, as the head has it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

test('a pod that a kubelet evicted is named behind its words, and the effect of the shortage is on it', async (t) => {
  const text = await scannedLogs(t, {
    'kubelet.log': [
      'Nov 29 12:00:01 nb-13 kubelet[1999]: I1129 12:00:01.100001    1999 eviction_manager.go:366] "Eviction manager: attempting to reclaim" resourceName="ephemeral-storage"',
      'Nov 29 12:00:03 nb-13 kubelet[1999]: I1129 12:00:03.220001    1999 eviction_manager.go:627] "Eviction manager: pod is evicted successfully" pod="lab/render-7"',
    ],
  });
  assert.match(text, /Effect +pod lab\/render-7 evicted/);
});

test('a node that its scheduler reboots as asked is not called drained', async (t) => {
  const text = await scannedLogs(t, {
    'slurmctld.log': [
      '[2026-11-29T05:00:20.010] update_node: node hx-27 reason set to: Reboot ASAP : new kernel',
      '[2026-11-29T05:05:44.410] node hx-27 returned to service',
    ],
  });
  assert.match(text, /No incident/);
  assert.doesNotMatch(text, /Drained|state=resume/);
});

test('the host of a bare prompt is that of the command behind it, and of none that asks others', async (t) => {
  const said = ['Failed to initialize NVML: Driver/library version mismatch'];
  const own = await scannedLogs(t, { 'smi.txt': ['hx-92$ nvidia-smi', ...said] });
  assert.match(own, /Do +reload the driver of hx-92: an upgrade replaced its library/);
  const other = await scannedLogs(t, { 'smi.txt': ['login-2$ ssh hx-92 nvidia-smi', ...said] });
  assert.doesNotMatch(other, /of login-2/);
});

test('a stale handle is mounted again, and not called a broken disk', async (t) => {
  const text = await scannedLogs(t, {
    'job-42.out': [
      'Traceback (most recent call last):',
      '  File "prep.py", line 3, in <module>',
      "OSError: [Errno 116] Stale file handle: '/proj/a/tokens.bin'",
      'srun: error: hx-99: task 0: Exited with exit code 1',
    ],
  });
  assert.match(text, /Do +mount again what holds \/proj\/a\/tokens\.bin on hx-99: its handle is stale/);
});

test('a store that closed the connection is looked for where the lines say that it is', async (t) => {
  const text = await scannedLogs(t, {
    'out.log': [
      "2026-11-29 06:10:14,330 ERROR RuntimeError: [9] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: Connection reset by peer",
      '2026-11-29 06:10:14,331 ERROR torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to (hx-93, 29400).',
    ],
  });
  assert.match(text, /To find out +why rank 0 on hx-93 closed it or did not answer/);
  assert.match(text, /on hx-93, ss -ltnp \| grep :29400/);
});

test('a pod that only its UID names comes with how it is found', async (t) => {
  const pod = '1b1d77aa_2f10_4f53_9f0e_c3a1ee30c2ff';
  const text = await scannedLogs(t, {
    'dmesg-nb-3.txt': [
      '[Sun Nov 29 13:02:46 2026] python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=984',
      `[Sun Nov 29 13:02:46 2026] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=cri-containerd-9f.scope,mems_allowed=0-1,oom_memcg=/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${pod}.slice,task_memcg=/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${pod}.slice/cri-containerd-9f.scope,task=python3,pid=40911,uid=0`,
      '[Sun Nov 29 13:02:46 2026] Memory cgroup out of memory: Killed process 40911 (python3) total-vm:98211004kB, anon-rss:41120444kB, file-rss:90112kB, shmem-rss:1048576kB, UID:0 pgtables:91002kB oom_score_adj:984',
    ],
  });
  assert.match(
    text,
    /Call +who runs pod 1b1d77aa-2f10-4f53-9f0e-c3a1ee30c2ff \(its UID; kubectl get pods -A -o custom-columns=\S+ \| grep 1b1d77aa names it\)/,
  );
});

test('of a node that Ray marked dead its raylet is looked at where the host is up', async (t) => {
  const text = await scannedLogs(t, {
    'driver.log': ['2026-11-29 08:00:01,327 WARNING worker.py:2074 -- The node with node id: ada3a3771fac751bd7c6b674e3b5e2df045b93550e6d31a410cad0be and address: 10.2.0.15 and node name: 10.2.0.15 has been marked dead because the detector has missed too many heartbeats from it. This can happen when a (1) raylet crashes unexpectedly (OOM, etc.)'], // biome-ignore format: one line
  });
  assert.match(text, /tail -n 50 \/tmp\/ray\/session_latest\/logs\/raylet\.out/);
});

test('nodes that a waiting job cannot have are to be looked at, and no incident', async (t) => {
  const text = await scannedLogs(t, {
    'squeue.txt': [
      '             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)',
      '             80200      h100   sft-a      ana PD       0:00      4 (ReqNodeNotAvail, UnavailableNodes:hx-[07,09])',
      '             80150      h100   eval       bob  R   12:11:02      1 hx-24',
    ],
  });
  assert.match(text, /No incident/);
  assert.match(
    text,
    /To be looked at: hx-\[07,09\] not available to job 80200, which waits for it: sinfo -R -n hx-\[07,09\] says why/,
  );
});

test('a device plugin that ended is looked for itself', async (t) => {
  const text = await scannedLogs(t, {
    'kubelet.log': [
      'Nov 29 07:02:12 nb-45 kubelet[3011]: W1129 07:02:12.110221    3011 endpoint.go:107] "ListAndWatch ended unexpectedly for device plugin" err="rpc error: code = Unavailable desc = error reading from server: EOF" resourceName="nvidia.com/gpu"',
      'Nov 29 07:02:12 nb-45 kubelet[3011]: I1129 07:02:12.111021    3011 manager.go:278] "Mark all resources Unhealthy for resource" resourceName="nvidia.com/gpu"',
    ],
  });
  assert.match(text, /Most likely that plugin itself.*To find out +why the device plugin of that node ended/s);
  assert.doesNotMatch(text, /Most likely a GPU/);
});

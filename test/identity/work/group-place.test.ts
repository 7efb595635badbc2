// Where a process belongs by its control groups: each form that runtimes, kubelets and schedulers write.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BatchPlace, GroupPlace } from '../../../src/identity/work/facts.ts';
import { GROUP_MARKS, groupPlace, NO_PLACE } from '../../../src/identity/work/group-place.ts';

const ID = 'a'.repeat(63);
const C0 = `${ID}0`;
const C1 = `${ID}1`;
const UID = '2c48913c-b29f-11e7-9350-020968147796';
const UID_ = UID.replaceAll('-', '_');
const HASH = '5a3e1a1b5f1c0d6bd0f9f7c9ad4e0b12';
const SLUID = 's0ABCDEFGH1JKM';

type Row = readonly [name: string, path: string, place: Partial<GroupPlace>];
const slurm = (given: Partial<BatchPlace>): Partial<GroupPlace> => ({
  batch: { manager: 'slurm', job: null, sluid: null, step: null, task: null, ...given },
});
const other = (manager: BatchPlace['manager'], job: string): Partial<GroupPlace> => ({
  batch: { manager, job, sluid: null, step: null, task: null },
});
const inPod = (container: string | null, runtime: string | null, pod = UID) => ({ pod, container, runtime });

// biome-ignore format: one row a form
const FORMS: readonly Row[] = [
  ['kubelet, systemd driver', `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID_}.slice/cri-containerd-${C0}.scope`, inPod(C0, 'containerd')],
  ['kubelet, systemd driver, Guaranteed', `/kubepods.slice/kubepods-pod${UID_}.slice/crio-${C0}.scope`, inPod(C0, 'cri-o')],
  ['the pod itself', `/kubepods.slice/kubepods-pod${UID_}.slice`, inPod(null, null)],
  ['kubelet, cgroupfs driver', `/kubepods/burstable/pod${UID}/${C0}`, inPod(C0, null)],
  ['static pod, cgroupfs driver', `/kubepods/besteffort/pod${HASH}/${C0}`, inPod(C0, null, HASH)],
  ['static pod, systemd driver', `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${HASH}.slice/cri-containerd-${C0}.scope`, inPod(C0, 'containerd', HASH)],
  ['containerd with another driver than the kubelet', `/system.slice/containerd.service/kubepods-besteffort-pod${UID_}.slice:cri-containerd:${C0}`, inPod(C0, 'containerd')],
  ['CRI-O with crun', `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID_}.slice/crio-${C0}.scope/container`, inPod(C0, 'cri-o')],
  ['CRI-O, cgroupfs driver', `/kubepods/burstable/pod${UID}/crio-${C0}`, inPod(C0, 'cri-o')],
  ["CRI-O's monitor", `/kubepods.slice/kubepods-pod${UID_}.slice/crio-conmon-${C0}.scope`, {}],
  ['Docker, systemd driver', `/system.slice/docker-${C0}.scope`, { container: C0, runtime: 'docker' }],
  ['Docker, cgroupfs driver', `/docker/${C0}`, { container: C0, runtime: 'docker' }],
  ['cri-dockerd', `/kubepods.slice/kubepods-pod${UID_}.slice/docker-${C0}.scope`, inPod(C0, 'docker')],
  ['podman', `/machine.slice/libpod-${C0}.scope/container`, { container: C0, runtime: 'podman' }],
  ['podman without root', `/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-${C0}.scope`, { container: C0, runtime: 'podman' }],
  ["podman's monitor", `/machine.slice/libpod-conmon-${C0}.scope`, {}],
  ["podman's pod, which is none of Kubernetes", `/machine.slice/machine-libpod_pod_${C1}.slice/libpod-${C0}.scope`, { container: C0, runtime: 'podman' }],
  ['nerdctl', `/system.slice/nerdctl-${C0}.scope`, { container: C0, runtime: 'nerdctl' }],
  ['nerdctl, cgroupfs driver', `/default/${C0}`, { container: C0, runtime: null }],
  ['LXC 3', '/lxc/train-1', { container: 'train-1', runtime: 'lxc' }],
  ['LXC 4', '/lxc.payload.train-1/system.slice/x.service', { container: 'train-1', runtime: 'lxc' }],
  ["LXC's monitor", '/lxc.monitor.train-1', {}],
  ['Talos, a system service', '/podruntime/kubelet', {}],
  ['Talos, a pod', `/kubepods/guaranteed/pod${UID}/${C0}`, inPod(C0, null)],
  ["kind: below Docker's container", `/system.slice/docker-${C1}.scope/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/kubelet-kubepods-burstable-pod${UID_}.slice/cri-containerd-${C0}.scope`, inPod(C0, 'containerd')],
  ['Docker in a pod', `/kubepods/burstable/pod${UID}/${C1}/docker/${C0}`, inPod(C0, 'docker')],
  ['Slurm, version 2, a task', '/system.slice/slurmstepd.scope/job_991/step_0/user/task_3', slurm({ job: '991', step: '0', task: 3 })],
  ['Slurm, version 2, its own helper', '/system.slice/slurmstepd.scope/job_991/step_0/slurm', slurm({ job: '991', step: '0' })],
  ['Slurm, the batch script', '/system.slice/slurmstepd.scope/job_991/step_batch/user/task_0', slurm({ job: '991', step: 'batch', task: 0 })],
  ['Slurm, adopted shells', '/system.slice/slurmstepd.scope/job_991/step_extern/user/task_special', slurm({ job: '991', step: 'extern' })],
  ['Slurm, a heterogeneous job', '/system.slice/slurmstepd.scope/job_991/step_0+1/user/task_8', slurm({ job: '991', step: '0+1', task: 8 })],
  ['Slurm by SLUID', `/system.slice/slurmstepd.scope/${SLUID}/step_0/user/task_12`, slurm({ sluid: SLUID, step: '0', task: 12 })],
  ['Slurm, several daemons on a node', '/system.slice/n3_slurmstepd.scope/job_7/step_1/user/task_0', slurm({ job: '7', step: '1', task: 0 })],
  ['Slurm, another slice', '/hpc.slice/slurmstepd.scope/job_7/step_1/user/task_0', slurm({ job: '7', step: '1', task: 0 })],
  ['Slurm, waiting room', '/system.slice/slurmstepd.scope/system', {}],
  ['Slurm, the daemon', '/system.slice/slurmd.service', {}],
  ['Slurm, version 1', '/slurm/uid_1000/job_991/step_2/task_1', slurm({ job: '991', step: '2', task: 1 })],
  ['Slurm, version 1, several daemons', '/slurm_n3/uid_1000/job_991/step_batch', slurm({ job: '991', step: 'batch' })],
  ['Slurm in a pod', `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID_}.slice/cri-containerd-${C0}.scope/system.slice/slurmstepd.scope/job_5/step_0/user/task_0`, { ...inPod(C0, 'containerd'), ...slurm({ job: '5', step: '0', task: 0 }) }],
  ['OpenPBS, version 1', '/pbs_jobs.service/jobid/123.server', other('pbs', '123.server')],
  ['OpenPBS, version 2, of an array', '/pbs_jobs.service/jobs/123[4].server', other('pbs', '123[4].server')],
  ['LSF', '/lsf/cluster1/job.4711.12345.123443', other('lsf', '4711')],
  ['Flux with units', '/user.slice/user-500.slice/user@500.service/app.slice/imp-shell-0-f2dVDgrLNb.service', other('flux', 'f2dVDgrLNb')],
  ['from inside: a pod', `/../../kubepods-pod${UID_}.slice/cri-containerd-${C0}.scope`, inPod(C0, 'containerd')],
  ['from inside: a job', '/../../../system.slice/slurmstepd.scope/job_1', slurm({ job: '1' })],
  ['from inside: a job of the same scope', '/../../../../job_12/step_0/user/task_1', slurm({ job: '12', step: '0', task: 1 })],
  ['kata: the machine of the pod', `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UID_}.slice/cri-containerd-${C0}.scope`, inPod(C0, 'containerd')],
  ['gVisor: the sentry of the pod', `/kubepods/burstable/pod${UID}/${C0}`, inPod(C0, null)],
  ['a user who calls groups like a job', '/user.slice/user-1000.slice/user@1000.service/app.slice/job_4411/step_0/task_0', {}],
  ["a user's own scope of Slurm's", '/user.slice/user-1000.slice/user@1000.service/app.slice/slurmstepd.scope/job_4411/step_0/user/task_0', {}],
  ["a user's slice", '/user.slice/user-1000.slice/session-2.scope/slurm/uid_1000/job_4411/step_0', {}],
  ['Slurm in a container', `/system.slice/docker-${C0}.scope/system.slice/slurmstepd.scope/job_4411/step_0/user/task_0`, { container: C0, runtime: 'docker' }],
  ['Slurm in a container of version 1', `/docker/${C0}/slurm/uid_0/job_4411/step_0`, { container: C0, runtime: 'docker' }],
  ['Slurm in podman', `/machine.slice/libpod-${C0}.scope/slurmstepd.scope/job_4411/step_0`, { container: C0, runtime: 'podman' }],
  ['Slurm in LXC', '/lxc.payload.a/system.slice/slurmstepd.scope/job_4411/step_0', { container: 'a', runtime: 'lxc' }],
  ['a job below a unit of anyone', '/system.slice/x.service/job_4411/step_0', {}],
  ["a user's PBS", '/user.slice/user-1000.slice/user@1000.service/pbs_jobs.service/jobid/123.server', {}],
  ["a user's LSF", `/system.slice/docker-${C0}.scope/lsf/cluster1/job.4711.1.2`, { container: C0, runtime: 'docker' }],
  ["a user's pod", `/user.slice/user-1000.slice/user@1000.service/kubepods-pod${UID_}.slice/x.scope`, {}],
  ['our own group, from inside', '/', {}],
  ['a session', '/user.slice/user-1000.slice/session-2.scope', {}],
  ['a unit that only looks like one', '/system.slice/job_runner.service', {}],
  ['a user folder with the name of a pod', '/user.slice/tripod-of-mine/x.scope', {}],
];

for (const [name, path, place] of FORMS) {
  test(name, () => {
    const text = `0::${path}\n`;
    assert.deepEqual(groupPlace(text), { ...NO_PLACE, ...place });
    // What native code asks first must not pass over it.
    if (Object.keys(place).length > 0 && !path.startsWith('/default/'))
      assert.ok(GROUP_MARKS.some((mark) => text.includes(mark)));
  });
}

test('on a host with both versions the longest path that says something counts', () => {
  const text = [
    '12:memory:/slurm/uid_1000/job_991/step_0/task_2',
    '5:freezer:/slurm/uid_1000/job_991/step_0',
    '1:name=systemd:/system.slice/slurmd.service',
    '0::/',
  ].join('\n');
  assert.deepEqual(groupPlace(text), { ...NO_PLACE, ...slurm({ job: '991', step: '0', task: 2 }) });
});

test('what is not of that form says nothing, whatever it holds', () => {
  for (const text of ['', '\n\n', 'x', '0::', '0::relative', `0::/${'x/'.repeat(3000)}`, '0::/kubepods/pod../x'])
    assert.deepEqual(groupPlace(text), NO_PLACE);
});

// Whose job a pod is by its labels: one row for each kind of workload, with labels as its operator writes them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WORKLOADS } from '../../../../src/sources/kubernetes/pod/kept-names.ts';
import { readPod } from '../../../../src/sources/kubernetes/pod/read-pod.ts';
import { labelledOwner, placedVariables, workloadOf } from '../../../../src/sources/kubernetes/pod/workload.ts';

interface Row {
  readonly what: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly controller?: { kind: string; name: string };
  readonly owner: string | null;
  readonly queue?: string;
  readonly attempt?: number;
  readonly batchJob?: string;
  readonly user?: string;
  readonly variables?: Record<string, string>;
}

const controller = (kind: string, name: string) => ({ kind, name });

const ROWS: readonly Row[] = [
  { what: 'PyTorchJob', labels: { 'training.kubeflow.org/job-name': 'llama', 'training.kubeflow.org/operator-name': 'pytorchjob-controller' }, controller: controller('PyTorchJob', 'llama'), owner: 'PyTorchJob llama' },
  { what: 'MPIJob v2', labels: { 'training.kubeflow.org/job-name': 'hpl', 'training.kubeflow.org/operator-name': 'mpi-operator' }, owner: 'MPIJob hpl' },
  { what: 'an operator that is not known', labels: { 'training.kubeflow.org/job-name': 'z', 'training.kubeflow.org/operator-name': 'zjob-controller' }, owner: 'training job z' },
  { what: 'TrainJob', labels: { 'jobset.sigs.k8s.io/jobset-name': 'tune', 'trainer.kubeflow.org/trainjob-ancestor-step': 'trainer', 'batch.kubernetes.io/job-name': 'tune-node-0', 'batch.kubernetes.io/job-completion-index': '2' }, owner: 'TrainJob tune', variables: { JOB_COMPLETION_INDEX: '2' } },
  { what: 'JobSet', labels: { 'jobset.sigs.k8s.io/jobset-name': 'set', 'batch.kubernetes.io/job-name': 'set-w-0', 'jobset.sigs.k8s.io/restart-attempt': '2' }, owner: 'JobSet set', attempt: 2 },
  { what: 'indexed Job', labels: { 'batch.kubernetes.io/job-name': 'array', 'batch.kubernetes.io/job-completion-index': '7', 'batch.kubernetes.io/controller-uid': 'u' }, controller: controller('Job', 'array'), owner: 'Job array', variables: { JOB_COMPLETION_INDEX: '7' } },
  { what: 'Job before 1.27', labels: { 'job-name': 'old', 'controller-uid': 'u' }, owner: 'Job old' },
  { what: 'LeaderWorkerSet', labels: { 'leaderworkerset.sigs.k8s.io/name': 'vllm', 'leaderworkerset.sigs.k8s.io/worker-index': '1' }, controller: controller('StatefulSet', 'vllm-0'), owner: 'LeaderWorkerSet vllm', variables: { LWS_WORKER_INDEX: '1' } },
  { what: 'RayCluster', labels: { 'ray.io/cluster': 'ray', 'ray.io/group': 'workers', 'ray.io/node-type': 'worker' }, owner: 'RayCluster ray' },
  { what: 'RayJob', labels: { 'ray.io/cluster': 'ray-x7k', 'ray.io/originated-from-cr-name': 'ray', 'ray.io/originated-from-crd': 'RayJob' }, owner: 'RayJob ray' },
  { what: 'Volcano', labels: { 'volcano.sh/job-name': 'v', 'volcano.sh/queue-name': 'gold', 'volcano.sh/task-index': '4', 'volcano.sh/job-retry-count': '1' }, owner: 'Volcano Job v', queue: 'gold', attempt: 1, variables: { VC_TASK_INDEX: '4' } },
  { what: 'Kueue', labels: { 'kueue.x-k8s.io/queue-name': 'team-a', 'batch.kubernetes.io/job-name': 'j' }, owner: 'Job j', queue: 'team-a' },
  { what: 'StatefulSet', labels: { 'apps.kubernetes.io/pod-index': '0' }, controller: controller('StatefulSet', 'db'), owner: 'StatefulSet db' },
  { what: 'Deployment', labels: { 'pod-template-hash': '6d4f' }, controller: controller('ReplicaSet', 'web-6d4f'), owner: 'Deployment web' },
  { what: 'a set without the hash', labels: {}, controller: controller('ReplicaSet', 'web-6d4f'), owner: 'ReplicaSet web-6d4f' },
  { what: 'static pod', annotations: { 'kubernetes.io/config.mirror': 'a'.repeat(32) }, controller: controller('Node', 'node-3'), owner: null },
  { what: 'Slurm by SUNK', annotations: { 'slurm.coreweave.com/job-id': '991' }, owner: null, batchJob: '991' },
  { what: 'Slurm by slurm-bridge', annotations: { 'slurmjob.slinky.slurm.net/job-id': '12' }, owner: null, batchJob: '12' },
  { what: 'a user by a label of the configuration', labels: { 'example.com/owner': 'eve', user: 'ada' }, owner: null, user: 'eve' },
  { what: 'nothing', owner: null },
]; // biome-ignore format: one row each

for (const { what, labels = {}, annotations = {}, controller: by, ...expected } of ROWS) {
  test(what, () => {
    const ownerReferences = by === undefined ? [] : [{ ...by, controller: true, uid: 'u', apiVersion: 'v1' }];
    const pod = readPod({ metadata: { name: 'p', namespace: 'train', uid: 'u', labels, annotations, ownerReferences } }, ['example.com/owner']); // biome-ignore format: one line
    assert.ok(pod !== null);
    const { owner, queue, attempt, batchJob, user } = workloadOf(pod, ['example.com/owner']);
    assert.equal(owner === null ? null : `${owner.kind} ${owner.name}`, expected.owner);
    assert.equal(queue, expected.queue ?? null);
    assert.equal(attempt, expected.attempt ?? null);
    assert.equal(batchJob, expected.batchJob ?? null);
    assert.equal(user, expected.user ?? null);
    assert.deepEqual(placedVariables(pod, {}), expected.variables ?? {});
  });
}

test('what runs jobs by its labels, and what a controller alone runs', () => {
  const pod = (labels: Record<string, string>, kind: string) => readPod({ metadata: { name: 'p', namespace: 'n', uid: 'u', labels, ownerReferences: [{ kind, name: 'x', controller: true }] } }); // biome-ignore format: one line
  const [job, daemon] = [pod({ 'batch.kubernetes.io/job-name': 'x' }, 'Job'), pod({ app: 'exporter' }, 'DaemonSet')];
  assert.ok(job !== null && daemon !== null);
  assert.deepEqual(labelledOwner(job), { kind: 'Job', name: 'x' });
  assert.equal(labelledOwner(daemon), null);
  assert.deepEqual(workloadOf(daemon).owner, { kind: 'DaemonSet', name: 'x' });
});

test('what the specification sets goes before what labels say', () => {
  const labels = { 'batch.kubernetes.io/job-completion-index': '7' };
  const pod = readPod({ metadata: { name: 'p', namespace: 'n', uid: 'u', labels } });
  assert.ok(pod !== null);
  assert.deepEqual(placedVariables(pod, { JOB_COMPLETION_INDEX: '3' }), { JOB_COMPLETION_INDEX: '3' });
});

test('names that break out of a path, a line or a component are no pods', () => {
  for (const name of ['../etc', 'a b', 'a\nb', '', 'a/b', 'A', `${'a'.repeat(254)}`])
    for (const key of ['name', 'namespace', 'uid'])
      if (!(key === 'uid' && name === 'A'))
        assert.equal(
          readPod({ metadata: { name: 'p', namespace: 'n', uid: 'u', [key]: name } }),
          null,
          `${key} ${name}`,
        );
});

test('the catalogue: each owner says where its label comes from, and each name is one', () => {
  for (const { kind, name, from, where = {} } of WORKLOADS.owners) {
    assert.ok(kind !== '' && from.length > 5, name);
    for (const label of [name, ...Object.keys(where)]) assert.match(label, /^[a-z0-9./-]+$/);
  }
  for (const { from } of WORKLOADS.indexes) assert.ok(from.length > 5);
  for (const variable of WORKLOADS.variables) assert.match(variable, /^[A-Z][A-Z0-9_]*$/);
});

test('variables: fields of the pod, references to earlier ones, the last entry of a name', () => {
  const env = [
    { name: 'GROUP', value: '4' },
    { name: 'LWS_GROUP_SIZE', value: '$(GROUP)' },
    { name: 'RANK', value: '$(UNKNOWN)' },
    { name: 'WORLD_SIZE', value: '8' },
    { name: 'WORLD_SIZE', value: '16' },
    { name: 'NODE_RANK', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
    { name: 'LWS_WORKER_INDEX', valueFrom: { fieldRef: { fieldPath: "metadata.labels['leaderworkerset.sigs.k8s.io/worker-index']" } } },
    { name: 'TORCHELASTIC_RUN_ID', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'PET_RDZV_ID', value: 'a; rm -rf /' },
    { name: 'LOCAL_RANK', value: '$$(GROUP)' },
  ]; // biome-ignore format: one row each
  const pod = readPod({
    metadata: { name: 'p', namespace: 'n', uid: 'u', labels: { 'leaderworkerset.sigs.k8s.io/worker-index': '3' } },
    spec: { containers: [{ name: 'c', env }] },
  });
  assert.deepEqual(pod?.containers[0]?.variables, {
    LWS_GROUP_SIZE: '4',
    LWS_WORKER_INDEX: '3',
    TORCHELASTIC_RUN_ID: 'p',
    WORLD_SIZE: '16',
  });
});

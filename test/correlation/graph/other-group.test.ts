// Other group: the kernel's word that a service ran out of its own memory explains no rank; that of a job's group does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correlator, event, link, run } from '../fixtures.ts';

const kernel = { trust: 'kernel', source: 'kernel-log' } as const;
const LINKS = [link('host/node-3', 'rank/train/3', 'runs')];

function incidents(memcg: string, process: string, constraint = 'CONSTRAINT_MEMCG'): number {
  return run(correlator(LINKS), [
    event(0, 'host.oom', 'process/4811', { ...kernel, attributes: { pid: 4811, process, memcg, constraint } }),
    event(2, 'job.rank_killed', 'rank/train/3', { source: 'job-log', attributes: { task: 3 } }),
  ]).last.length;
}

test('a service that hit its own limit is one thing, a rank that was killed another', () => {
  assert.equal(incidents('/system.slice/fluent-bit.service', 'fluent-bit'), 2);
  assert.equal(incidents('/system.slice/system-exporter.slice/exporter@1.service', 'exporter'), 2);
});

test('where the group may be that of a job, or the host ran out of memory, the kill is the cause', () => {
  for (const [memcg, process] of [
    ['/system.slice/slurmstepd.scope/job_771/step_0/user/task_3', 'pt_data_worker'],
    ['/system.slice/slurmd.service', 'gzip'],
    ['/system.slice/docker-0af3.scope', 'fluent-bit'],
    ['/system.slice/train.service', 'python3'],
    ['/user.slice/user-1000.slice/session-3.scope', 'jupyter'],
    ['/kubepods.slice/kubepods-pod1f.slice', 'pt_data_worker'],
  ] as const)
    assert.equal(incidents(memcg, process), 1, memcg);
  assert.equal(incidents('/system.slice/fluent-bit.service', 'fluent-bit', 'CONSTRAINT_NONE'), 1);
});

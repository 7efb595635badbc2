// CPU quotas of the groups that the GPUs' processes are in: pods, containers and steps, in both versions of control groups.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QuotaReader } from '../../../src/sources/cpu/quota-reader.ts';
import { SmallFiles } from '../../../src/sources/files/small-files.ts';
import { FakeSys } from '../fake-sys.ts';

const STAT = (periods: number, throttled: number) =>
  `usage_usec 1\nnr_periods ${periods}\nnr_throttled ${throttled}\nthrottled_usec 1`;

test('the worst group of the processes or above them, as the share of its periods since the last read', async (t) => {
  const host = new FakeSys(t);
  const files = new SmallFiles();
  t.after(() => files.close());
  host.write('proc/41', { cgroup: '0::/kubepods/pod1/step' });
  host.write('proc/42', { cgroup: '0::/kubepods/pod2' });
  const counts = (pod1: string, step: string, pod2: string) => {
    host.write('sys/fs/cgroup/kubepods/pod1', { 'cpu.stat': pod1 });
    host.write('sys/fs/cgroup/kubepods/pod1/step', { 'cpu.stat': step });
    host.write('sys/fs/cgroup/kubepods/pod2', { 'cpu.stat': pod2 });
  };
  const reader = new QuotaReader(files, host, 'node-3', () => [41, 42, 43]);
  counts(STAT(100, 10), STAT(0, 0), STAT(500, 0));
  assert.deepEqual(await reader.read(), { keys: [], values: [] }, 'nothing before a second reading');
  counts(STAT(150, 40), STAT(0, 0), STAT(550, 5));
  assert.deepEqual(await reader.read(), { keys: ['host/node-3#cpu_throttled'], values: [0.6] });
  counts(STAT(150, 40), STAT(0, 0), STAT(550, 5));
  assert.deepEqual(await reader.read(), { keys: [], values: [] }, 'no period has passed');
});

test('a group of the first version, and one without a quota or outside our namespace', async (t) => {
  const host = new FakeSys(t);
  const files = new SmallFiles();
  t.after(() => files.close());
  host.write('proc/41', { cgroup: '11:memory:/slurm/other\n4:cpu,cpuacct:/slurm/job_7' });
  host.write('proc/42', { cgroup: '0::/../../etc' });
  host.write('sys/fs/cgroup/cpu,cpuacct/slurm', { 'cpu.stat': 'usage_usec 1' });
  const reader = new QuotaReader(files, host, 'node-3', () => [41, 42]);
  host.write('sys/fs/cgroup/cpu,cpuacct/slurm/job_7', {
    'cpu.stat': 'nr_periods 10\nnr_throttled 1\nthrottled_time 1',
  });
  await reader.read();
  host.write('sys/fs/cgroup/cpu,cpuacct/slurm/job_7', {
    'cpu.stat': 'nr_periods 20\nnr_throttled 6\nthrottled_time 1',
  });
  assert.deepEqual((await reader.read()).values, [0.5]);
});

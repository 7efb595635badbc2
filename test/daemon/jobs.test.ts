// The jobs and devices of a host as documents: complete, with steps as logs print them, and with what is lacking.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { devicesDocument, jobsDocument } from '../../src/daemon/jobs.ts';
import { HostGpus } from '../../src/identity/host-gpus.ts';
import { HostNics } from '../../src/identity/host-nics.ts';
import type { WorkView } from '../../src/identity/work/work.ts';
import { Works } from '../../src/identity/work/works.ts';
import type { SourceHealth } from '../../src/sources/source.ts';
import { pod, rank, use, view, work } from '../identity/whose/made-view.ts';

const T0 = Date.UTC(2026, 10, 28, 14, 0, 0);
const HEALTH: SourceHealth[] = [
  {
    source: 'kubernetes',
    status: 'no_permission',
    detail: 'the kubelet socket may not be opened',
    remedy: 'run as root',
  },
  { source: 'pdu/pdu-b', status: 'failed', detail: 'no answer', remedy: null },
  { source: 'processes', status: 'works', detail: '4 ranks', remedy: null },
  { source: 'slurm', status: 'off', detail: 'off', remedy: null },
];

function parts(given: WorkView, series: Readonly<Record<string, number>> = {}) {
  const gpus = new HostGpus();
  gpus.found({ type: 'gpu', id: '0000:1b:00.0', aliases: ['gpu 0', 'GPU-0'] }, 'H100', 0);
  gpus.found({ type: 'gpu', id: '0000:9b:00.0', aliases: ['gpu 1', 'GPU-1'] }, 'H100', 1);
  const works = Object.assign(new Works(gpus, new HostNics()), { view: () => given });
  const history = (key: string) => {
    const value = series[key];
    return { timesMs: Float64Array.from(value === undefined ? [] : [T0 - 1000]), values: Float64Array.from(value === undefined ? [] : [value]) }; // biome-ignore format: one line
  };
  return {
    host: 'node-3',
    now: () => T0,
    identity: { work: works, gpus, nics: new HostNics() },
    core: { history },
    health: () => HEALTH,
  };
}

const LLAMA = work('llama', {
  aliases: ['991'],
  name: 'llama-70b',
  user: 'alice',
  step: '0',
  startedMs: T0 - 60_000,
  worldSize: 8,
  framework: { name: 'megatron', knownBy: 'its modules' },
  ranks: [rank(3, { pid: 4711, gpus: ['0000:9b:00.0'] })],
  pods: [pod('llama-0')],
  logs: [{ path: '/scratch/llama.out', knownBy: 'scontrol', namedBy: null }],
});
const GIVEN = view({
  works: [LLAMA],
  devices: [use('gpu/0000:9b:00.0', 'llama', { ranks: [3], pod: pod('llama-0'), sharedBy: 2 }), use('gpu/0000:9b:00.0', null, { sharedBy: 2 })], // biome-ignore format: one line
  conflicts: [{ about: 'rank of process 4711', reason: 'RANK is 3, SLURM_PROCID is 4' }],
});

test('a job has all that is known of it, and how', () => {
  const { jobs, conflicts, host } = jobsDocument(
    parts(GIVEN, { 'job/llama#iteration': 1200, 'job/llama#step_time': 0.412 }),
  );
  const [job] = jobs;
  assert.equal(host, 'node-3');
  assert.deepEqual(
    [job?.id, job?.user, job?.scheduler_step, job?.started_at, job?.world_size, job?.devices],
    ['llama', 'alice', '0', '2026-11-28T13:59:00.000Z', 8, ['gpu/0000:9b:00.0']],
  );
  assert.deepEqual(job?.training_step, { iteration: 1200, step_time_ms: 412, time: '2026-11-28T13:59:59.000Z' });
  assert.deepEqual(job?.ranks[0], { rank: 3, local_rank: 3, pid: 4711, gpus: ['0000:9b:00.0'], nics: [], pod: null, role: null, known_by: 'RANK' }); // biome-ignore format: one line
  assert.deepEqual(job?.framework, { name: 'megatron', known_by: 'its modules', confidence: 0.5 });
  assert.deepEqual(job?.logs, [{ path: '/scratch/llama.out', known_by: 'scontrol' }]);
  assert.deepEqual(conflicts, GIVEN.conflicts);
});

test('the step of a rank stands for its job, whatever name its log has', () => {
  const of = (series: Readonly<Record<string, number>>) => jobsDocument(parts(GIVEN, series)).jobs[0]?.training_step;
  assert.equal(of({ 'rank/991/3#iteration': 7 })?.iteration, 7);
  assert.equal(of({ 'rank/other/3#iteration': 7 }), null);
});

test('what is lacking is what would know of jobs and does not work', () => {
  assert.deepEqual(jobsDocument(parts(GIVEN)).lacking, [
    {
      source: 'kubernetes',
      status: 'no_permission',
      detail: 'the kubelet socket may not be opened',
      remedy: 'run as root',
    },
  ]);
});

test('devices are all that the driver lists, idle ones as well, each with all that share it', () => {
  const { devices } = devicesDocument(parts(GIVEN));
  assert.deepEqual(devices.map(({ device, uses }) => [device, uses.length]), [['gpu/0000:1b:00.0', 0], ['gpu/0000:9b:00.0', 2]]); // biome-ignore format: one line
  const [first, second] = devices[1]?.uses ?? [];
  assert.deepEqual([first?.job, first?.user, first?.share, first?.pod?.name], ['llama', 'alice', 0.5, 'llama-0']);
  assert.deepEqual([second?.job, second?.user], [null, null]);
});

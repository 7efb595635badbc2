// Impact: what a cluster did to jobs and devices, on how many GPUs, and for how long.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultEvent } from '../../src/model/event.ts';
import { gpuHoursOf } from '../../src/model/gpu-hours.ts';
import { correlator, event, GPUS, link, lost, POWER_CHAIN, run, T0, THROUGHPUT_DROP } from './fixtures.ts';

const JOB = 'job/llama-70b';
const job = { trust: 'tenant', source: 'job-log' } as const;
const [GPU_A = '', GPU_B = ''] = GPUS;

function drop(s: number, state: 'onset' | 'clear', attributes: FaultEvent['attributes'] = THROUGHPUT_DROP): FaultEvent {
  return event(s, 'job.throughput_drop', JOB, { ...job, state, attributes });
}
function impacts(events: readonly FaultEvent[], links = [link('host/node-3', JOB, 'runs')]) {
  return run(correlator(links), events).only().impact;
}

test('a step that takes 412 → 897 ms loses 54 % of all GPUs of the host while it lasts', () => {
  const [slow] = impacts([drop(0, 'onset')]);
  assert.deepEqual(
    [slow?.quantity, slow?.before, slow?.after, slow?.unit, slow?.text],
    ['step_time', 412, 897, 'ms', 'llama-70b step time 412 → 897 ms'],
  );
  assert.deepEqual(slow?.loss, { gpus: 8, share: 0.5407, fromMs: T0, toMs: null, rate: null });
  const [over] = impacts([drop(0, 'onset'), drop(3600, 'clear')]);
  assert.ok(over?.loss);
  assert.equal(Math.round(gpuHoursOf(over.loss, T0 + 1e9) * 1000), Math.round(8 * 0.5407 * 1000));
});

test('a rate that falls is throughput, and its loss the share that is missing', () => {
  const rate = { quantity: 'tokens per second and GPU', before: 4000, after: 1000, unit: '1/s' };
  const [slow] = impacts([drop(0, 'onset', rate)]);
  assert.deepEqual([slow?.quantity, slow?.loss?.share], ['throughput', 0.75]);
});

test('a rank that is slow alone holds up its own GPU; a service loses on the GPUs that are linked to it, and on none else', () => {
  const rate = { quantity: 'tokens per second and request', before: 40, after: 10, unit: '1/s' };
  const attributes = { ...job, state: 'onset', attributes: rate } as const;
  const [rank] = impacts([event(0, 'job.straggler', 'rank/llama-70b/3', attributes)]);
  assert.deepEqual([rank?.loss?.gpus, rank?.loss?.share], [1, 0.75]);
  const slow = event(0, 'service.degraded', 'service/chat', attributes);
  const [linked] = impacts([slow], [link(GPU_A, 'service/chat', 'runs'), link(GPU_B, 'service/other', 'runs')]);
  assert.deepEqual([linked?.text, linked?.loss?.gpus], ['chat tokens per second and request 40 → 10 1/s', 1]);
  const [alone] = impacts([slow], [link('host/node-3', 'service/chat', 'runs')]);
  assert.deepEqual([alone?.quantity, alone?.loss], ['throughput', undefined]);
});

test('GPUs of a job are those linked to it, else one a rank here, else all where no other job is; else unknown', () => {
  const gpusOf = (...links: ReturnType<typeof link>[]) => impacts([drop(0, 'onset')], links)[0]?.loss?.gpus ?? null;
  const here = link('host/node-3', JOB, 'runs');
  assert.equal(gpusOf(here, link(GPU_A, 'rank/llama-70b/0', 'runs'), link(GPU_B, JOB, 'runs')), 2);
  assert.equal(gpusOf(here, ...[0, 1, 2, 3].map((rank) => link('host/node-3', `rank/llama-70b/${rank}`, 'runs'))), 4);
  assert.equal(gpusOf(here), 8);
  assert.equal(gpusOf(here, link('host/node-3', 'job/other', 'runs')), null);
});

test('a lost GPU counts by itself, a lost host with all that it holds', () => {
  const [gpu] = impacts([lost(0, GPU_A)]);
  assert.deepEqual([gpu?.quantity, gpu?.loss], ['lost', { gpus: 1, share: 1, fromMs: T0, toMs: null, rate: null }]);
  const [host] = impacts([event(0, 'host.down', 'host/node-3', { trust: 'bmc', source: 'bmc', state: 'onset' })]);
  assert.equal(host?.loss?.gpus, 8);
});

test('a crashed rank stops its job until the job starts again; a hang began with the last sign of life', () => {
  const crash = event(10, 'job.rank_crashed', 'rank/llama-70b/3', job);
  assert.deepEqual(impacts([crash])[0]?.loss?.toMs, null);
  const made = correlator([link('host/node-3', JOB, 'runs')]);
  const reported = run(made, [event(9, 'host.oom', 'host/node-3', { trust: 'kernel', source: 'kernel-log' }), crash]);
  reported.take(made.observe(event(40, 'job.started', JOB, job)));
  reported.take(made.advance(T0 + 600_000));
  const crashed = reported.only().impact.find(({ component }) => component.type === 'rank');
  const { share, fromMs, toMs } = crashed?.loss ?? {};
  assert.deepEqual([share, fromMs, toMs], [1, T0 + 10_000, T0 + 40_000]);
  const hang = event(130, 'job.hang', JOB, { ...job, state: 'onset', wide: [10, 130] });
  assert.equal(impacts([hang])[0]?.loss?.fromMs, T0 + 10_000);
});

test('the power chain reports its slowdown with GPUs and share, in any order of arrival', () => {
  const loss = (events: readonly FaultEvent[]) =>
    impacts(events).find(({ quantity }) => quantity === 'step_time')?.loss;
  assert.equal(loss(POWER_CHAIN)?.gpus, 8);
  assert.deepEqual(loss(POWER_CHAIN.toReversed()), loss(POWER_CHAIN));
});

test('a job whose steps and tokens per second both show that it is slow counts once', () => {
  const rate = { quantity: 'tokens per second and GPU', before: 4000, after: 1850, unit: '1/s' };
  const both = impacts([drop(0, 'onset'), drop(1, 'onset', rate), drop(600, 'clear')]);
  assert.deepEqual(
    both.map(({ quantity, loss }) => [quantity, loss?.gpus]),
    [['step_time', 8]],
  );
});

test('each of several jobs on one host loses its own GPUs only', () => {
  const other = 'job/other';
  const links = [link(GPU_A, JOB, 'runs'), link(GPU_B, other, 'runs'), link('host/node-3', JOB, 'runs')];
  const slow = event(0, 'job.throughput_drop', other, { ...job, state: 'onset', attributes: THROUGHPUT_DROP });
  const cause = event(-1, 'cpu.power_cap', 'cpu/node-3/0', { trust: 'kernel', source: 'cpu', state: 'onset' });
  const reported = run(correlator(links), [cause, drop(0, 'onset'), slow]).last.flatMap(({ impact }) => impact);
  assert.deepEqual(reported.map(({ component, loss }) => [component.id, loss?.gpus]).sort(), [
    ['llama-70b', 1],
    ['other', 1],
  ]);
});

test('hours are not counted from a time that a tenant wrote, 16 hours before it was read', () => {
  const hour = 3_600_000;
  const read = T0 + 16 * hour;
  const old = (kind: FaultEvent['kind'], more: Partial<FaultEvent>) => ({
    ...event(0, kind, JOB, { ...job, state: 'onset' }),
    observedMs: read,
    ...more,
  });
  const from = (fault: FaultEvent) => {
    const made = correlator([link('host/node-3', JOB, 'runs')]);
    const reported = run(made, []);
    reported.take(made.observe(fault));
    reported.take(made.advance(read + 600_000));
    return reported.only().impact[0]?.loss?.fromMs;
  };
  const stall = { interval: { earliestMs: T0, latestMs: read } };
  assert.equal(from(old('job.collective_desync', { source: 'flight-recorder', ...stall })), read - 60_000);
  assert.equal(from(old('job.hang', { ...stall, timeMs: read })), read - 1_800_000);
});

test('each rank here counts with its GPU, whether that is known or not', () => {
  const gpusOf = (...links: ReturnType<typeof link>[]) => impacts([drop(0, 'onset')], links)[0]?.loss?.gpus ?? null;
  const ranks = [0, 1, 2, 3].map((rank) => link('host/node-3', `rank/llama-70b/${rank}`, 'runs'));
  assert.equal(gpusOf(...ranks, link(GPU_A, 'rank/llama-70b/0', 'runs')), 4);
  assert.equal(gpusOf(...ranks, link(GPU_A, 'rank/llama-70b/0', 'runs'), link(GPU_B, 'rank/llama-70b/1', 'runs')), 4);
});

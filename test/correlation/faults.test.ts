// Faults: GPU, host, thermal and job faults find their own root, and symptoms without one say so.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evidenceOnly } from '../../src/correlation/explain/confidence.ts';
import type { FaultEvent } from '../../src/model/event.ts';
import {
  component,
  correlator,
  event,
  FEED_LINKS,
  GOLDEN,
  GPUS,
  LATENESS,
  link,
  lost,
  Reported,
  run,
  T0,
  THROUGHPUT_DROP,
} from './fixtures.ts';

const RANKS = [0, 1].map((rank) => link(GPUS[rank] ?? '', `rank/ddp/${rank}`, 'runs'));
const [GPU_A = '', GPU_B = ''] = GPUS;
const job = { trust: 'tenant', source: 'job-log' } as const;
const kernel = { trust: 'kernel', source: 'kernel-log' } as const;

test('golden incident: the memory error of one GPU is the root of the stall that its peer reports ten minutes later', () => {
  const reported = run(correlator(RANKS), GOLDEN).only();
  assert.deepEqual([reported.root.kind, reported.root.component?.id], ['gpu.memory.dbe', component(GPU_B).id]);
  assert.deepEqual([reported.action.kind, reported.action.target?.id], ['drain_reset_gpu', component(GPU_B).id]);
  assert.equal(reported.firstEventMs, T0);
  const kinds = reported.chain.map(({ kind }) => kind);
  for (const kind of [
    'gpu.memory.row_remap_pending',
    'gpu.recovery_action',
    'job.rank_crashed',
    'job.collective_timeout',
    'job.rank_killed',
  ] as const) {
    assert.ok(kinds.includes(kind), kind);
  }
  const crash = reported.chain.find(({ kind }) => kind === 'job.rank_crashed');
  assert.deepEqual(reported.chain.find(({ kind }) => kind === 'job.collective_timeout')?.causedBy, [crash?.eventId]);
});

test('golden incident: the right root is published 600 s before the peer’s timeout shows that anything is wrong', () => {
  const made = correlator(RANKS);
  const timeout = GOLDEN.find(({ kind }) => kind === 'job.collective_timeout');
  assert.ok(timeout);
  const reported = new Reported();
  for (const one of GOLDEN.filter(({ timeMs }) => timeMs < timeout.timeMs)) reported.take(made.observe(one));
  const [early] = reported.all;
  assert.deepEqual([early?.root.kind, early?.root.component?.id], ['gpu.memory.dbe', component(GPU_B).id]);
  assert.ok(timeout.timeMs - (early?.asOfMs ?? timeout.timeMs) >= 600_000);
  // Waiting for the timeout changes the chain, not whose fault it is: one incident, under the id that was reported first.
  reported
    .take(made.advance(timeout.timeMs))
    .take(made.observe(timeout))
    .take(made.advance(timeout.timeMs + 1_000));
  const late = reported.only();
  // Records of one millisecond stand for each other, so that the root's condition is compared and not its event.
  assert.equal(late.firstEventId, early?.firstEventId);
  assert.deepEqual([late.root.kind, late.root.component], [early?.root.kind, early?.root.component]);
  assert.ok(late.chain.some(({ eventId, causedBy }) => eventId === timeout.id && causedBy.length > 0));
});

test('golden incident without any placement of ranks on GPUs: the same root', () => {
  assert.equal(run(correlator(), GOLDEN).only().root.kind, 'gpu.memory.dbe');
});

test('XID 79 alone: the GPU is lost, nearly as sure as any fault is stated', () => {
  const reported = run(correlator(), [lost(0, GPU_A)]).only();
  assert.deepEqual([reported.severity, reported.action.kind, reported.rootKnown], ['critical', 'reboot_node', true]);
  assert.ok(reported.confidence >= 0.85 && reported.confidence < 0.9, `${reported.confidence}`);
  assert.deepEqual(
    reported.impact.map(({ quantity }) => quantity),
    ['lost'],
  );
});

test('a full disk is reported with its path and what is left: the operator who is woken has to know where', () => {
  const attributes = { path: '/var/log', size_bytes: 240 * 1024 ** 3, available_bytes: 0 };
  const reported = run(correlator(), [
    event(0, 'host.disk_full', 'host/node-3', { source: 'system', attributes }),
  ]).only();
  assert.equal(reported.title, 'disk full on node-3: /var/log, 0 of 240 GiB left');
});

test('the same fact from kernel log and driver is one condition, both are evidence, and it is surer', () => {
  const evidence = (source: string) => [{ source, timeMs: T0, text: 'fell off the bus' }];
  const one = run(correlator(), [lost(0, GPU_A)]).only();
  const both = run(correlator(), [
    lost(0, GPU_A, { evidence: evidence('kernel-log') }),
    lost(1, GPU_A, { source: 'gpu', trust: 'driver', evidence: evidence('gpu') }),
  ]).only();
  assert.equal(both.chain.length, 1);
  assert.deepEqual(
    both.evidence.map(({ source }) => source),
    ['kernel-log', 'gpu'],
  );
  // What is stated may be level there: both are as often right as is stated at most.
  assert.ok(evidenceOnly(both.confidenceParts) > evidenceOnly(one.confidenceParts));
  assert.ok(both.confidence >= one.confidence);
});

test('a device under its UUID is the device under its address, whenever that is learned', () => {
  const gpu = component(GPU_A);
  const named = {
    from: component('host/node-3'),
    to: { ...gpu, aliases: ['GPU-d1f6', 'gpu 0'] },
    relation: 'contains',
    source: 'host',
  } as const;
  const events = [lost(0, GPU_A), lost(1, 'gpu/GPU-d1f6', { source: 'gpu', trust: 'driver' })];
  const before = correlator();
  before.link(named);
  assert.equal(run(before, events).only().chain.length, 1);
  const after = correlator();
  const reported = run(after, events);
  assert.equal(reported.last.length, 2);
  after.link(named);
  reported.take(after.advance(T0 + 2000));
  assert.equal(reported.only().chain.length, 1);
  assert.equal(reported.merged.length, 1);
});

test('two faults at once on different GPUs are two incidents', () => {
  const dbe = event(0.2, 'gpu.memory.dbe', GPU_B, kernel);
  const reported = run(correlator(), [lost(0, GPU_A), dbe, lost(40, GPU_B, { discriminator: 2 })]);
  assert.equal(reported.of('gpu.memory.dbe').root.component?.id, component(GPU_B).id);
  assert.ok(reported.last.some(({ root }) => root.kind === 'gpu.lost' && root.component?.id === component(GPU_A).id));
});

test('a failed fan, then warm GPUs, then slow steps: the fan', () => {
  const reported = run(correlator(), [
    event(0, 'host.fan_failure', 'fan/node-3/2', { trust: 'bmc', source: 'bmc', state: 'onset' }),
    ...GPUS.map((gpu, i) => event(300 + 10 * i, 'gpu.thermal_throttle', gpu, { state: 'onset' })),
    event(420, 'job.throughput_drop', 'job/llama-70b', { ...job, state: 'onset', attributes: THROUGHPUT_DROP }),
  ]).only();
  assert.deepEqual(
    [reported.root.kind, reported.action.kind, reported.severity],
    ['host.fan_failure', 'check_cooling', 'error'],
  );
  assert.equal(reported.chain.length, 10);
});

test('throttle without any power event is a thermal root of its own', () => {
  const reported = run(correlator(FEED_LINKS), [
    event(0, 'gpu.thermal_throttle', GPU_A, { state: 'onset' }),
    event(20, 'job.throughput_drop', 'job/llama-70b', { ...job, state: 'onset', attributes: THROUGHPUT_DROP }),
  ]).only();
  assert.deepEqual(
    [reported.root.kind, reported.rootKnown, reported.action.kind],
    ['gpu.thermal_throttle', true, 'check_cooling'],
  );
});

test('a slow step alone has no root yet: little confidence, what it may be, what to look at', () => {
  const drop = event(0, 'job.throughput_drop', 'job/llama-70b', {
    ...job,
    state: 'onset',
    attributes: THROUGHPUT_DROP,
  });
  const made = correlator();
  const reported = run(made, [drop]);
  reported.take(made.advance(T0 + LATENESS * 2));
  const { rootKnown, confidence, alternatives, action, title, severity } = reported.only();
  assert.equal(rootKnown, false);
  assert.ok(confidence <= 0.4);
  assert.ok(alternatives.length >= 2);
  assert.equal(action.kind, 'none');
  assert.match(action.why, /To find out/);
  assert.equal(title, 'No root cause yet, unconfirmed: llama-70b step time 412 → 897 ms');
  assert.equal(severity, 'warning');
});

test('a cause that shows up after its effect takes the incident over, under the same identity', () => {
  const drop = event(9, 'job.throughput_drop', 'job/llama-70b', {
    ...job,
    state: 'onset',
    attributes: THROUGHPUT_DROP,
  });
  const reported = run(correlator(), [drop, event(8, 'gpu.power_brake', GPU_A, { state: 'onset' })]).only();
  assert.deepEqual([reported.root.kind, reported.firstEventId], ['gpu.power_brake', drop.id]);
});

test('consequences alone: nothing at info level, no root at error level', () => {
  assert.deepEqual(run(correlator(), [event(0, 'gpu.preemptive_cleanup', GPU_A, kernel)]).last, []);
  const timeout = run(correlator(), [event(0, 'job.collective_timeout', 'rank/ddp/0', job)]).only();
  assert.deepEqual([timeout.rootKnown, timeout.severity], [false, 'error']);
});

test('what follows a reset, a reload, a preemption or maintenance raises nothing', () => {
  const host = 'host/node-3';
  const planned: FaultEvent[][] = [
    [
      event(0, 'gpu.reset', GPU_A, kernel),
      event(2, 'gpu.lost', GPU_A, kernel),
      event(3, 'gpu.preemptive_cleanup', GPU_A, kernel),
    ],
    [event(0, 'driver.reloaded', host, kernel), event(1, 'gpu.access_lost', GPU_A, kernel)],
    [
      event(0, 'job.preempted', 'job/ddp', job),
      event(5, 'job.rank_killed', 'rank/ddp/0', job),
      event(6, 'job.collective_timeout', 'rank/ddp/1', job),
    ],
    [
      event(0, 'host.maintenance', host, { state: 'onset', trust: 'system' }),
      event(900, 'psu.input_lost', 'psu/node-3/1', { trust: 'bmc' }),
      lost(1000, GPU_A),
    ],
  ];
  for (const events of planned) assert.deepEqual(run(correlator(), events).last, [], events[0]?.kind);
});

test('a reset that answers a fault does not excuse it', () => {
  const reported = run(correlator(), [lost(0, GPU_A), event(20, 'gpu.reset', GPU_A, kernel)]).only();
  assert.deepEqual([reported.root.kind, reported.severity], ['gpu.lost', 'critical']);
});

test('a checkpoint explains one slow step, not a slowdown that stays', () => {
  const drop = event(5, 'job.throughput_drop', 'job/ddp', { ...job, state: 'onset', attributes: THROUGHPUT_DROP });
  const saved = event(6, 'job.checkpoint_saved', 'job/ddp', job);
  const clear = event(30, 'job.throughput_drop', 'job/ddp', { ...job, state: 'clear' });
  assert.deepEqual(run(correlator(), [saved, drop, clear]).last, []);
  const made = correlator();
  const reported = run(made, [saved, drop]);
  assert.deepEqual(reported.last, []);
  reported.take(made.advance(T0 + 600_000));
  assert.equal(reported.only().rootKnown, false);
});

test("the job's own output alone never makes a node action nor more than 60 %", () => {
  const forged = [
    event(0, 'gpu.lost', GPU_A, job),
    event(1, 'gpu.memory.dbe', GPU_B, job),
    event(2, 'job.rank_crashed', 'rank/ddp/0', job),
  ];
  for (const reported of run(correlator(), forged).last) {
    assert.ok(reported.confidence <= 0.6, reported.title);
    assert.equal(reported.action.kind === 'none' || reported.action.kind === 'debug_app', true, reported.action.kind);
  }
});

test('what began with no fault of its own is acted on where it became one', () => {
  const tenant = { trust: 'tenant', source: 'job-log' } as const;
  const loss = run(correlator(), [
    event(0, 'job.loss_spike', 'job/ddp', tenant),
    event(60, 'job.loss_divergence', 'job/ddp', tenant),
  ]).only();
  assert.equal(loss.root.kind, 'job.loss_spike');
  assert.equal(loss.action.kind, 'debug_app');
  const bus = run(correlator(), [
    event(0, 'pcie.corrected', 'pcie/0000:1b:00.0', { trust: 'kernel', source: 'kernel-log' }),
    lost(3, 'gpu/0000:1b:00.0'),
  ]).only();
  assert.equal(bus.root.kind, 'pcie.corrected');
  assert.equal(bus.action.kind, 'reboot_node');
  assert.equal(bus.action.target?.type, 'gpu');
});

test('shared memory that filled up after a rank had crashed is not why it crashed; what may have filled before is', () => {
  const crash = event(0, 'job.rank_crashed', 'rank/ddp/1', { trust: 'tenant', source: 'job-log' });
  const roots = (wide: readonly [number, number]): string[] => {
    const full = event(wide[1], 'host.shm_full', 'host/node-3', { source: 'system', trust: 'system', wide });
    const events = [crash, full].toSorted((a, b) => a.timeMs - b.timeMs);
    const links = [link('host/node-3', 'rank/ddp/1', 'runs'), link('rank/ddp/1', 'job/ddp', 'member_of')];
    return run(correlator(links), events).last.map(({ root }) => root.kind).sort(); // biome-ignore format: one line
  };
  assert.deepEqual(roots([8.5, 18.5]), ['host.shm_full', 'job.rank_crashed']);
  assert.deepEqual(roots([-5, 5]), ['host.shm_full']);
});

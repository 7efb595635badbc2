// Life of a cluster: it ends once, opens again under its own name, merges into the older one, and old records open nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Attributes } from '../../src/model/event.ts';
import {
  correlator,
  event,
  FEED_LINKS,
  GPUS,
  HOLD,
  LATENESS,
  link,
  lost,
  PAUSE,
  POWER_CHAIN,
  run,
  T0,
} from './fixtures.ts';

const [GPU_A = '', GPU_B = ''] = GPUS;
const brake = (s: number, state: 'onset' | 'clear') => event(s, 'gpu.power_brake', GPU_A, { state });

test('a cluster ends once, when all has been clear for the hold time and late events had their chance', () => {
  const made = correlator();
  const reported = run(made, [brake(0, 'onset'), brake(10, 'clear')]);
  assert.equal(reported.only().ended, false);
  assert.deepEqual(made.advance(T0 + 10_000 + HOLD), []);
  const [end, ...more] = made.advance(T0 + 1_000_000);
  assert.deepEqual([end?.ended, end?.asOfMs, more.length], [true, T0 + 10_000 + HOLD + LATENESS, 0]);
  assert.deepEqual(made.advance(T0 + 2_000_000), []);
});

test('flapping is one cluster with one condition', () => {
  const flaps = Array.from({ length: 200 }, (_, i) => brake(i * 2, i % 2 === 0 ? 'onset' : 'clear'));
  const reported = run(correlator(), flaps);
  assert.equal(reported.only().chain.length, 1);
  assert.ok(reported.all.length <= 10, `${reported.all.length} revisions`);
});

test('the same again within the hold time is the same cluster, long after it a new one', () => {
  const made = correlator();
  const reported = run(made, [brake(0, 'onset'), brake(10, 'clear'), brake(50, 'onset'), brake(60, 'clear')]);
  assert.equal(reported.last.length, 1);
  reported.take(made.advance(T0 + 400_000)).take(made.observe(brake(500, 'onset')));
  assert.equal(reported.last.length, 2);
});

test('a lost GPU stays lost until a reset', () => {
  const made = correlator();
  const reported = run(made, [lost(0, GPU_A)]);
  reported.take(made.advance(T0 + 3_600_000));
  assert.equal(reported.only().ended, false);
  reported.take(made.observe(event(3700, 'gpu.reset', GPU_A, { trust: 'kernel', source: 'kernel-log' })));
  reported.take(made.advance(T0 + 4_000_000));
  assert.equal(reported.only().ended, true);
});

test('a late common cause merges two clusters into the older one', () => {
  const reported = run(correlator(), [
    event(10, 'gpu.thermal_throttle', GPU_A, { state: 'onset' }),
    event(200, 'gpu.thermal_throttle', GPU_B, { state: 'onset' }),
    event(0, 'host.overtemp', 'host/node-3', { state: 'onset', trust: 'bmc', source: 'bmc', wide: [-60, 200] }),
  ]);
  const { root, firstEventMs, firstEventId } = reported.only();
  assert.deepEqual([root.kind, firstEventMs], ['host.overtemp', T0 + 10_000]);
  assert.deepEqual(
    reported.merged.map(({ mergedInto }) => mergedInto),
    [firstEventId],
  );
});

test('what was over is opened again under its own name by what comes of it later, and by what comes back', () => {
  const sag = (s: number, state: 'onset' | 'clear') =>
    event(s, 'nic.link_flap', 'nic/0000:41:00.0', { state, trust: 'kernel', source: 'kernel-log' });
  const made = correlator();
  const reported = run(made, [sag(0, 'onset'), sag(5, 'clear')]);
  reported.take(made.advance(T0 + 200_000));
  const first = reported.only();
  assert.equal(first.ended, true);
  reported.take(made.observe(sag(220, 'onset')));
  assert.deepEqual([reported.only().firstEventId, reported.only().ended], [first.firstEventId, false]);
  reported.take(made.observe(sag(225, 'clear'))).take(made.advance(T0 + 400_000));
  assert.deepEqual(
    reported.all.map(({ ended }) => ended).filter((ended, i, all) => ended !== all[i - 1]),
    [false, true, false, true],
  );
});

test('what turns out to have another cause is split off: the incident keeps its name, the other gets one of its own', () => {
  const made = correlator();
  const crash = event(3, 'job.rank_crashed', 'rank/ddp/0', { trust: 'tenant', source: 'job-log' });
  const reported = run(made, [lost(0, GPU_A), crash]);
  const whole = reported.only();
  assert.equal(whole.chain.length, 2);
  const other = event(2, 'gpu.memory.dbe', GPU_B, { trust: 'kernel', source: 'kernel-log', observedMs: T0 + 8_000 });
  made.link(link(GPU_B, 'rank/ddp/0', 'runs'));
  reported.take(made.observe(other)).take(made.advance(T0 + 60_000));
  assert.deepEqual(
    reported.last.map(({ firstEventId, chain }) => [firstEventId, chain.map(({ kind }) => kind)]),
    [
      [whole.firstEventId, ['gpu.lost']],
      [reported.of('gpu.memory.dbe').firstEventId, ['gpu.memory.dbe', 'job.rank_crashed']],
    ],
  );
  assert.notEqual(reported.of('gpu.memory.dbe').firstEventId, whole.firstEventId);
  assert.deepEqual(reported.merged, []);
});

test('a feed that stops answering opens nothing, and is not a cause of what follows', () => {
  const silent = event(0, 'power.feed_unreachable', 'pdu/pdu-b-rack-14', { state: 'onset', trust: 'facility', source: 'pdu' }); // biome-ignore format: one line
  assert.deepEqual(run(correlator(FEED_LINKS), [silent]).last, []);
  const reported = run(correlator(FEED_LINKS), [silent, brake(1, 'onset'), lost(2, GPU_B)]).last;
  for (const { root, chain } of reported) {
    assert.notEqual(root.kind, 'power.feed_unreachable');
    assert.ok(chain.every(({ kind }) => kind !== 'power.feed_unreachable'));
  }
  assert.ok(reported.length > 0);
});

test('old records read late open nothing, but are evidence for what is open', () => {
  const old = lost(-7200, GPU_A, { observedMs: T0 });
  assert.deepEqual(run(correlator(), [old]).last, []);
  const before = event(-50, 'gpu.memory.dbe', GPU_A, { observedMs: T0, trust: 'kernel', source: 'kernel-log' });
  const reported = run(correlator(), [
    before,
    event(0, 'job.rank_crashed', 'rank/ddp/0', { trust: 'tenant', source: 'job-log' }),
  ]).only();
  assert.equal(reported.root.kind, 'gpu.memory.dbe');
});

test('an id is drawn from news: what was old when it came may have named an incident of an earlier run', () => {
  const old = event(-50, 'gpu.memory.dbe', GPU_A, { observedMs: T0, trust: 'kernel', source: 'kernel-log' });
  const crash = event(0, 'job.rank_crashed', 'rank/ddp/0', { trust: 'tenant', source: 'job-log' });
  const reported = run(correlator(), [old, crash]).only();
  assert.deepEqual([reported.root.eventId, reported.firstEventId, reported.firstEventMs], [old.id, crash.id, T0]);
});

test('how often event time is advanced changes nothing', () => {
  const events = [...POWER_CHAIN].sort((a, b) => a.timeMs - b.timeMs);
  const once = correlator();
  const rarely = run(once, events).take(once.advance(T0 + 500_000));
  const made = correlator();
  const often = run(made, []);
  for (const one of events) {
    for (let at = T0 - 5000; at < one.timeMs; at += 250) often.take(made.advance(at));
    often.take(made.observe(one));
  }
  for (let at = T0; at <= T0 + 500_000; at += 1000) often.take(made.advance(at));
  assert.deepEqual(often.all, rarely.all);
});

test('an update of an event replaces it and counts once', () => {
  const made = correlator();
  const reported = run(made, [lost(0, GPU_A), lost(0, GPU_A, { count: 64 }), lost(0, GPU_A, { count: 3 })]);
  reported.take(made.advance(T0 + LATENESS));
  assert.equal(reported.only().events[0]?.count, 64);
});

test('a storm from eight GPUs is one cluster, counted, and published a few times only', () => {
  const made = correlator();
  const reported = run(made, []);
  for (let i = 0; i < 40_000; i += 1)
    reported.take(made.observe(lost(i / 1000, GPUS[i % 8] ?? '', { discriminator: i })));
  reported.take(made.advance(T0 + 200_000));
  const { chain, events } = reported.only();
  assert.equal(chain.length, 8);
  assert.deepEqual(
    events.map(({ count }) => count),
    Array(8).fill(5000),
  );
  assert.ok(reported.all.length < 60, `${reported.all.length} revisions`);
});

test('a flood of invented components is bounded and does not hide a real fault', () => {
  const made = correlator([], { maxPerKind: 64 });
  const reported = run(made, []);
  for (let i = 0; i < 2000; i += 1) {
    reported.take(
      made.observe(event(i / 100, 'job.rank_crashed', `rank/forged-${i}/0`, { trust: 'tenant', source: 'job-log' })),
    );
  }
  reported.take(made.observe(lost(21, GPU_A)));
  assert.ok(made.load.conditions <= 65, `${made.load.conditions}`);
  assert.equal(made.load.dropped, 2000 - 64);
  assert.equal(reported.of('gpu.lost').severity, 'critical');
});

test('an event from the future is taken as of its arrival', () => {
  const made = correlator();
  run(made, [event(86_400, 'job.nan', 'job/x', { trust: 'tenant', source: 'job-log', observedMs: T0 })]);
  assert.equal(run(made, [lost(1, GPU_A)]).only().ended, false);
});

test('what is over and published is forgotten, what is open is kept', () => {
  const made = correlator();
  for (let day = 0; day < 200; day += 1) {
    for (const gpu of GPUS) {
      made.observe(event(day * 3600, 'gpu.power_brake', gpu, { state: 'onset' }));
      made.observe(event(day * 3600 + 9, 'gpu.power_brake', gpu, { state: 'clear' }));
    }
  }
  const reported = run(made, [lost(720_000, GPU_A)]);
  assert.ok(made.load.conditions <= 2 * GPUS.length + 1, `${made.load.conditions}`);
  reported.take(made.advance(T0 + 720_000_000 + 80_000_000));
  assert.equal(made.load.conditions, 1);
  reported.take(made.advance(T0 + 720_000_000 + 200_000_000));
  assert.deepEqual([made.load.conditions, reported.of('gpu.lost').ended], [0, true]);
});

test('what changes a moment after an incident was published waits, and is published once: in time, or when the run ends', () => {
  const [first = '', second = ''] = GPUS;
  const brakes = [event(0, 'gpu.power_brake', first, { state: 'onset' }), event(0.005, 'gpu.power_brake', second, { state: 'onset' })]; // biome-ignore format: one line
  const two = (made: ReturnType<typeof correlator>): number[] =>
    brakes.map((one) => made.observe(one)).map((reported) => reported.length);
  const inTime = correlator();
  assert.deepEqual(two(inTime), [1, 0]);
  assert.deepEqual(inTime.advance(T0 + 15), []);
  assert.deepEqual(
    inTime.advance(T0 + PAUSE).map(({ chain }) => chain.length),
    [2],
  );
  assert.deepEqual(inTime.publishWaiting(), []);
  const ended = correlator();
  two(ended);
  assert.deepEqual(
    ended.publishWaiting().map(({ chain }) => chain.length),
    [2],
  );
  assert.deepEqual(ended.advance(T0 + PAUSE), []);
});

test('what had to last for minutes to be reported is news, what was read minutes late is not', () => {
  const late = (attributes: Attributes) =>
    event(0, 'fabric_manager.error', GPU_A, { state: 'onset', observedMs: T0 + 300_050, attributes });
  assert.deepEqual(run(correlator(), [late({ detector: 'gpu-fabric-waiting' })]).last, []);
  const lasted = late({ detector: 'gpu-fabric-waiting', lasted_ms: 300_000 });
  assert.equal(run(correlator(), [lasted]).only().root.kind, 'fabric_manager.error');
});

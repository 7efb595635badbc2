// Any order: events that arrive in any order within the lateness settle to the same explanations.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FaultEvent } from '../../src/model/event.ts';
import { runs } from '../runs.ts';
import { correlator, event, FEED_LINKS, GOLDEN, GPUS, HOLD, LATENESS, lost, POWER_CHAIN, run, T0 } from './fixtures.ts';

const LATE = LATENESS - 1000;
const [GPU_A = '', GPU_B = '', GPU_C = ''] = GPUS;

/** What is believed in the end, without what depends on who came first by design: identity and its time. */
function settle(events: readonly FaultEvent[]): unknown[] {
  const made = correlator(FEED_LINKS);
  const reported = run(made, events).take(made.advance(T0 + 900_000));
  // An incident that was opened and then explained by something planned is withdrawn at info level.
  const beliefs = reported.last
    .filter(({ severity }) => severity !== 'info')
    .map((e) => {
      // What was ruled out is a look around at the time of telling.
      const { firstEventId: _id, firstEventMs: _ms, asOfMs: _as, ruledOut: _out, ...belief } = e;
      return belief;
    });
  return beliefs.sort((a, b) => (a.root.eventId < b.root.eventId ? -1 : 1));
}

/** Arrival in an order that delays let happen: each event comes up to `LATE` after its time. */
function shuffled(events: readonly FaultEvent[]): fc.Arbitrary<FaultEvent[]> {
  return fc
    .array(fc.integer({ min: 0, max: LATE }), { minLength: events.length, maxLength: events.length })
    .map((delays) =>
      events
        .map((one, i) => ({ one, at: Math.max(one.timeMs, one.interval.latestMs) + (delays[i] ?? 0) }))
        .sort((a, b) => a.at - b.at)
        .map(({ one, at }) => ({ ...one, observedMs: at })),
    );
}

const facility = { trust: 'facility', source: 'pdu' } as const;
const SETS: Record<string, readonly FaultEvent[]> = {
  'power chain': POWER_CHAIN,
  'golden incident': GOLDEN,
  'GPU lost next to a sag, and a second fault': [
    event(0, 'power.voltage_sag', 'pdu_phase/pdu-c/1', { ...facility, state: 'onset' }),
    event(4, 'power.voltage_sag', 'pdu_phase/pdu-c/1', { ...facility, state: 'clear' }),
    lost(2, GPU_A),
    lost(3, GPU_A, { source: 'gpu', trust: 'driver', wide: [1.5, 3] }),
    event(2.5, 'gpu.gsp_timeout', GPU_A, { trust: 'kernel', source: 'kernel-log' }),
    event(5, 'gpu.memory.dbe', GPU_B, { trust: 'kernel', source: 'kernel-log' }),
    event(6, 'job.hang', 'job/ddp', { trust: 'tenant', source: 'job-log' }),
  ],
  'two phases that rival each other for a part, and a loss that strengthens one of them': [
    event(0, 'power.voltage_sag', 'pdu_phase/pdu-b-rack-14/2', { trust: 'driver', state: 'onset' }),
    event(0, 'gpu.app_fault', GPU_A, { trust: 'driver', state: 'onset' }),
    event(0, 'gpu.thermal_throttle', GPU_A, { trust: 'driver', state: 'onset' }),
    event(0, 'job.rank_crashed', 'job/ddp', { trust: 'driver', state: 'onset' }),
    event(15, 'gpu.thermal_throttle', GPU_B, { trust: 'driver', state: 'onset' }),
    event(15, 'power.voltage_sag', 'pdu_phase/pdu-b-rack-14/1', { trust: 'driver', state: 'onset' }),
    event(60, 'job.throughput_drop', 'job/ddp', { trust: 'driver', state: 'onset' }),
    lost(61, GPU_A, { trust: 'driver', state: 'onset' }),
  ],
  'flapping with a reset between': [
    ...[0, 7, 15, 24].map((s) => event(s, 'gpu.power_brake', GPU_C, { state: 'onset' })),
    ...[3, 9, 21, 33].map((s) => event(s, 'gpu.power_brake', GPU_C, { state: 'clear' })),
    lost(10, GPU_A),
    event(20, 'gpu.reset', GPU_A, { trust: 'kernel', source: 'kernel-log' }),
    event(22, 'gpu.preemptive_cleanup', GPU_A, { trust: 'kernel', source: 'kernel-log' }),
    event(60, 'job.throughput_drop', 'job/ddp', { state: 'onset', trust: 'tenant', source: 'job-log' }),
    event(75, 'job.throughput_drop', 'job/ddp', { state: 'clear', trust: 'tenant', source: 'job-log' }),
    event(61, 'job.checkpoint_saved', 'job/ddp', { trust: 'tenant', source: 'job-log' }),
  ],
};

for (const [name, events] of Object.entries(SETS)) {
  test(`any arrival order within the lateness settles to the same: ${name}`, () => {
    const observed = events.map((one) => ({ ...one, observedMs: Math.max(one.timeMs, one.interval.latestMs) }));
    const expected = strip(settle(observed.sort((a, b) => a.observedMs - b.observedMs)));
    assert.ok(HOLD >= LATENESS);
    fc.assert(
      fc.property(shuffled(events), (order) => {
        assert.deepEqual(strip(settle(order)), expected);
      }),
      { numRuns: runs(30, 300) },
    );
  });
}

/** Arrival times are carried in the events and decide nothing; counts are reported when they double. */
function strip(beliefs: unknown[]): string {
  return JSON.stringify(beliefs, (key, value) => (key === 'observedMs' || key === 'count' ? undefined : value));
}

const KINDS = [
  'power.voltage_sag',
  'gpu.power_brake',
  'gpu.thermal_throttle',
  'gpu.lost',
  'gpu.app_fault',
  'job.rank_crashed',
  'job.throughput_drop',
  'gpu.reset',
  'psu.failover',
] as const;
const place = (kind: (typeof KINDS)[number], i: number): string => {
  if (kind.startsWith('gpu.')) return GPUS[i % 3] ?? '';
  if (kind.startsWith('job.')) return i % 2 === 0 ? 'job/ddp' : `rank/ddp/${i}`;
  return kind === 'psu.failover' ? 'psu/node-3/1' : `pdu_phase/pdu-b-rack-14/${1 + (i % 3)}`;
};
const anyEvent = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    i: fc.nat({ max: 5 }),
    s: fc.integer({ min: 0, max: 240 }),
    width: fc.integer({ min: 0, max: 5 }),
    state: fc.constantFrom('onset', 'clear', 'point'),
    tenant: fc.boolean(),
    delay: fc.integer({ min: 0, max: LATE }),
  })
  .map(({ kind, i, s, width, state, tenant, delay }) => {
    const trust = tenant ? 'tenant' : 'driver';
    const observedMs = T0 + s * 1000 + delay;
    return event(s, kind, place(kind, i), {
      state,
      trust,
      source: trust,
      wide: [s - width, s],
      observedMs,
      discriminator: i,
    });
  });

test('any events in any order within the lateness settle to the same, with parts that add up', () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyEvent, { maxLength: 40, selector: ({ id }) => id }), (events) => {
      const inTime = [...events].sort((a, b) => a.timeMs - b.timeMs);
      const expected = settle(inTime.map((one) => ({ ...one, observedMs: one.timeMs })));
      assert.equal(strip(settle(events.toSorted((a, b) => a.observedMs - b.observedMs))), strip(expected));
      const made = correlator(FEED_LINKS);
      for (const { confidence, confidenceParts, chain, root } of run(made, inTime).all) {
        const sum = confidenceParts.reduce((total, { delta }) => total + delta, 0);
        assert.ok(Math.abs(sum - confidence) < 1e-9 && confidence >= 0.01 && confidence <= 0.99);
        const ids = new Set(chain.map(({ eventId }) => eventId));
        assert.ok(ids.has(root.eventId));
        for (const { causedBy } of chain) for (const id of causedBy) assert.ok(ids.has(id));
      }
    }),
    { numRuns: runs(150, 2000) },
  );
});

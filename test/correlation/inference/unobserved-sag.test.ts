// A sag that no reading shows: found from the supplies of one feed, taken back when a reading or a plan explains them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FaultEvent } from '../../../src/model/event.ts';
import { runs } from '../../runs.ts';
import { correlator, event, HOLD, LATENESS, link, Reported, run, T0 } from '../fixtures.ts';

const PHASE = 'pdu_phase/pdu-b-rack-14/1';
const OTHER = 'pdu_phase/pdu-a-rack-14/1';
const LINKS = [
  link(PHASE, 'psu/node-3/1', 'feeds'),
  link(PHASE, 'psu/node-3/3', 'feeds'),
  link(OTHER, 'psu/node-3/2', 'feeds'),
  link(OTHER, 'psu/node-3/4', 'feeds'),
  ...[1, 2, 3, 4].map((n) => link(`psu/node-3/${n}`, 'host/node-3', 'feeds')),
];
const BMC = { state: 'onset', trust: 'bmc', source: 'bmc' } as const;
const lost = (s: number, supply: number): FaultEvent =>
  event(s, 'psu.input_lost', `psu/node-3/${supply}`, { ...BMC, wide: [s - 5, s] });
const sag = (s: number): FaultEvent =>
  event(s, 'power.voltage_sag', PHASE, { state: 'onset', wide: [s - 2, s], trust: 'facility', source: 'pdu' });

test('supplies of one feed that drop out together have a sag behind them that no reading shows', () => {
  const reported = run(correlator(LINKS), [lost(4, 1), lost(4.1, 3)]).only();
  assert.equal(reported.root.kind, 'power.unobserved_sag');
  assert.equal(reported.root.component?.id, 'pdu-b-rack-14/1');
  assert.deepEqual(
    new Set(reported.chain.map(({ kind }) => kind)),
    new Set(['power.unobserved_sag', 'psu.input_lost']),
  );
  assert.equal(reported.action.kind, 'check_power_feed');
});

test('one supply, or supplies of different feeds, show nothing of a feed', () => {
  for (const events of [[lost(4, 1)], [lost(4, 1), lost(4.1, 2)]]) {
    const roots = run(correlator(LINKS), events).last.map(({ root }) => root.kind);
    assert.ok(!roots.includes('power.unobserved_sag'), roots.join());
  }
});

test('supplies that drop out far apart in time have no cause in common', () => {
  const roots = run(correlator(LINKS), [lost(4, 1), lost(60, 3)]).last.map(({ root }) => root.kind);
  assert.ok(!roots.includes('power.unobserved_sag'), roots.join());
});

test('a reading that arrives later takes the place of what was inferred', () => {
  const reported = run(correlator(LINKS), [lost(4, 1), lost(4.1, 3), sag(3)]).only();
  assert.equal(reported.root.kind, 'power.voltage_sag');
  assert.ok(!reported.chain.some(({ kind }) => kind === 'power.unobserved_sag'));
});

test('supplies that are pulled in a maintenance are not a sag', () => {
  const declared = event(0, 'host.maintenance', 'host/node-3', { state: 'onset', trust: 'system', source: 'operator' });
  const reported = run(correlator(LINKS), [declared, lost(4, 1), lost(4.1, 3)]);
  assert.deepEqual(reported.last.filter(({ ended }) => !ended), []); // biome-ignore format: one call
});

test('the order of arrival changes nothing', () => {
  const events = [lost(4, 1), lost(4.1, 3), lost(4.3, 2), lost(4.6, 4), sag(3), lost(400, 1), lost(400.2, 3)];
  const settled = (order: readonly FaultEvent[]): unknown => {
    const made = correlator(LINKS);
    const reported = new Reported();
    const early = order.filter(({ timeMs }) => timeMs < T0 + 100_000);
    for (const one of early) reported.take(made.observe(one));
    reported.take(made.advance(T0 + 300_000));
    for (const one of order) if (!early.includes(one)) reported.take(made.observe(one));
    reported.take(made.advance(T0 + 400_000 + 2 * (LATENESS + HOLD)));
    return reported.last
      .map(({ root, chain }) => [root.kind, root.component?.id, chain.map(({ eventId }) => eventId).sort()])
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  };
  const expected = settled(events);
  fc.assert(
    fc.property(fc.shuffledSubarray(events, { minLength: events.length }), (order) => {
      assert.deepEqual(settled(order), expected);
    }),
    { numRuns: runs(80, 400) },
  );
});

test('what the supplies themselves report follows from the sag, whichever of their events came first', () => {
  const failover = (supply: number): FaultEvent => {
    const evidence = [{ source: 'bmc', timeMs: T0 + 4000, text: `load of supply ${supply} moved` }];
    return event(4, 'psu.failover', `psu/node-3/${supply}`, { ...BMC, wide: [-1, 4], evidence });
  };
  const input = (supply: number): FaultEvent => {
    const evidence = [{ source: 'bmc', timeMs: T0 + 4000, text: `supply ${supply} has no input` }];
    return event(4, 'psu.input_lost', `psu/node-3/${supply}`, { ...BMC, wide: [-1, 4], evidence });
  };
  const events = [failover(1), failover(3), input(1), input(3)];
  const evidenceOf = (order: readonly FaultEvent[]): unknown =>
    run(correlator(LINKS), order)
      .only()
      .events.find(({ kind }) => kind === 'power.unobserved_sag')?.evidence;
  const expected = evidenceOf(events);
  assert.ok(Array.isArray(expected) && expected.length === 4);
  assert.deepEqual(evidenceOf(events.toReversed()), expected);
  assert.deepEqual(evidenceOf([failover(1), input(3), failover(3), input(1)]), expected);
});

// A feed that is lost is not a sag, and not the loss of one phase.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultEvent } from '../../../src/model/event.ts';
import { correlator, event, link, run } from '../fixtures.ts';

const PHASES = [1, 2, 3].map((n) => `pdu_phase/pdu-b-rack-14/${n}`);
const LINKS = [
  ...PHASES.map((phase, i) => link(phase, `psu/node-3/${i + 1}`, 'feeds')),
  ...[1, 2, 3].map((n) => link(`psu/node-3/${n}`, 'host/node-3', 'feeds')),
];
const PDU = { state: 'onset', trust: 'facility', source: 'pdu' } as const;
const gone = (s: number, phase: string): FaultEvent =>
  event(s, 'power.phase_loss', phase, { ...PDU, wide: [s - 2, s] });
const lost = (s: number, supply: number): FaultEvent =>
  event(s, 'psu.input_lost', `psu/node-3/${supply}`, { state: 'onset', trust: 'bmc', source: 'bmc', wide: [s - 2, s] });
const silent = (s: number): FaultEvent =>
  event(s, 'power.feed_unreachable', 'pdu/pdu-b-rack-14', { ...PDU, wide: [s - 4, s] });

test('every phase of a PDU gone at once is one lost feed', () => {
  const reported = run(correlator(LINKS), [...PHASES.map((phase, i) => gone(4 + i * 0.2, phase)), lost(5, 1)]).only();
  assert.equal(reported.root.kind, 'power.feed_lost');
  assert.equal(reported.root.component?.id, 'pdu-b-rack-14');
  assert.equal(reported.severity, 'critical');
  assert.equal(reported.action.kind, 'check_power_feed');
});

test('one phase of three, and phases that go minutes apart, are phases', () => {
  const one = run(correlator(LINKS), [gone(4, PHASES[0] ?? '')]).only();
  assert.equal(one.root.kind, 'power.phase_loss');
  const apart = run(
    correlator(LINKS),
    PHASES.map((phase, i) => gone(4 + i * 100, phase)),
  ).last;
  assert.ok(apart.every(({ root }) => root.kind !== 'power.feed_lost'));
});

/** Supplies 1 and 2 on one phase. */
const SHARED = [link(PHASES[0] ?? '', 'psu/node-3/2', 'feeds'), ...LINKS];

test('supplies that lose their input while their PDU goes silent have lost the feed, not met a sag', () => {
  const reported = run(correlator(SHARED), [lost(4, 1), lost(4.1, 2), silent(9)]).only();
  assert.equal(reported.root.kind, 'power.feed_lost');
  const before = run(correlator(SHARED), [silent(-120), lost(4, 1), lost(4.1, 2)]);
  assert.ok(
    before.last.some(({ root }) => root.kind === 'power.unobserved_sag'),
    'a PDU that was silent before says nothing',
  );
});

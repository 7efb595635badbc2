// The weaknesses that PowerTrace's own documents admit, each on one input: what its scorer makes of it, and what ours does.
// Drift of the baseline and one threshold for all are in weaknesses.test.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { powerTraceReport } from '../../../src/commands/correlate/powertrace/incidents.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { BAD, CAPPED, linksOf, NORMAL, ours, rootOf, SLOW, sag, slowOf, theirs } from './both-scorers.ts';
import { DEFAULTS, event, mapping, points, records, START_S, span } from './files.ts';

const orderOf = ({ chain }: Incident) => chain.map(({ kind, orderUnknown }) => `${kind}${orderUnknown ? '?' : ''}`);

test('batch only: what ours says of an incident it says with the readings up to then, and all that follow change no root', () => {
  const whole = ours(records([...sag(77), event(700)], [...SLOW, ...points(Array(60).fill(100), { fromS: 130 })]));
  // The second slow reading is of 90 s.
  const soFar = ours(records(sag(77), SLOW.slice(0, 10)));
  assert.deepEqual([rootOf(soFar), slowOf(soFar).state], ['power.voltage_sag on pdu/pdu', 'open']);
  assert.deepEqual(slowOf(whole).id, slowOf(soFar).id);
  assert.deepEqual([rootOf(whole), slowOf(whole).state], ['power.voltage_sag on pdu/pdu', 'resolved']);
});

test('clock skew: a cause whose clock is a second late stays the cause, and its order is said to be open', () => {
  const given = (sagS: number, capS: number) =>
    records([event(capS, { ...CAPPED, device: 'GPU-0' }), event(sagS)], SLOW);
  const late = given(78, 77);
  assert.deepEqual(theirs(late).map(linksOf), [['power_cap_applied on GPU-0', 'voltage_sag on pdu']]); // biome-ignore format: one line
  assert.equal(theirs(late)[0]?.chain.confidence, 0.9);
  assert.equal(rootOf(ours(late)), 'power.voltage_sag on pdu/pdu');
  assert.deepEqual(orderOf(slowOf(ours(late))), ['power.voltage_sag', 'gpu.power_cap?', 'service.degraded?']);
  assert.deepEqual([rootOf(ours(given(78, 68))), rootOf(ours(given(78, 58)))], ['power.voltage_sag on pdu/pdu', 'not known']); // biome-ignore format: one line
  // Where nothing else is open, it is less sure.
  const [open, inOrder] = [slowOf(ours(given(70, 69))), slowOf(ours(given(70, 71)))];
  assert.ok(open.confidence < inOrder.confidence, `${open.confidence} ${inOrder.confidence}`);
  assert.ok(open.confidenceParts.some(({ why, delta }) => delta < 0 && /^the clocks leave open its order with host gpu GPU-0/.test(why))); // biome-ignore format: one line
});

test('sampling gaps: a cause in a gap of the readings is found, and is less sure the less the readings tell of its order', () => {
  const after = points([...BAD, 100, 101], { fromS: 200 });
  const given = (atS: number) => records(sag(atS), [...points(NORMAL), ...after]);
  assert.deepEqual(theirs(given(100)), []);
  assert.deepEqual(powerTraceReport(given(100), DEFAULTS).skipped, []);
  const slow = slowOf(ours(given(100)));
  assert.equal(rootOf([slow]), 'power.voltage_sag on pdu/pdu');
  const onset = slow.events.find(({ kind, state }) => kind === 'service.degraded' && state === 'onset');
  // From the last good reading to the first bad one.
  assert.deepEqual(onset?.interval, { earliestMs: (START_S + 70) * 1000, latestMs: (START_S + 200) * 1000 });
  const surest = [75, 100, 150, 195].map((atS) => slowOf(ours(given(atS))).confidence);
  assert.deepEqual(surest, surest.toSorted((a, b) => b - a)); // biome-ignore format: one line
  assert.ok(new Set(surest).size === 4, surest.join(', '));
});

test('stale topology: readings that name another host than the mapping overrule it; spans add a place and take none away', () => {
  const stale = [
    mapping('old', { gpus: ['gpu-old'], services: ['api'], node: 'node-old' }),
    mapping('new', { gpus: ['gpu-new'], node: 'node-new' }),
  ];
  const moved = SLOW.map((point) => ({ ...point, node: 'node-new' }));
  const capped = (device: string) => [event(78, { ...CAPPED, device })];
  const [wrong] = theirs(records(capped('gpu-old'), moved, stale));
  assert.deepEqual([wrong?.chain.confidence, wrong?.warnings], [0.9, []]);
  assert.equal(rootOf(ours(records(capped('gpu-old'), moved, stale))), 'not known');
  assert.equal(rootOf(ours(records(capped('gpu-new'), moved, stale))), 'gpu.power_cap on gpu/gpu-new');
  // Spans are samples: that none names the old host does not show that it serves nothing.
  const spans = [20, 81].map((atS) => span(atS, { node: 'node-new', gpu: 'gpu-new' }));
  for (const device of ['gpu-old', 'gpu-new'])
    assert.equal(rootOf(ours(records(capped(device), SLOW, stale, spans))), `gpu.power_cap on gpu/${device}`);
});

test('a cloud that says nothing of what is below: ours does not know more, but says that it is less sure', () => {
  const mappings = [mapping('host', { instance: 'i-0a1b', gpus: ['GPU-0'], services: ['api'] })];
  const given = records([event(78, { source: 'aws_health', type: 'host_degradation', device: 'i-0a1b' })], SLOW, mappings); // biome-ignore format: one line
  assert.equal(theirs(given)[0]?.chain.confidence, 0.9);
  assert.equal(rootOf(ours(given)), 'host.degraded on host/host');
  const slow = slowOf(ours(given));
  assert.ok(slow.confidence < 0.7, `${slow.confidence}`);
  assert.ok(slow.confidenceParts.some(({ why }) => /comes from it in 50 of 100 cases/.test(why)));
});

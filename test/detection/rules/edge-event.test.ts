// What an edge becomes: kind, interval, numbers with units, and the series as evidence.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DETECTION_RULES } from '../../../src/detection/rules/detectors.ts';
import { type EdgeContext, edgeEvent } from '../../../src/detection/rules/edge-event.ts';
import type { DetectionRule } from '../../../src/detection/rules/rule.ts';
import { isKind } from '../../../src/model/kind.ts';
import type { DetectorEdge } from '../../../src/native.ts';

function rule(name: string): DetectionRule {
  const found = DETECTION_RULES.find((r) => r.spec.name === name);
  assert.ok(found, `no rule ${name}`);
  return found;
}

function context(samples: Record<string, [number, number][]>): EdgeContext {
  return {
    host: 'node-3',
    source: 'pdu',
    trust: 'facility',
    observedMs: 11_000,
    history(key, fromMs, toMs) {
      const inside = (samples[key] ?? []).filter(([t]) => t >= fromMs && t <= toMs);
      return {
        timesMs: Float64Array.from(inside, ([t]) => t),
        values: Float64Array.from(inside, ([, v]) => v),
      };
    },
  };
}

function edge(fields: Partial<DetectorEdge>): DetectorEdge {
  const base = { detector: 'd', key: 'k', edge: 'onset' as const, timeMs: 10_000, previousMs: 8_000 };
  return { ...base, value: 0, reference: 0, extreme: 0, detectedMs: 10_000, ...fields };
}

test('a sag reports before, after and limit, and that it began somewhere in the poll gap', () => {
  const key = 'pdu_phase/pdu-b/1#voltage';
  const event = edgeEvent(
    rule('pdu_phase-sag'),
    edge({ key, value: 108.2, reference: 121.4, extreme: 108.2 }),
    context({ [key]: [[8_000, 121.4], [10_000, 108.2]] }),
  ); // biome-ignore format: one call
  assert.ok(event);
  assert.equal(event.kind, 'power.voltage_sag');
  assert.deepEqual(event.component, { type: 'pdu_phase', id: 'pdu-b/1' });
  assert.deepEqual(event.interval, { earliestMs: 8_000, latestMs: 10_000 });
  assert.equal(event.attributes?.before, 121.4);
  assert.equal(event.attributes?.after, 108.2);
  assert.equal(event.attributes?.unit, 'V');
  assert.ok(Math.abs(Number(event.attributes?.limit) - 109.26) < 1e-9);
  assert.deepEqual(event.evidence, [{ source: 'pdu', series: key, values: [[8_000, 121.4], [10_000, 108.2]] }]); // biome-ignore format: pairs
});

test('less than half the voltage is a lost phase, not a sag', () => {
  const event = edgeEvent(
    rule('pdu_phase-sag'),
    edge({ key: 'pdu_phase/b/2#voltage', value: 3, reference: 230, extreme: 3 }),
    context({}),
  );
  assert.equal(event?.kind, 'power.phase_loss');
  assert.equal(event?.severity, 'critical');
});

test('a power brake also reports what happened to the clock', () => {
  const gpu = 'gpu/0000:1b:00.0';
  const event = edgeEvent(
    rule('gpu-power-brake'),
    edge({ key: `${gpu}#clock_event_reasons`, value: 0x80, previousMs: 9_500 }),
    context({ [`${gpu}#sm_clock`]: [[9_000, 1.98e9], [9_500, 1.98e9], [10_000, 1.095e9]] }),
  ); // biome-ignore format: one call
  assert.equal(event?.attributes?.reasons, '0x80');
  assert.equal(event?.attributes?.also_before, 1.98e9);
  assert.equal(event?.attributes?.also_after, 1.095e9);
});

test('a power cap at the limit under load is information, no fault', () => {
  const event = edgeEvent(
    rule('gpu-power-cap'),
    edge({ key: 'gpu/0000:1b:00.0#clock_event_reasons', value: 4 }),
    context({}),
  );
  assert.equal(event?.severity, 'info');
});

test('a series whose component has no known type becomes no event', () => {
  assert.equal(edgeEvent(rule('pdu_phase-sag'), edge({ key: 'toaster/1#voltage' }), context({})), null);
});

test('every rule names a kind of the vocabulary and a name of its own', () => {
  assert.equal(new Set(DETECTION_RULES.map((r) => r.spec.name)).size, DETECTION_RULES.length);
  for (const r of DETECTION_RULES) assert.ok(isKind(r.kind), r.kind);
});

test('what had to last for minutes to be reported says how long it had by then', () => {
  const key = 'gpu/0000:9b:00.0#fabric_state';
  const samples: [number, number][] = [0, 100_000, 200_000, 300_000].map((at) => [at, 2]);
  const reported = (last: number) =>
    edgeEvent(
      rule('gpu-fabric-waiting'),
      edge({ key, timeMs: 0, previousMs: 0, value: 2, reference: 2.5, extreme: 2 }),
      { ...context({ [key]: samples.slice(0, last) }), observedMs: 300_100 },
    )?.attributes?.lasted_ms;
  assert.equal(reported(4), 300_000);
  assert.equal(reported(1), undefined);
});

test('a share of two minutes that is too large began to grow within them, not since the reading before', () => {
  const key = 'nic/0000:18:00.0#pause_received_time';
  const given = edge({ key, value: 0.3, timeMs: 300_000, previousMs: 270_000 });
  const event = edgeEvent(rule('nic-paused'), given, context({}));
  assert.deepEqual(event?.interval, { earliestMs: 180_000, latestMs: 300_000 });
});

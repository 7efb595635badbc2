// Services from their spans to an incident: what slows them down is its root, they are its impact, and their worst traces are in it.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Pipeline } from '../../src/daemon/pipeline.ts';
import { renderIncidentText } from '../../src/incidents/report/text.ts';
import { incidentFromDocument, wholeIncidentToDocument } from '../../src/model/documents/incident.ts';
import type { FaultEvent } from '../../src/model/event.ts';
import type { Incident } from '../../src/model/incident.ts';
import { native } from '../../src/native.ts';
import { incidentSpan } from '../../src/sinks/otlp/traces/spans.ts';
import { Services } from '../../src/sources/otlp-in/impact/services.ts';
import { takeTraces } from '../../src/sources/otlp-in/impact/take-traces.ts';

const T0 = 1_764_000_000_000;
const GPU = { type: 'gpu', id: '0000:1b:00.0', host: 'node-3' } as const;
const FROM = 30;
const TO = 40;
const WINDOWS = 52;
const EACH = 40;

interface Load {
  readonly ms?: number;
  readonly failed?: number;
  readonly share?: number;
}

/** Plays ten-second windows of a service's requests; `load` says how they are while it is hurt. */
function play(t: TestContext, load: Load, { throttles = false, spread = (i: number) => 90 + (i % 21) } = {}) {
  const core = new (native().Core)({ historySeconds: 900, maxSeries: 200, anchorMs: T0 });
  t.after(() => core.close());
  const events: FaultEvent[] = [];
  const incidents = new Map<string, Incident>();
  let nowMs = T0;
  const gpuLinks = [{ from: { type: 'host', id: 'node-3' }, to: GPU, relation: 'contains', source: 'host' }] as const;
  const pipeline = new Pipeline({
    host: 'node-3',
    core,
    latenessMs: 10_000,
    holdMs: 10_000,
    links: gpuLinks,
    now: () => nowMs,
    onEvent: (event) => events.push(event),
    onIncident: (incident) => incidents.set(incident.id, incident),
  });
  const services = new Services({
    source: 'otlp-in',
    host: 'node-3',
    mostServices: 4,
    now: () => nowMs,
    steady: (wallMs) => wallMs,
    view: () => ({ version: 1, works: [], devices: [], conflicts: [] }),
    emit: pipeline,
  });
  t.after(() => services.stop());
  let id = 0;
  for (let window = 0; window < WINDOWS; window += 1) {
    const hurt = window >= FROM && window < TO;
    if (throttles && (window === FROM || window === TO)) {
      const state = window === FROM ? 'onset' : 'clear';
      pipeline.event({
        kind: 'gpu.thermal_throttle',
        component: GPU,
        timeMs: nowMs,
        observedMs: nowMs,
        trust: 'driver',
        source: 'gpu',
        state,
      });
    }
    const count = Math.round(EACH * (hurt ? (load.share ?? 1) : 1));
    const spans = Array.from({ length: count }, (_, i) => {
      id += 1;
      const ms = hurt && load.ms !== undefined ? load.ms : spread(id);
      const endTimeUnixNano = nowMs + (i * 10_000) / count;
      const traceId = id.toString(16).padStart(32, '0');
      const code = hurt && i < (load.failed ?? 0) ? 2 : 0;
      const times = { startTimeUnixNano: endTimeUnixNano - ms, endTimeUnixNano };
      return { traceId, spanId: traceId.slice(16), kind: 2, status: { code }, ...times };
    });
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'llama-api' } }] };
    nowMs += 10_000;
    const taken = takeTraces({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }, services, nowMs, {
      name: 'uid-0',
      uid: 0,
    });
    assert.deepEqual(taken, { rejected: 0, why: '' });
    services.settle();
    pipeline.advance(nowMs);
  }
  for (let i = 0; i < 12; i += 1) {
    nowMs += 10_000;
    services.settle();
    pipeline.advance(nowMs);
  }
  const degraded = events.filter(({ kind }) => kind === 'service.degraded');
  return { degraded, incidents: [...incidents.values()] };
}

test('a service that a hot GPU slows down is the effect, not the cause, and its slowest traces are in the incident', (t) => {
  const { degraded, incidents } = play(t, { ms: 400 }, { throttles: true });
  assert.deepEqual([...new Set(degraded.map(({ state }) => state))], ['onset', 'clear']);
  assert.equal(degraded[0]?.trust, 'tenant');
  const [incident] = incidents;
  assert.ok(incident !== undefined && incidents.length === 1, JSON.stringify(incidents.map(({ title }) => title)));
  assert.equal(incident.root.kind, 'gpu.thermal_throttle');
  const impact = incident.impact.find(({ component }) => component.id === 'llama-api');
  assert.match(impact?.text ?? '', /^llama-api p50 latency (?:9|10)\d(\.\d+)? → (?:39|40)\d(\.\d+)? ms$/);
  const traces = impact?.traces ?? [];
  assert.ok(traces.length > 1, JSON.stringify(impact));
  // Those of requests that were slow.
  for (const { traceId, spanId } of traces) {
    const number = Number.parseInt(traceId, 16);
    assert.ok(number > FROM * EACH && number <= TO * EACH + 1, traceId);
    assert.equal(spanId, traceId.slice(16));
  }
  const document = wholeIncidentToDocument(incident);
  const read = incidentFromDocument(JSON.parse(JSON.stringify(document)));
  assert.deepEqual(read?.impact, incident.impact);
  const text = renderIncidentText(incident, { width: 100, colour: false, nowMs: incident.updatedMs, timeZone: 'UTC' });
  assert.match(text, new RegExp(`Worst traces +llama-api ${traces[0]?.traceId}`));
  const origin = { resource: {} as never, scope: { name: 'faultline', version: '1' } }; // nothing is serialised here
  const links = incidentSpan(incident, 0, 1, origin)?.links ?? [];
  assert.deepEqual(
    links.map(({ context, attributes }) => [context.traceId, attributes?.['faultline.link.relation']]),
    traces.map(({ traceId }) => [traceId, 'worst_trace']),
  );
});

test('a service alone is an incident without a root in the hardware', (t) => {
  const { incidents } = play(t, { ms: 400 });
  assert.deepEqual(
    incidents.map(({ root, action }) => [root.kind, action.kind]),
    [['service.degraded', 'none']],
  );
  assert.ok((incidents[0]?.confidence ?? 1) <= 0.6);
});

test('failed requests are a degradation, and their traces are those that failed', (t) => {
  const { degraded } = play(t, { failed: 8 });
  const [onset, clear] = degraded;
  assert.deepEqual([onset?.state, clear?.state, degraded.length], ['onset', 'clear', 2]);
  assert.deepEqual([onset?.attributes.quantity, onset?.attributes.before], ['error ratio', 0]);
  assert.ok(Math.abs(Number(onset?.attributes.after) - 0.2) < 0.03, String(onset?.attributes.after));
});

test('fewer requests alone are fewer callers; with longer ones they are a degradation', (t) => {
  assert.deepEqual(play(t, { share: 0.3 }).degraded, []);
  const { degraded } = play(t, { share: 0.4, ms: 130 });
  assert.deepEqual([degraded[0]?.attributes.quantity, degraded[0]?.state], ['throughput', 'onset']);
});

test('requests of which some are always slow are no degradation', (t) => {
  let seed = 7;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const spread = () => (random() < 0.012 ? 2000 : 60 + 80 * random());
  assert.deepEqual(play(t, {}, { spread }).degraded, []);
});

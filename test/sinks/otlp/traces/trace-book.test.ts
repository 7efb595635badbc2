// The trace book: work that comes before its incident waits for it, and what belongs to no kept trace is not kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { Stage } from '../../../../src/model/stage.ts';
import { spanIdOf, traceIdOf } from '../../../../src/model/trace.ts';
import type { Span } from '../../../../src/sinks/otlp/traces/spans.ts';
import { TraceBook } from '../../../../src/sinks/otlp/traces/trace-book.ts';
import { event, incident } from '../../../incidents/sample.ts';

const ORIGIN = { resource: resourceFromAttributes({}), scope: { name: 'faultline', version: '1' } };
const ID = '7f3c41d2a0b1';
const opened = { ...incident(ID), traceId: traceIdOf(ID) };
const [first, second] = opened.events;

function book(ratio = 1): TraceBook {
  return new TraceBook({ origin: ORIGIN, ratio, now: () => 1e15, settleMs: 1e14 });
}

const named = (spans: readonly Span[], name: string) => spans.filter((span) => span.name === name);

test('work on an event waits until an incident takes it up, and is found once however often it repeats', () => {
  const traces = book();
  const eventId = first?.id ?? '';
  traces.work({ name: 'Detector/Detect', eventId, startMs: 10, endMs: 20 });
  traces.work({ name: 'Detector/Detect', eventId, startMs: 500, endMs: 520 });
  traces.work({ name: 'Core/HandOver', eventId, startMs: 20, endMs: 21 });
  traces.work({ name: 'Detector/Detect', eventId: 'of no incident', startMs: 30, endMs: 31 });
  assert.deepEqual(traces.due(), []);
  traces.incident(opened);
  const spans = traces.due();
  const [detect, ...more] = named(spans, 'Detector/Detect');
  assert.deepEqual(more, []);
  assert.equal(named(spans, 'Core/HandOver').length, 1);
  assert.equal(detect?.spanContext().traceId, traceIdOf(ID));
  assert.equal(detect?.parentSpanContext?.spanId, spanIdOf(ID));
  assert.deepEqual(
    [detect?.startTime, detect?.endTime],
    [
      [0, 10e6],
      [0, 20e6],
    ],
  );
  assert.equal(detect?.links[0]?.context.spanId, spanIdOf(ID, eventId));
  traces.incident({ ...opened, revision: 2 });
  assert.deepEqual(named(traces.due(), 'Detector/Detect'), []);
});

test('work on an event outside the chain is linked to a span that there is', () => {
  const traces = book();
  const over = event('e-over', 'power.voltage_sag', first?.component ?? null, { state: 'clear' });
  const aside = event('e-aside', 'job.checkpoint_saved', null);
  for (const { id } of [over, aside]) traces.work({ name: 'Detector/Detect', eventId: id, startMs: 10, endMs: 20 });
  traces.incident({ ...opened, events: [...opened.events, over, aside] });
  traces.work({ name: 'BlackBox/Save', incidentId: ID, eventId: aside.id, startMs: 3, endMs: 4 });
  const found = traces
    .due()
    .map(({ name, attributes: a, links }) => [name, a['faultline.event.id'], links[0]?.context.spanId]);
  assert.deepEqual(found, [
    ['Detector/Detect', 'e-over', spanIdOf(ID, first?.id)],
    ['Detector/Detect', 'e-aside', spanIdOf(ID)],
    ['BlackBox/Save', 'e-aside', spanIdOf(ID)],
  ]);
});

test('work on an incident that is not reported yet waits as well', () => {
  const traces = book();
  traces.work({ name: 'Correlator/Correlate', incidentId: ID, revision: 1, startMs: 1, endMs: 2 });
  traces.incident(opened);
  traces.work({ name: 'BlackBox/Save', incidentId: ID, startMs: 3, endMs: 4, skipped: 'full', error: 'full' });
  const spans = traces.due();
  assert.equal(named(spans, 'Correlator/Correlate')[0]?.attributes['faultline.incident.revision'], 1);
  const [save] = named(spans, 'BlackBox/Save');
  assert.deepEqual([save?.attributes['faultline.skip.reason'], save?.status.message], ['full', 'full']);
});

test('of a trace that is not kept there is no span of any kind', () => {
  const traces = book(1e-9);
  traces.work({ name: 'Detector/Detect', eventId: first?.id ?? '', startMs: 10, endMs: 20 });
  traces.work({ name: 'Correlator/Correlate', incidentId: ID, startMs: 1, endMs: 2 });
  assert.deepEqual(traces.incident({ ...opened, state: 'resolved', resolvedMs: opened.updatedMs }), []);
  assert.deepEqual(traces.due(), []);
});

test('what a caller asked for is a child of their span, unless they keep no trace themselves', () => {
  const traces = book(1e-9);
  const parent = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', sampled: true };
  const work = { name: 'VendorChild/Release', spanId: '00000000000000aa', startMs: 1, endMs: 2 } as const;
  traces.work({ ...work, parent });
  traces.work({ ...work, parent: { ...parent, sampled: false } });
  const [span, ...more] = traces.due();
  assert.deepEqual(more, []);
  const { traceId, spanId } = span?.spanContext() ?? {};
  assert.deepEqual([traceId, spanId], [parent.traceId, '00000000000000aa']);
  assert.deepEqual([span?.parentSpanContext?.spanId, span?.parentSpanContext?.isRemote], [parent.spanId, true]);
});

test('a link of the chain whose samples came with a trace context links to it', () => {
  const traces = book();
  const attributes = { ...second?.attributes, traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00' };
  const events = opened.events.map((event) => (event === second ? { ...event, attributes } : event));
  const spans = traces.incident({ ...opened, events, state: 'resolved', resolvedMs: opened.updatedMs });
  const of = (id: string | undefined) => spans.find((span) => span.spanContext().spanId === spanIdOf(ID, id));
  const seen = (span: Span | undefined) =>
    span?.links.filter(({ attributes: found }) => found?.['faultline.link.relation'] === 'seen_in') ?? [];
  assert.deepEqual(
    seen(of(second?.id)).map(({ context }) => [context.traceId, context.spanId, context.traceFlags]),
    [['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7', 0]],
  );
  assert.deepEqual(seen(of(first?.id)), []);
});

test('stages of its life: one span each when it is over, linked to the one before, also after the incident was resolved', () => {
  const traces = book();
  const host = { type: 'host', id: 'node-3' } as const;
  const stage = { id: 'detected', name: 'detected', action: 'detect', component: null, by: null, source: 'gpu', beganMs: 1000, endedMs: 2000, waitMs: 0, outcome: 'succeeded', reason: null, error: null } as const; // biome-ignore format: one line
  const drain: Stage = { ...stage, id: 'a', name: 'quarantined', action: 'drain', component: host, by: 'anna', source: 'slurm', beganMs: 5000, endedMs: 5000, waitMs: 3000, reason: 'xid 79' }; // biome-ignore format: one line
  const check: Stage = { ...stage, id: 'v', name: 'verified', action: 'verify', beganMs: 6000, endedMs: null, outcome: 'in_progress' }; // biome-ignore format: one line
  const stages = (spans: readonly Span[]) => spans.filter(({ name }) => name.startsWith('stage/'));
  const first = stages(traces.incident({ ...opened, stages: [stage, drain, check] }));
  assert.deepEqual(first.map(({ name }) => name), ['stage/detected', 'stage/quarantined']); // biome-ignore format: one line
  const [, quarantined] = first;
  assert.equal(quarantined?.parentSpanContext?.spanId, spanIdOf(ID));
  assert.equal(quarantined?.links[0]?.context.spanId, spanIdOf(ID, 'stage detected'));
  assert.deepEqual([quarantined?.attributes['faultline.stage.by'], quarantined?.attributes['faultline.stage.wait_ms'], quarantined?.attributes['faultline.stage.reason']], ['anna', 3000, 'xid 79']); // biome-ignore format: one line
  const failed: Stage = { ...check, endedMs: 9000, outcome: 'failed', error: { type: 'came_back', message: 'gpu.lost was seen again' } }; // biome-ignore format: one line
  const resolved = { ...opened, state: 'resolved' as const, resolvedMs: 8000, updatedMs: 8000, revision: 2 };
  const [second, ...none] = stages(traces.incident({ ...resolved, stages: [stage, drain, failed] }));
  assert.deepEqual([second?.name, second?.status.message, second?.attributes['error.type'], none], ['stage/verified', 'gpu.lost was seen again', 'came_back', []]); // biome-ignore format: one line
  const back: Stage = { ...drain, id: 'r', name: 'returned', action: 'resume' };
  const after = traces.incident({ ...resolved, updatedMs: 20_000, revision: 3, stages: [stage, drain, failed, back] });
  assert.deepEqual(after.map(({ name }) => name), ['stage/returned']); // biome-ignore format: one line
});

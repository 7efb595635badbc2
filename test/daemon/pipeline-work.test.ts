// What the pipeline reports of its own work, and that it costs nothing where no sink asks.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Pipeline } from '../../src/daemon/pipeline.ts';
import type { FaultEvent } from '../../src/model/event.ts';
import type { Incident } from '../../src/model/incident.ts';
import { parseTraceparent } from '../../src/model/trace.ts';
import type { OnWork, Work } from '../../src/model/work.ts';
import { native } from '../../src/native.ts';

const VOLTAGE = 'pdu_phase/pdu-b/1#voltage';
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const XID = {
  kind: 'gpu.lost',
  component: { type: 'gpu', id: '0000:9b:00.0' },
  trust: 'kernel',
  source: 'kernel-log',
} as const;
const cores: { close(): void }[] = [];
after(() => {
  for (const core of cores) core.close();
});

function build(onWork: OnWork) {
  const core = new (native().Core)({ historySeconds: 600, maxSeries: 100 });
  cores.push(core);
  const events: FaultEvent[] = [];
  const incidents: Incident[] = [];
  const clock = { reads: 0 };
  const pipeline = new Pipeline({
    host: 'node-3',
    core,
    latenessMs: 10_000,
    holdMs: 10_000,
    links: [],
    onWork,
    now: () => {
      clock.reads += 1;
      return core.now();
    },
    onEvent: (event) => events.push(event),
    onIncident: (incident) => incidents.push(incident),
  });
  return { core, pipeline, events, incidents, clock };
}

/** Samples that end in a sag now. */
function sag({ core, pipeline }: ReturnType<typeof build>, traceparent?: string): void {
  const from = core.now() - 20_000;
  const timesMs = Array.from({ length: 20 }, (_, second) => from + second * 1000);
  pipeline.samples({
    source: 'pdu',
    trust: 'facility',
    keys: timesMs.map(() => VOLTAGE),
    timesMs,
    values: timesMs.map((_, second) => (second < 17 ? 121 : 100)),
    ...(traceparent === undefined ? {} : { traceparent }),
  });
}

test('a native edge is traced from its first sample to its finding, over the boundary, to the incident', () => {
  const work: Work[] = [];
  const built = build((one) => work.push(one));
  const beforeMs = built.core.now();
  sag(built);
  const [event] = built.events;
  const [incident] = built.incidents;
  const [detect, handOver, correlate] = work;
  assert.ok(event && incident && detect && handOver && correlate);
  assert.deepEqual(
    work.map(({ name }) => name),
    ['Detector/Detect', 'Core/HandOver', 'Correlator/Correlate'],
  );
  assert.equal(detect.startMs, event.timeMs);
  assert.ok(detect.endMs >= beforeMs, 'found when the samples were there, not when they were taken');
  assert.equal(handOver.startMs, detect.endMs);
  assert.ok(handOver.endMs >= handOver.startMs && correlate.startMs >= handOver.endMs);
  assert.ok(correlate.endMs >= correlate.startMs && correlate.endMs <= built.core.now());
  assert.ok('eventId' in detect && detect.eventId === event.id);
  assert.ok('incidentId' in correlate && correlate.incidentId === incident.id && correlate.eventId === event.id);
});

test('a finished event is traced from its reading on', () => {
  const work: Work[] = [];
  const { pipeline, core } = build((one) => work.push(one));
  const observedMs = core.now() - 5;
  pipeline.event({ ...XID, timeMs: observedMs - 100, observedMs });
  assert.deepEqual(
    work.map(({ name }) => name),
    ['Detector/Detect', 'Correlator/Correlate'],
  );
  assert.equal(work[0]?.startMs, observedMs);
});

test('the trace context of a batch comes through native code to the event that it causes', () => {
  const built = build(null);
  sag(built, TRACEPARENT);
  assert.equal(built.events[0]?.attributes.traceparent, TRACEPARENT);
  const hostile = build(null);
  sag(hostile, `${TRACEPARENT}\r\nx: y`);
  assert.equal(hostile.events[0]?.kind, 'power.voltage_sag', 'detected all the same');
  assert.equal(parseTraceparent(hostile.events[0]?.attributes.traceparent), null);
  assert.equal('traceparent' in (hostile.events[0]?.attributes ?? {}), false);
});

test('where no sink asks, no clock is read for it', () => {
  const reads = (onWork: OnWork, act: (built: ReturnType<typeof build>) => void): number => {
    const built = build(onWork);
    act(built);
    return built.clock.reads;
  };
  const once = ({ pipeline, core }: ReturnType<typeof build>) => {
    const observedMs = core.now();
    pipeline.event({ ...XID, kind: 'memory.ce', component: null, timeMs: observedMs, observedMs });
  };
  const quiet = ({ pipeline, core }: ReturnType<typeof build>) => pipeline.advance(core.now());
  assert.equal(reads(null, once), 0);
  assert.equal(reads(null, quiet), 0);
  assert.ok(reads(() => {}, once) > 0, 'the clock that is counted is the one that is read');
});

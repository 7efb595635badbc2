// One trace through the real daemon: the incident's file, its log lines and records, and the spans of every step of ours.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { spanIdOf } from '../../src/model/trace.ts';
import { Collector } from '../sinks/otlp/collector.ts';
import { DaemonUnderTest, type Json } from './daemon-under-test.ts';

const XID_79 = 'NVRM: Xid (PCI:0000:1b:00): 79, pid=1122, name=python, GPU has fallen off the bus.';
const PARENT = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const TRACEPARENT = `00-${PARENT.traceId}-${PARENT.spanId}-01`;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function traced(): Promise<{ daemon: DaemonUnderTest; collector: Collector }> {
  const collector = await Collector.grpc();
  closing.push(() => collector.kill());
  const extra = `otlp: {endpoint: "http://127.0.0.1:${collector.port}"}`;
  const daemon = new DaemonUnderTest({ gpus: 2, extra });
  closing.push(() => daemon.close());
  await daemon.start();
  return { daemon, collector };
}

async function gpusRead(daemon: DaemonUnderTest): Promise<void> {
  await daemon.until('the GPUs are read', async () => {
    const { native } = (await daemon.get('/v1/status')) as { native: { samples: number } }; // the status document
    return native.samples > 0;
  });
}

/** What the daemon's own log says with these fields. */
function lines(daemon: DaemonUnderTest, has: (line: Json) => boolean): Json[] {
  const whole = daemon.stderr.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
  return whole.map((line) => JSON.parse(line) as Json).filter(has); // pino writes an object a line
}

test('an incident is one trace: file, log line, records, and the work of each part of the daemon', async () => {
  const { daemon, collector } = await traced();
  await gpusRead(daemon);
  // The thermal slowdown is found natively, the XID in text.
  daemon.control('devices 2\ngpu.0.reasons 0x40\n');
  daemon.kernel(XID_79);
  const names = ['Detector/Detect', 'Core/HandOver', 'Correlator/Correlate', 'IncidentLog/Append', 'BlackBox/Save', 'Exporter/Spool']; // biome-ignore format: a list
  // The two may be one incident or, where the first is read late, two: the trace is that of what was found natively.
  const incident = await daemon.until('every part has reported its work on an incident on disk', () => {
    const native = collector.spans.find((span) => span.name === 'Core/HandOver');
    const own = collector.spans.filter((span) => span.traceId === native?.traceId);
    const isWhole = names.every((name) => own.some((span) => span.name === name));
    return isWhole && daemon.logged('incident').find(({ trace_id }) => trace_id === native?.traceId);
  });
  const id = String(incident.id);
  const spans = collector.spans.filter((span) => span.traceId === incident.trace_id);
  for (const name of names) {
    const found = spans.filter((span) => span.name === name);
    assert.ok(found.length > 0, name);
    for (const span of found) {
      assert.equal(span.parentId, spanIdOf(id), `${name} lies in the incident`);
      assert.ok(span.endMs >= span.startMs);
      assert.equal(span.attributes['faultline.skip.reason'], undefined, name);
    }
  }
  const reported = await daemon.until('it is in the log of the daemon', () => {
    const found = lines(daemon, (line) => line.incident === id);
    return found.length > 0 && found;
  });
  for (const line of reported) {
    assert.deepEqual([line.trace_id, line.span_id, line.trace_flags], [incident.trace_id, spanIdOf(id), '01']);
  }
  await daemon.until('its record is out', () =>
    collector.logs.some(
      (record) => record.traceId === incident.trace_id && record.eventName === 'faultline.incident.opened',
    ),
  );
});

test('what could not be done is reported with its reason: no log, no snapshot', async () => {
  const { daemon, collector } = await traced();
  rmSync(daemon.log, { recursive: true, force: true });
  writeFileSync(daemon.log, 'in the way');
  daemon.kernel(XID_79);
  const skipped = (name: string) =>
    collector.spans.find((span) => span.name === name && span.attributes['faultline.skip.reason'] !== undefined);
  const [append, save] = await daemon.until('both are reported', () => {
    const found = [skipped('IncidentLog/Append'), skipped('BlackBox/Save')];
    return found.every((span) => span !== undefined) && found;
  });
  assert.match(String(append?.attributes['faultline.skip.reason']), /^log unavailable: .+/);
  assert.equal(append?.error, 'log unavailable');
  assert.ok(save?.attributes['faultline.skip.reason']);
  assert.equal(save.traceId, append.traceId);
  const record = await daemon.until('it went out all the same', () =>
    collector.logs.find(({ eventName }) => eventName === 'faultline.incident.opened'),
  );
  assert.equal(record.traceId, append.traceId);
});

test('a trace that is not exported says so in the log lines, whose ids stay', async () => {
  const sampler = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.000000001' };
  Object.assign(process.env, sampler);
  closing.push(() => Object.keys(sampler).forEach((name) => void delete process.env[name]));
  const { daemon, collector } = await traced();
  daemon.kernel(XID_79);
  const [line] = await daemon.until('the incident is reported', () => {
    const found = lines(daemon, ({ incident }) => incident !== undefined);
    return found.length > 0 && found;
  });
  await daemon.until('its record is out', () => collector.logs.some(({ traceId }) => traceId === line?.trace_id));
  assert.equal(line?.trace_flags, '00');
  assert.deepEqual(collector.spans, []);
});

test('release-devices run from a trace is a span of it, with the time until the devices were free', async () => {
  const { daemon, collector } = await traced();
  const config = join(daemon.folder, 'faultline.yaml');
  await gpusRead(daemon);
  process.env.TRACEPARENT = TRACEPARENT;
  closing.push(() => delete process.env.TRACEPARENT);
  const { status, stderr } = await daemon.command('release-devices', '--for', '60s', '--config', config);
  assert.deepEqual([status, stderr], [0, '']);
  const span = await daemon.until('the span is out', () =>
    collector.spans.find(({ name }) => name === 'VendorChild/Release'),
  );
  assert.deepEqual([span.traceId, span.parentId, span.error], [PARENT.traceId, PARENT.spanId, null]);
  assert.ok(span.endMs > span.startMs);
  const reported = lines(daemon, (line) => line.trace_id === PARENT.traceId);
  assert.deepEqual(new Set(reported.map((line) => line.span_id)), new Set([span.spanId]));
  assert.equal(reported.length, 2, 'asked, and let go');
});

test('a bundle for the vendor is a stage of its incident', async () => {
  const { daemon, collector } = await traced();
  daemon.kernel(XID_79);
  const incident = await daemon.until('the incident is on disk', () => daemon.logged('incident').at(-1));
  const config = join(daemon.folder, 'faultline.yaml');
  const out = join(daemon.folder, 'bundle.tar.gz');
  const { status, stderr } = await daemon.command('bundle', String(incident.id), '--config', config, '--out', out);
  assert.equal(status, 0, stderr);
  const span = await daemon.until('the span is out', () => collector.spans.find(({ name }) => name === 'Bundle/Make'));
  assert.deepEqual([span.traceId, span.parentId], [incident.trace_id, spanIdOf(String(incident.id))]);
  assert.equal(span.error, null);
  assert.ok(span.endMs > span.startMs);
});

// A run with one incident, sent to a real OpenTelemetry Collector and compared with what the daemon itself wrote down.

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { CollectorUnderTest, collectorMissing } from '../otlp-collector/collector-under-test.ts';
import type { Span } from '../sinks/otlp/otlp-proto.ts';
import { DaemonUnderTest, type Json } from './daemon-under-test.ts';
import { type Closing, isTime, near, ROUNDING_MS, type Run, shortSag, timeOf } from './otlp-run.ts';

/** OTLP's numbers of the severities (vocabulary). */
const SEVERITY_NUMBERS: Readonly<Record<string, number>> = { info: 9, warning: 13, error: 17, critical: 21 };

const closing: Closing[] = [];
const closeAll = async () => {
  for (const each of closing.splice(0).reverse()) await each.close();
};

describe('a run with one incident', { skip: collectorMissing() }, () => {
  let run: Run;
  before(async () => {
    run = await shortSag(closing);
  });
  after(closeAll);

  test('the incident is the one that the scenario holds, and it is one', () => {
    assert.equal(new Set(run.revisions.map(({ id }) => id)).size, 1);
    assert.equal((run.incident.root as Json).kind, 'power.voltage_sag');
    assert.ok((run.incident.chain as Json[]).length >= 4);
  });

  test('every signal says who sends', () => {
    assert.ok(run.resources.length > 3);
    for (const resource of run.resources) {
      assert.equal(resource['service.name'], 'faultline');
      assert.equal(resource['host.name'], 'node-3');
      assert.equal(resource['k8s.node.name'], 'node-3');
      assert.match(String(resource['service.instance.id']), /^[0-9a-f-]{36}$/);
    }
    assert.equal(new Set(run.resources.map((one) => JSON.stringify(one))).size, 1);
  });

  for (const [series, metric, unit, is, attributes] of [
    ['gpu/0000:1b:00.0#power', 'hw.power', 'W', 'gauge', { 'hw.id': '0000:1b:00.0', 'hw.type': 'gpu' }],
    ['gpu/0000:1b:00.0#energy', 'hw.energy', 'J', 'counter', { 'hw.id': '0000:1b:00.0', 'hw.type': 'gpu' }],
    // The memory of a GPU has a temperature of its own, with a sensor location.
    [
      'gpu/0000:43:00.0#temperature',
      'hw.temperature',
      'Cel',
      'gauge',
      { 'hw.id': '0000:43:00.0', 'hw.sensor_location': undefined },
    ],
    ['cpu/node-3/0#power', 'hw.power', 'W', 'gauge', { 'hw.id': 'node-3/0', 'hw.type': 'cpu' }],
    ['pdu_phase/pdu-b-rack-14/1#voltage', 'hw.voltage', 'V', 'gauge', { 'hw.id': 'pdu-b-rack-14/1' }],
    ['psu/node-3/1#input_voltage', 'hw.voltage', 'V', 'gauge', { 'hw.id': 'node-3/1', 'hw.sensor_location': 'input' }],
    ['fan/node-3/1#fan_speed', 'hw.fan.speed', 'rpm', 'gauge', { 'hw.id': 'node-3/1', 'hw.type': 'fan' }],
  ] as const) {
    test(`${series} is ${metric} in ${unit}, with the times and values of its samples`, () => {
      const samples = [...(run.recorded.get(series) ?? [])];
      // The recording is closed before the last export of a stop.
      const recordedMs = Math.max(...samples.map(([time]) => time));
      const points = run.points.filter((point) => {
        const own = Object.entries(attributes).every(([name, value]) => point.attributes[name] === value);
        return point.metric === metric && own && point.timeMs <= recordedMs + ROUNDING_MS;
      });
      assert.ok(points.length >= 5, `${points.length} points of ${[...run.recorded.keys()].join(' ')}`);
      for (const { timeMs, value, ...point } of points) {
        assert.deepEqual([point.unit, point.is], [unit, is]);
        const sample = samples.find(([time]) => near(time, timeMs));
        assert.ok(sample, `${series} has no sample at ${timeMs}, as the point says`);
        const wanted = sample[1] * (unit === 'rpm' ? 60 : 1); // the recording counts a second's turns
        assert.ok(near(wanted, value, 1e-9 * Math.abs(value)), `${series} at ${timeMs}: ${wanted}, not ${value}`);
      }
      const times = points.map(({ timeMs }) => timeMs);
      assert.deepEqual(
        times,
        [...new Set(times)].sort((a, b) => a - b),
        'in order, none twice',
      );
    });
  }

  test('the metrics about the daemon itself are there too, in order', () => {
    for (const metric of ['faultline.core.samples', 'process.memory.usage', 'faultline.source.reads']) {
      assert.ok(
        run.points.some((point) => point.metric === metric),
        metric,
      );
    }
    const times = run.points.filter(({ metric }) => metric === 'faultline.core.samples').map(({ timeMs }) => timeMs);
    assert.ok(times.length >= 3, `${times.length}`);
    assert.deepEqual(
      times.toSorted((a, b) => a - b),
      times,
    );
  });

  test('no metric of ours goes without a unit', () => {
    const bare = run.points.filter(({ unit }) => unit === '');
    assert.deepEqual([...new Set(bare.map(({ metric }) => metric))], []);
  });

  test('the sag is in the exported voltage', () => {
    const lowest = run.points.filter(({ metric }) => metric === 'faultline.hw.voltage.min').map(({ value }) => value);
    assert.ok(lowest.some((value) => value > 90 && value < 108));
  });

  test('every event is a log record with its own time, severity, attributes, and the ids of trace and span', () => {
    assert.ok(run.events.length >= 6);
    const chain = new Map((run.incident.chain as Json[]).map((link) => [link.event_id, link]));
    for (const event of run.events) {
      const mine = run.records.filter(({ attributes: a }) => {
        return a['faultline.event.id'] === event.id && a['faultline.event.count'] === event.count;
      });
      assert.ok(mine.length > 0, `${event.kind} ${event.id} is missing`);
      for (const record of mine) {
        assert.equal(record.eventName, `faultline.${event.kind}`);
        assert.equal(record.severity, SEVERITY_NUMBERS[String(event.severity)]);
        assert.ok(isTime(record.timeMs, event.time), `${record.timeMs} ${event.time}`);
        assert.ok(isTime(record.observedMs, event.observed_at), `${record.observedMs} ${event.observed_at}`);
        assert.equal(record.attributes['faultline.event.state'], event.state);
        assert.equal(record.attributes['faultline.event.trust'], event.trust);
        const { type, id } = event.component as Json; // this scenario names a component for each
        assert.equal(record.attributes['faultline.component'], `${type}/${id}`);
        assert.ok(String(record.body).length > 0);
        if (!chain.has(event.id)) continue;
        assert.equal(record.traceId, run.incident.trace_id);
        const span = run.spans.find(({ attributes: a, name }) => {
          return a['faultline.event.id'] === event.id && name.endsWith(`/${event.kind}`);
        });
        assert.equal(record.spanId, span?.spanId);
      }
    }
  });

  test('every revision of the incident is a log record with the document as it is in the incident log', () => {
    const turns = run.records.filter(({ eventName }) => eventName.startsWith('faultline.incident.'));
    assert.deepEqual(
      turns.map(({ attributes: a }) => a['faultline.incident.revision']),
      run.revisions.map(({ revision }) => revision),
    );
    run.revisions.forEach((revision, i) => {
      const record = turns[i];
      assert.ok(record);
      const turn = revision.state === 'resolved' ? 'resolved' : revision.revision === 1 ? 'opened' : 'revised';
      assert.equal(record.eventName, `faultline.incident.${turn}`);
      assert.equal(record.severity, SEVERITY_NUMBERS[String(revision.severity)]);
      assert.ok(isTime(record.timeMs, turn === 'opened' ? revision.opened_at : revision.updated_at));
      assert.ok(record.observedMs >= record.timeMs - 1000);
      assert.equal(record.body, revision.title);
      assert.equal(record.traceId, revision.trace_id);
      const reported = JSON.parse(String(record.attributes['faultline.incident.document']));
      assert.deepEqual(reported, revision);
    });
  });

  test('the trace has a root over the incident and a span for each link of the chain, under its cause', () => {
    const chain = run.incident.chain as Json[];
    const [root, ...more] = run.spans.filter(({ name }) => name.startsWith('incident/'));
    assert.deepEqual(more, []);
    assert.ok(root);
    assert.equal(root.name, 'incident/power.voltage_sag');
    assert.equal(root.parentId, '');
    const bySpan = new Map<unknown, Span>();
    for (const span of run.spans.filter(
      ({ name }) => /^[a-z_]+\/[a-z]+\.[a-z_.]+$/.test(name) && !/^incident/.test(name),
    ))
      bySpan.set(span.attributes['faultline.event.id'], span);
    assert.deepEqual([...bySpan.keys()].sort(), chain.map(({ event_id }) => event_id).sort());
    for (const link of chain) {
      const span = bySpan.get(link.event_id);
      assert.ok(span);
      const causes = (link.caused_by as string[]).map((cause) => bySpan.get(cause)?.spanId);
      assert.equal(span.name, `${(link.component as Json).type}/${link.kind}`);
      assert.equal(span.parentId, causes[0] ?? root.spanId);
      const caused = span.links.filter(({ relation }) => relation === 'caused_by');
      assert.deepEqual(caused.map(({ spanId }) => spanId), causes); // biome-ignore format: a pair
      assert.ok(span.links.every(({ traceId }) => traceId === run.incident.trace_id));
      assert.ok(isTime(span.startMs, link.time_earliest), `${link.kind} begins at ${span.startMs}`);
      assert.ok(span.endMs >= timeOf(link.time_latest) - ROUNDING_MS);
      assert.ok(
        span.startMs >= root.startMs - ROUNDING_MS && span.endMs <= root.endMs + ROUNDING_MS,
        link.kind as string,
      );
      assert.equal(span.error === null, ['info', 'warning'].includes(String(link.severity)));
    }
    const first = Math.min(timeOf(run.incident.opened_at), ...chain.map((link) => timeOf(link.time_earliest)));
    assert.ok(near(root.startMs, first, 0.01));
    assert.ok(root.endMs >= timeOf(run.incident.resolved_at) - ROUNDING_MS);
  });

  test('our own work lies in the same trace, under its root, linked to what it worked on', () => {
    const known = new Set(run.spans.map(({ spanId }) => spanId));
    const work = run.spans.filter(({ name }) => /^[A-Z]\w+\/[A-Z]\w+$/.test(name));
    assert.ok(work.some(({ name }) => name === 'Detector/Detect'));
    assert.ok(work.some(({ name }) => name === 'Exporter/Spool'));
    const root = run.spans.find(({ name }) => name.startsWith('incident/'));
    for (const span of work) {
      assert.equal(span.parentId, root?.spanId);
      assert.ok(span.endMs >= span.startMs);
      assert.ok(
        span.links.every((link) => link.relation === 'works_on' && known.has(link.spanId)),
        span.name,
      );
    }
  });

  test('no span comes twice, and one trace id goes through documents, log records, spans and our own log', () => {
    assert.equal(new Set(run.spans.map(({ spanId }) => spanId)).size, run.spans.length);
    const said = run.daemon.stderr.split('\n').filter((line) => line.includes('"incident"'));
    const ids = [
      ...run.revisions.map(({ trace_id }) => trace_id),
      ...run.spans.map(({ traceId }) => traceId),
      ...run.records.filter(({ spanId }) => spanId !== '').map(({ traceId }) => traceId),
      ...said.map((line) => (JSON.parse(line) as Json).trace_id),
    ];
    assert.ok(said.length >= run.revisions.length);
    assert.match(String(ids[0]), /^(?!0+$)[0-9a-f]{32}$/);
    assert.deepEqual([...new Set(ids)], [run.incident.trace_id]);
  });
});

describe('over HTTP', { skip: collectorMissing() }, () => {
  afterEach(closeAll);

  test('http/protobuf with gzip brings the same three signals', async () => {
    const collector = await CollectorUnderTest.started();
    const otlp = `{endpoint: "${collector.http}", protocol: http/protobuf, compression: gzip, metrics: {interval: 1s}}`;
    const daemon = new DaemonUnderTest({ gpus: 2, extra: `correlation: {hold: 1s, lateness: 1s}\notlp: ${otlp}` });
    closing.push(collector, daemon);
    await daemon.start();
    daemon.kernel('NVRM: Xid (PCI:0000:1b:00): 31, pid=1122, name=python, MMU Fault: ENGINE GRAPHICS faulted @ 0x7f');
    const root = await daemon.until('the trace is there', () => {
      return collector.spans().find(({ name }) => name === 'incident/gpu.app_fault');
    });
    const [incident] = daemon.logged('incident');
    assert.equal(root.traceId, incident?.trace_id);
    await daemon.until('the log records are there', () => {
      const names = collector
        .records()
        .filter(({ traceId }) => traceId === root.traceId)
        .map(({ eventName }) => eventName);
      return names.includes('faultline.gpu.app_fault') && names.includes('faultline.incident.resolved');
    });
    await daemon.until('the metrics are there', () => {
      return collector
        .points()
        .some(({ metric, attributes }) => metric === 'hw.power' && attributes['hw.id'] === '0000:1b:00.0');
    });
    const errors = await daemon.until('the fault is counted', () => {
      return collector.points().find(({ metric }) => metric === 'hw.errors');
    });
    assert.deepEqual([errors.value, errors.attributes['error.type']], [1, 'gpu.app_fault']);
  });
});

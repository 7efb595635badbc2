// A GPU handed from one job to the next, as a real OpenTelemetry Collector reads it: values, and the end of a stream.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MetricFeed } from '../../src/sinks/otlp/metrics/metric-feed.ts';
import { LabelBook } from '../../src/sinks/work/label-book.ts';
import { use, view, work } from '../identity/whose/made-view.ts';
import { T0 } from '../incidents/sample.ts';
import { CollectorUnderTest, collectorMissing } from '../otlp-collector/collector-under-test.ts';
import { until } from '../until.ts';

const GPU = 'gpu/0000:9b:00.0';

test('the collector takes the end of a stream as a point without a value', { skip: collectorMissing() }, async (t) => {
  const collector = await CollectorUnderTest.started();
  t.after(() => collector.close());
  const clock = { ms: T0 };
  const labels = new LabelBook();
  const resource = resourceFromAttributes({});
  const feed = new MetricFeed({
    resource,
    version: '1',
    intervalMs: 10_000,
    maxSeries: 100,
    labels,
    now: () => clock.ms,
  });
  const second = (job: string, last: number): void => {
    clock.ms += 1000;
    labels.take(view({ works: [work(job)], devices: [use(GPU, job)] }));
    feed.series([{ key: `${GPU}#power`, count: 1, min: last, max: last, mean: last, last, lastTimeMs: clock.ms }]);
  };
  second('991', 300);
  second('992', 500);
  for (const { bytes } of feed.next()) {
    const headers = { 'content-type': 'application/x-protobuf' };
    const answer = await fetch(`${collector.http}/v1/metrics`, { method: 'POST', headers, body: Buffer.from(bytes) });
    assert.equal(answer.status, 200);
  }
  const power = () => collector.points().filter(({ metric }) => metric === 'hw.power');
  await until(() => power().length >= 3);
  const seen = power().map(({ attributes, value, stale }) => [attributes['slurm.job.id'], stale ? null : value]);
  assert.deepEqual(seen.sort(), [['991', 300], ['991', null], ['992', 500]].sort()); // biome-ignore format: one line
});

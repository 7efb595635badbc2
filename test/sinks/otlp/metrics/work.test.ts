// Points while jobs come and go: each under the attributes of whom the device worked for then; a stream that ends says so.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MetricFeed } from '../../../../src/sinks/otlp/metrics/metric-feed.ts';
import { LabelBook } from '../../../../src/sinks/work/label-book.ts';
import { pod, rank, use, view, work } from '../../../identity/whose/made-view.ts';
import { incident, T0 } from '../../../incidents/sample.ts';
import { type Point, readMetrics } from '../otlp-proto.ts';

const ID = '0000:9b:00.0';
const LLAMA = work('llama', { aliases: ['991'], pods: [pod('llama-0')], ranks: [rank(3)] });
const A = view({ works: [LLAMA], devices: [use(`gpu/${ID}`, 'llama', { pod: pod('llama-0') })] });
const B = view({ works: [work('992', { manager: 'pbs' })], devices: [use(`gpu/${ID}`, '992')] });

function build() {
  const clock = { ms: T0 };
  const labels = new LabelBook();
  const feed = new MetricFeed({
    resource: resourceFromAttributes({}),
    version: '1',
    intervalMs: 10_000,
    maxSeries: 100,
    labels,
    now: () => clock.ms,
  });
  const second = (value: number) => {
    clock.ms += 1000;
    const sample = (key: string) => ({ key, count: 1, min: value, max: value, mean: value, last: value, lastTimeMs: clock.ms }); // biome-ignore format: one line
    feed.series([
      sample(`gpu/${ID}#utilization`),
      sample(`gpu/${ID}#energy`),
      sample(`gpu/${ID}#power`),
      sample('rank/llama/3#step_time'),
    ]);
  };
  const points = (metric: string): Point[] => all().filter((point) => point.metric === metric);
  const all = () => feed.next().flatMap(({ bytes }) => readMetrics(bytes).points);
  return { feed, labels, second, points, all };
}

const JOB_A = { 'k8s.namespace.name': 'ml', 'k8s.pod.name': 'llama-0', 'k8s.container.name': 'trainer', 'slurm.job.id': '991' }; // biome-ignore format: one line
const GPU = { 'hw.id': ID, 'hw.type': 'gpu' };

test('a point carries whom the device works for by the names of the conventions, a rank its number', () => {
  const { labels, second, all } = build();
  labels.take(A);
  second(0.5);
  const points = all();
  const of = (metric: string) => points.find((point) => point.metric === metric)?.attributes;
  assert.deepEqual(of('hw.gpu.utilization'), { ...GPU, ...JOB_A, 'hw.gpu.task': 'general' });
  assert.equal(of('faultline.job.step_time')?.['job.rank'], '3');
  assert.deepEqual(of('hw.status'), { ...GPU, ...JOB_A, 'hw.state': 'ok' });
  assert.equal(of('faultline.job.info')?.['slurm.job.id'], '991');
  assert.equal(of('faultline.job.device.share')?.['hw.id'], ID);
});

test('what was measured before a hand-over stays with the job of then, and its stream ends', () => {
  const { labels, second, points } = build();
  labels.take(A);
  second(0.1);
  points('');
  second(0.2);
  labels.take(B);
  second(0.3);
  const [before, end, after, ...others] = points('hw.gpu.utilization').sort((a, b) => a.timeMs - b.timeMs || Number(a.stale)); // biome-ignore format: one line
  assert.equal(others.length, 0);
  assert.deepEqual([before?.attributes['slurm.job.id'], before?.value, before?.stale], ['991', 0.2, false]);
  const rest = [end, after].sort((a, b) => Number(b?.stale) - Number(a?.stale));
  assert.deepEqual([rest[0]?.attributes['slurm.job.id'], rest[0]?.stale], ['991', true]);
  assert.deepEqual([rest[1]?.attributes['pbs.job.id'], rest[1]?.value, rest[1]?.stale], ['992', 0.3, false]);
  second(0.4);
  assert.deepEqual(
    points('hw.gpu.utilization').map(({ stale, value }) => [stale, value]),
    [[false, 0.4]],
    'once',
  );
});

test('every second of an interval goes to whom it belongs while something is happening', () => {
  const { feed, labels, second, points } = build();
  labels.take(A);
  feed.incident(incident('0123456789ab'));
  second(0.1);
  second(0.2);
  labels.take(view());
  second(0.3);
  const seen = points('hw.gpu.utilization').filter(({ stale }) => !stale);
  assert.deepEqual(seen.map(({ attributes, value }) => [attributes['slurm.job.id'] ?? null, value]), [['991', 0.1], ['991', 0.2], [null, 0.3]]); // biome-ignore format: one line
});

test('companions, states and the series of the job itself end with it', () => {
  const { labels, second, all } = build();
  labels.take(A);
  second(0.1);
  all();
  labels.take(view());
  second(0.2);
  const ended = all().filter(({ stale }) => stale);
  const count = (metric: string) => ended.filter((point) => point.metric === metric).length;
  assert.deepEqual(
    ['hw.gpu.utilization', 'faultline.hw.power.max', 'hw.energy', 'hw.status', 'faultline.job.info', 'faultline.job.device.share'].map(count), // biome-ignore format: one line
    [1, 1, 1, 3, 1, 1],
  );
  assert.ok(ended.every(({ attributes }) => attributes['slurm.job.id'] === '991'));
});

test('while nothing changes the same attributes are written, and nothing of them is made again', () => {
  const { feed, labels, second } = build();
  labels.take(A);
  second(0.1);
  const [first] = feed.next();
  const entries = Object.entries;
  let made = 0;
  Object.entries = ((of: object) => {
    made += 1;
    return entries(of);
  }) as typeof Object.entries;
  try {
    for (let n = 0; n < 20; n += 1) {
      labels.take(A);
      second(0.2);
      assert.equal(feed.next()[0]?.bytes.length, first?.bytes.length);
    }
  } finally {
    Object.entries = entries;
  }
  assert.equal(made, 0, 'the encoder takes attributes apart once');
});

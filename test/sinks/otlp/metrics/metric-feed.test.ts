// The metric feed: bounded whatever comes, forgetful of what is gone, one point a series in quiet times.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MetricFeed } from '../../../../src/sinks/otlp/metrics/metric-feed.ts';
import { event, gpu, incident, T0 } from '../../../incidents/sample.ts';
import { type Point, readMetrics } from '../otlp-proto.ts';

function feed(maxSeries = 1000): { feed: MetricFeed; clock: { ms: number }; points: () => Point[] } {
  const clock = { ms: T0 };
  const options = {
    resource: resourceFromAttributes({}),
    version: '1',
    intervalMs: 10_000,
    maxSeries,
    now: () => clock.ms,
  };
  const made = new MetricFeed(options);
  const points = () => made.next().flatMap(({ bytes }) => readMetrics(bytes).points);
  return { feed: made, clock, points };
}

const sample = (key: string, last: number, lastTimeMs = T0) => ({
  key,
  count: 1,
  min: last,
  max: last,
  mean: last,
  last,
  lastTimeMs,
});

test('a series over the cap is left out and counted; one that is gone makes room', () => {
  const { feed: made, clock, points } = feed(2);
  for (const id of ['a', 'b', 'c']) made.series([sample(`gpu/${id}#utilization`, 0.5)]);
  assert.deepEqual([made.size, made.leftOut], [2, 1]);
  points();
  clock.ms += 700_000;
  points();
  made.series([sample('gpu/c#utilization', 0.5, clock.ms)]);
  assert.deepEqual(
    points()
      .filter(({ metric }) => metric === 'hw.gpu.utilization')
      .map(({ attributes }) => attributes['hw.id']),
    ['c'],
  );
});

test('a fan that turns 90 times a second goes out with 5400 revolutions a minute, its companions too', () => {
  const { feed: made, points } = feed();
  made.series([{ ...sample('fan/node-3/1#fan_speed', 90), min: 80, max: 100 }]);
  assert.deepEqual(
    points()
      .filter(({ attributes }) => attributes['hw.id'] === 'node-3/1' && attributes['hw.state'] === undefined)
      .map(({ metric, unit, value }) => [metric, unit, value]),
    [
      ['hw.fan.speed', 'rpm', 5400],
      ['faultline.hw.fan.speed.min', 'rpm', 4800],
      ['faultline.hw.fan.speed.max', 'rpm', 6000],
    ],
  );
});

test('in quiet times a gauge is one point an interval, and a series without new samples none', () => {
  const { feed: made, clock, points } = feed();
  for (let second = 0; second < 10; second += 1)
    made.series([sample('gpu/a#utilization', second / 10, T0 + second * 1000)]);
  clock.ms += 60_000;
  const utilization = () => points().filter(({ metric }) => metric === 'hw.gpu.utilization');
  assert.deepEqual(
    utilization().map(({ timeMs, value }) => [timeMs, value]),
    [[T0 + 9000, 0.9]],
  );
  assert.deepEqual(utilization(), []);
  made.series([sample('gpu/a#utilization', 1, T0 + 5000)]);
  assert.deepEqual(utilization(), [], 'points of a series never go back in time');
});

test('100,000 events on as many components stay bounded, and text of jobs never becomes an attribute', () => {
  const { feed: made, points } = feed();
  for (let number = 0; number < 100_000; number += 1) {
    const component = { type: 'gpu' as const, id: `0000:${number.toString(16)}:00.0` };
    made.event(event(`e${number}`, 'gpu.memory.dbe', component, { attributes: { text: `secret ${number}` } }));
    made.event(event(`p${number}`, 'process.segfault', { type: 'process', id: String(number) }));
  }
  const all = points();
  assert.ok(all.length <= 2048, `${all.length}`);
  assert.ok(!JSON.stringify(all).includes('secret'));
});

test('an event that comes again with a higher count adds only what is new', () => {
  const { feed: made, points } = feed();
  for (const count of [1, 3, 3, 7]) made.event(event('same', 'gpu.memory.dbe', gpu(0), { count }));
  assert.deepEqual(
    points()
      .filter(({ metric }) => metric === 'hw.errors')
      .map(({ value }) => value),
    [7],
  );
});

test('hw.status follows the open incidents and goes back to ok', () => {
  const { feed: made, points } = feed();
  const status = () =>
    Object.fromEntries(
      points()
        .filter(({ metric, attributes }) => metric === 'hw.status' && attributes['hw.id'] === gpu(0).id)
        .map(({ attributes, value }) => [attributes['hw.state'], value]),
    );
  made.incident(incident('0123456789ab'));
  assert.deepEqual(status(), { ok: 0, degraded: 0, failed: 1 });
  made.incident(incident('0123456789ab', { state: 'resolved', revision: 2 }));
  assert.deepEqual(status(), { ok: 1, degraded: 0, failed: 0 });
});

test('more than 5,000 points are several requests', () => {
  const { feed: made } = feed(100_000);
  made.series(Array.from({ length: 6_000 }, (_, index) => sample(`gpu/${index}#power`, index)));
  const requests = made.next();
  assert.ok(requests.every(({ points }) => points <= 5000));
  assert.equal(
    requests.reduce((sum, { points }) => sum + points, 0),
    6_000 * 3 + 512 * 3,
  );
});

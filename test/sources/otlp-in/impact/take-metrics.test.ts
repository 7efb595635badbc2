// Histograms of hostile senders: what one request may cost, and what is kept of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Services } from '../../../../src/sources/otlp-in/impact/services.ts';
import { TakeMetrics } from '../../../../src/sources/otlp-in/impact/take-metrics.ts';
import { UNKNOWN_SENDER } from '../../../../src/sources/sender.ts';

const NAME = 'http.server.request.duration';
const CUMULATIVE = 2;

function taking(): TakeMetrics {
  const emit = { samples() {}, text() {}, event() {}, discovery() {} };
  const view = () => ({ version: 1, works: [], devices: [], conflicts: [] });
  const steady = (wallMs: number) => wallMs;
  return new TakeMetrics(
    new Services({ source: 'otlp-in', host: 'node-3', mostServices: 4, now: () => 0, steady, view, emit }),
  );
}

const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });

function point(series: number, buckets = 2, more: readonly ReturnType<typeof attribute>[] = []) {
  return {
    bucketCounts: Array.from({ length: buckets }, () => 1),
    explicitBounds: Array.from({ length: buckets - 1 }, (_, i) => i),
    attributes: [attribute('series', `${series}`), ...more],
  };
}

function request(dataPoints: readonly object[], resource: readonly ReturnType<typeof attribute>[] = []) {
  const metric = { name: NAME, histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
  const attributes = [attribute('service.name', 'shop'), ...resource];
  return { resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ metrics: [metric] }] }] };
}

test('a resource is written out once, however many points it has, and keys are short', (t) => {
  let written = 0;
  const { stringify } = JSON;
  t.mock.method(JSON, 'stringify', (value: unknown) => {
    const text = stringify(value);
    written += text.length;
    return text;
  });
  const long = Array.from({ length: 100 }, (_, i) => attribute(`k${i}`, 'v'.repeat(1000)));
  const points = Array.from({ length: 300 }, (_, i) => point(i));
  assert.equal(taking().take(request(points, long), 0, UNKNOWN_SENDER).rejected, 0);
  assert.ok(written < 200_000, `${written} characters were written`);
});

test('series are told apart by their resource, and the order of attributes does not matter', () => {
  const metrics = taking();
  const [one, other] = [attribute('a', '1'), attribute('b', '2')];
  metrics.take(request([point(0, 3, [one, other])]), 0, UNKNOWN_SENDER);
  metrics.take(request([point(0, 3, [other, one])]), 0, UNKNOWN_SENDER);
  assert.equal(metrics.kept, 3);
  metrics.take(request([point(0, 3, [one, other])], [attribute('host.name', 'other')]), 0, UNKNOWN_SENDER);
  assert.equal(metrics.kept, 6);
});

test('a point of too many buckets is refused before they are taken apart', () => {
  const metrics = taking();
  for (const buckets of [1025, 16_384]) {
    const { rejected, why } = metrics.take(request([point(0, buckets)]), 0, UNKNOWN_SENDER);
    assert.equal(rejected, 1);
    assert.match(why, /has more than 1024 buckets/);
  }
  const positive = { offset: 0, bucketCounts: new Array<number>(2000).fill(1) };
  const metric = {
    name: NAME,
    exponentialHistogram: { aggregationTemporality: CUMULATIVE, dataPoints: [{ scale: 20, positive }] },
  };
  const [resource] = request([]).resourceMetrics;
  const taken = metrics.take(
    { resourceMetrics: [{ ...resource, scopeMetrics: [{ metrics: [metric] }] }] },
    0,
    UNKNOWN_SENDER,
  );
  assert.equal(taken.rejected, 1);
  assert.equal(metrics.kept, 0);
});

test('the buckets that are kept are bounded over all series', () => {
  const metrics = taking();
  for (let i = 0; i < 300; i += 1) metrics.take(request([point(i, 1024)]), 0, UNKNOWN_SENDER);
  assert.ok(metrics.kept <= 262_144 && metrics.kept > 250_000, String(metrics.kept));
});

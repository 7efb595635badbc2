// The metric encoder writes, byte for byte, what the OpenTelemetry serialiser writes for the same points.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ValueType } from '@opentelemetry/api';
import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AggregationTemporality, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';
import fc from 'fast-check';
import { MetricEncoder, type MetricPoints } from '../../../../src/sinks/otlp/metrics/metric-encoder.ts';
import { hrTime } from '../../../../src/sinks/otlp/values.ts';

const scope = { name: 'faultline', version: '1.2.3' };

function dataOf({ metric, points }: MetricPoints): MetricData {
  const { name, unit, description, instrument } = metric;
  const common = {
    descriptor: { name, unit, description, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPoints: points.map(({ startMs, endMs, attributes, value }) => ({
      startTime: hrTime(startMs),
      endTime: hrTime(endMs),
      attributes,
      value,
    })),
  };
  if (instrument === 'gauge') return { ...common, dataPointType: DataPointType.GAUGE };
  return { ...common, dataPointType: DataPointType.SUM, isMonotonic: instrument === 'counter' };
}

const words = fc.string({ unit: 'grapheme', maxLength: 40 });
const long = fc.oneof({ weight: 9, arbitrary: words }, fc.constant('ü'.repeat(9_000)));
const time = fc.double({ min: 0, max: 4_000_000_000_000, noNaN: true });
const point = fc.record({
  startMs: time,
  endMs: time,
  attributes: fc.dictionary(
    fc.string({ minLength: 1, maxLength: 20 }).filter((key) => key !== '__proto__'),
    long,
    { maxKeys: 5 },
  ),
  value: fc.double(),
});
const metric = fc.record({
  name: fc.uuid(),
  unit: words,
  description: long,
  instrument: fc.constantFrom('gauge' as const, 'counter' as const, 'updowncounter' as const),
});
const metrics = fc.array(fc.record({ metric, points: fc.array(point, { maxLength: 30 }) }), { maxLength: 6 });

test('any metrics of any resource come out the same', () => {
  fc.assert(
    fc.property(
      metrics,
      fc.dictionary(
        fc.string({ minLength: 1 }).filter((key) => key !== '__proto__'),
        long,
        { maxKeys: 6 },
      ),
      (list, said) => {
        const resource = resourceFromAttributes(said);
        const wanted = ProtobufMetricsSerializer.serializeRequest({
          resource,
          scopeMetrics: [{ scope, metrics: list.map(dataOf) }],
        });
        const encoder = new MetricEncoder(resource, scope);
        assert.ok(wanted !== undefined);
        assert.deepEqual(Buffer.from(encoder.encode(list)), Buffer.from(wanted));
        assert.deepEqual(Buffer.from(encoder.encode(list)), Buffer.from(wanted), 'and again, from what it kept');
      },
    ),
    { numRuns: 200 },
  );
});

test('what was kept of an export makes no difference to the next one, whichever streams and values that has', () => {
  const resource = resourceFromAttributes({ 'host.name': 'h' });
  const metric = { name: 'hw.power', unit: 'W', description: '', instrument: 'gauge' as const };
  const streams = Array.from({ length: 6 }, (_, i) => ({ 'hw.id': `gpu${i}` }));
  const points = fc.subarray(streams).chain((some) =>
    fc.tuple(
      ...some.map((attributes) =>
        fc.record({
          startMs: time,
          endMs: time,
          value: fc.double(),
          stale: fc.boolean(),
          attributes: fc.constant(attributes),
        }),
      ),
    ),
  );
  fc.assert(
    fc.property(fc.array(points, { minLength: 2, maxLength: 6 }), (exports) => {
      const encoder = new MetricEncoder(resource, scope);
      for (const of of exports) {
        const fresh = new MetricEncoder(resource, scope).encode([{ metric, points: of }]);
        assert.deepEqual(Buffer.from(encoder.encode([{ metric, points: of }])), Buffer.from(fresh));
      }
    }),
    { numRuns: 200 },
  );
});

// Both encodings of OTLP: what the SDK's serialisers write is read alike, and nothing that is sent throws anything but a refusal.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readJson } from '../../../src/sources/otlp-in/wire/read-json.ts';
import { readProtobuf } from '../../../src/sources/otlp-in/wire/read-protobuf.ts';
import { asRefusal, Refusal } from '../../../src/sources/otlp-in/wire/refusal.ts';
import type { Shape } from '../../../src/sources/otlp-in/wire/shape.ts';
import { LOGS, METRICS, TRACES } from '../../../src/sources/otlp-in/wire/shapes.ts';
import { attributesOf, plainValue } from '../../../src/sources/otlp-in/wire/values.ts';
import { spansOf, traces } from './senders.ts';

const ALL: readonly Shape[] = [TRACES, METRICS, LOGS];
const SEED = 20_261_129;
const whole = traces(
  spansOf('shop', [{}, { status: 2 }, { durationMs: 900 }], { 'process.pid': 7, 'host.name': 'n3' }),
);

function refusalOf(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    assert.ok(error instanceof Refusal || error instanceof RangeError || error instanceof Error);
    return asRefusal(error).message;
  }
}

test('protobuf and JSON of one request are the same message', () => {
  const spans = spansOf('shop', [{ startMs: 1_700_000_000_123, durationMs: 17 }], { 'process.pid': 12 });
  assert.deepEqual(readProtobuf(traces(spans), TRACES), readJson(traces(spans, 'json'), TRACES));
});

test('a request that is cut anywhere is refused or is a shorter one, and never reads past its end', () => {
  for (let end = 0; end < whole.length; end += 1) {
    const refusal = refusalOf(() => readProtobuf(whole.subarray(0, end), TRACES));
    assert.equal(refusal === null, end === 0, `${end}`);
  }
});

test('any bytes and any JSON are read or refused in words', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      for (const shape of ALL) refusalOf(() => readProtobuf(bytes, shape));
    }),
    { seed: SEED, numRuns: 300 },
  );
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, value) => {
      const bytes = Buffer.from(whole);
      bytes[at] = value;
      refusalOf(() => readProtobuf(bytes, TRACES));
    }),
    { seed: SEED, numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.json(), (text) => {
      for (const key of ['resourceSpans', 'resourceMetrics', 'resourceLogs'])
        for (const shape of ALL) refusalOf(() => readJson(Buffer.from(`{"${key}":${text}}`), shape));
    }),
    { seed: SEED, numRuns: 200 },
  );
});

test('values that nest without end are refused', () => {
  let value = '{"stringValue":"x"}';
  for (let i = 0; i < 1000; i += 1) value = `{"arrayValue":{"values":[${value}]}}`;
  const text = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":${value}}]}]}]}`;
  assert.match(refusalOf(() => readJson(Buffer.from(text), LOGS)) ?? '', /nested more than 24 deep/);
});

test('a body of lists and maps is plain, and attributes are scalars within bounds', () => {
  const body =
    '{"kvlistValue":{"values":[{"key":"a","value":{"arrayValue":{"values":[{"intValue":"3"},{"boolValue":true}]}}}]}}';
  const text = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":${body}}]}]}]}`;
  const record = readJson(Buffer.from(text), LOGS).resourceLogs?.[0]?.scopeLogs?.[0]?.logRecords?.[0];
  assert.deepEqual(plainValue(record?.body ?? {}), { a: [3, true] });
  const many = Array.from({ length: 500 }, (_, i) => ({ key: `k${i}`, value: { stringValue: 'v'.repeat(5000) } }));
  const found = attributesOf(many);
  assert.deepEqual([found.size, String(found.get('k0')).length], [128, 1024]);
});

// Both encodings of OTLP: what the SDK's serialisers write is read alike, and nothing that is sent throws anything but a refusal.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import protobuf from 'protobufjs/minimal.js';
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

/** The bucket counts of one point of an exponential histogram: each by itself, or packed, in pieces. */
function counts(pieces: readonly (readonly number[])[], isPacked: boolean): Buffer {
  const writer = protobuf.Writer.create();
  for (const no of [1, 2, 2, 10, 1, 8]) writer.uint32((no << 3) | 2).fork();
  for (const piece of pieces)
    if (isPacked) {
      writer.uint32((2 << 3) | 2).fork();
      for (const value of piece) writer.uint32(value);
      writer.ldelim();
    } else for (const value of piece) writer.uint32(2 << 3).uint32(value);
  for (let i = 0; i < 6; i += 1) writer.ldelim();
  return Buffer.from(writer.finish());
}

function countsRead(bytes: Buffer): readonly number[] | undefined {
  const [metric] = readProtobuf(bytes, METRICS).resourceMetrics?.[0]?.scopeMetrics?.[0]?.metrics ?? [];
  return metric?.exponentialHistogram?.dataPoints?.[0]?.positive?.bucketCounts;
}

test('a list is read alike packed, in pieces and value by value, and no value is copied again for the next', () => {
  const values = Array.from({ length: 4000 }, (_, i) => i % 100);
  const pieces = [values.slice(0, 1000), values.slice(1000)];
  const iterate = Array.prototype[Symbol.iterator];
  let copied = 0;
  const unpacked = counts(pieces, false);
  Array.prototype[Symbol.iterator] = function (this: unknown[]) {
    copied += this.length;
    return iterate.call(this);
  };
  let read: readonly number[] | undefined;
  try {
    read = countsRead(unpacked);
  } finally {
    Array.prototype[Symbol.iterator] = iterate;
  }
  assert.deepEqual(read, values);
  assert.ok(copied < 10_000, `${copied} values were copied`);
  assert.deepEqual(countsRead(counts(pieces, true)), values);
});

test('a list of more values than any histogram has is too large, in every encoding', () => {
  const values = new Array<number>(16_385).fill(1);
  const list = (length: number) => `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"histogram":{"dataPoints":[{"bucketCounts":[${values.slice(0, length).join()}]}]}}]}]}]}`; // biome-ignore format: one line
  for (const read of [
    () => countsRead(counts([values], false)),
    () => countsRead(counts([values], true)),
    () => countsRead(counts([values.slice(0, 9000), values.slice(0, 9000)], true)),
    () => readJson(Buffer.from(list(16_385)), METRICS),
  ])
    assert.throws(read, (error) => error instanceof Refusal && error.reason === 'too_large');
  readJson(Buffer.from(list(16_384)), METRICS);
});

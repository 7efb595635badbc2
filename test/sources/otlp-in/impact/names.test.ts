// Names of hostile senders: what is longer than a name ever is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Services } from '../../../../src/sources/otlp-in/impact/services.ts';
import { takeTraces } from '../../../../src/sources/otlp-in/impact/take-traces.ts';
import { attributesOf } from '../../../../src/sources/otlp-in/wire/values.ts';
import { UNKNOWN_SENDER } from '../../../../src/sources/sender.ts';

const MIB = 1024 * 1024;

function services(): Services {
  const emit = { samples() {}, text() {}, event() {}, discovery() {} };
  const view = () => ({ version: 1, works: [], devices: [], conflicts: [] });
  const steady = (wallMs: number) => wallMs;
  const repeat = () => () => {};
  return new Services({ source: 'otlp-in', host: 'n', mostServices: 4, now: () => 0, steady, view, emit, repeat });
}

const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), startTimeUnixNano: 0, endTimeUnixNano: 1 };

function request(service: string, spans: readonly object[]) {
  const attributes = [{ key: 'service.name', value: { stringValue: service } }];
  return { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] };
}

test('a service with a name of megabytes is refused in words, also without a span, and is not kept', () => {
  const kept = services();
  const why = /service\.name is longer than 128 characters/;
  const { rejected, why: said } = takeTraces(request('x'.repeat(3 * MIB), [span, span]), kept, 0, UNKNOWN_SENDER);
  assert.equal(rejected, 2);
  assert.match(said, why);
  assert.match(takeTraces(request('x'.repeat(129), []), kept, 0, UNKNOWN_SENDER).why, why);
  assert.equal(kept.size, 0);
  assert.equal(takeTraces(request('x'.repeat(128), [span]), kept, 0, UNKNOWN_SENDER).rejected, 0);
  assert.equal(kept.size, 1);
});

test('of the name of a span nothing is kept; keys and values of attributes are cut', () => {
  const kept = services();
  const long = 'n'.repeat(3 * MIB);
  assert.deepEqual(takeTraces(request('shop', [{ ...span, name: long }]), kept, 0, UNKNOWN_SENDER), {
    rejected: 0,
    why: '',
  });
  const [[key = '', value] = []] = attributesOf([{ key: long, value: { stringValue: long } }]);
  assert.deepEqual([key.length, String(value).length], [1024, 1024]);
});

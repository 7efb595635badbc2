// What collectors write into their replies, and how long that makes us wait.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Backoff } from '../../../../src/sinks/delivery/send/backoff.ts';
import { retryAfterMs } from '../../../../src/sinks/delivery/send/http-outcome.ts';
import { oneLine } from '../../../../src/sinks/delivery/send/outcome.ts';
import { partialSuccess, protoFields, retryDelayMs } from '../../../../src/sinks/otlp/send/proto-fields.ts';
import { encode } from '../otlp-proto.ts';

test('partial success and the pause of a RetryInfo are read', () => {
  const response = encode('Response', { partialSuccess: { rejected: 300, errorMessage: 'späte Punkte' } });
  assert.deepEqual(partialSuccess(response), { rejected: 300, message: 'späte Punkte' });
  assert.deepEqual(partialSuccess(Buffer.alloc(0)), { rejected: 0, message: '' });
  const value = encode('RetryInfo', { retryDelay: { seconds: 2, nanos: 500_000_000 } });
  const of = (typeUrl: string) => encode('RpcStatus', { code: 8, message: 'm', details: [{ typeUrl, value }] });
  assert.equal(retryDelayMs(of('type.googleapis.com/google.rpc.RetryInfo')), 2500);
  assert.equal(retryDelayMs(of('type.googleapis.com/google.rpc.DebugInfo')), null);
});

test('any bytes are read or refused, never thrown at', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      protoFields(bytes);
      assert.ok(partialSuccess(bytes).rejected >= 0);
      retryDelayMs(bytes);
    }),
  );
});

test('Retry-After is seconds or a date', () => {
  assert.equal(retryAfterMs('120', 0), 120_000);
  assert.equal(retryAfterMs('Thu, 01 Jan 2026 00:00:10 GMT', Date.UTC(2026, 0, 1)), 10_000);
  assert.equal(retryAfterMs('Thu, 01 Jan 2026 00:00:10 GMT', Date.UTC(2027, 0, 1)), 0);
  assert.equal(retryAfterMs('soon', 0), null);
  assert.equal(retryAfterMs(undefined, 0), null);
});

test('waits double up to half a minute and begin again; a server is given the time that it asks for', () => {
  const full = new Backoff(() => 1);
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7].map(() => full.next(null)),
    [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000],
  );
  full.reset();
  assert.equal(full.next(null), 1000);
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 50, max: 300_000, noNaN: true }),
      (random, asked) => {
        const wait = new Backoff(() => random).next(asked);
        assert.ok(wait >= asked && wait <= asked * 1.1 + 1e-6);
      },
    ),
  );
  assert.ok(new Backoff(() => 0).next(-5) > 0);
  assert.ok(new Backoff(() => 0).next(1e12) <= 300_000);
});

test('what a server writes is one bounded line in our log', () => {
  assert.equal(oneLine(' a\r\nb\u001b[31m\u0000 '), 'a b[31m');
  assert.ok(oneLine('x'.repeat(10_000)).length <= 300);
});

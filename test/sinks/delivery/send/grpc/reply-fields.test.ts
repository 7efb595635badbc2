// What collectors write into their replies.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { partialSuccess, protoFields, retryDelayMs } from '../../../../../src/sinks/delivery/send/grpc/reply-fields.ts';
import { encode } from '../../../otlp/otlp-proto.ts';

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

// Trace contexts as text: what W3C Trace Context allows is read, everything else is none.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatTraceparent, logContext, parseTraceparent, spanIdOf, traceIdOf } from '../../src/model/trace.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('a context is read as the specification shows it, the flag among others', () => {
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-01`), { traceId: TRACE, spanId: SPAN, sampled: true });
  assert.equal(parseTraceparent(`00-${TRACE}-${SPAN}-02`)?.sampled, false);
  assert.equal(parseTraceparent(`00-${TRACE}-${SPAN}-03`)?.sampled, true);
});

test('a version to come is read by its first four fields; ours has no more than these', () => {
  assert.equal(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what-the-future-brings`)?.traceId, TRACE);
  assert.equal(parseTraceparent(`cc-${TRACE}-${SPAN}-01`)?.traceId, TRACE);
  assert.equal(parseTraceparent(`00-${TRACE}-${SPAN}-01-more`), null);
  assert.equal(parseTraceparent(`cc-${TRACE}-${SPAN}-01.more`), null);
  assert.equal(parseTraceparent(`cc-${TRACE}-${SPAN}-01-${'x'.repeat(100_000)}`), null);
});

test('what is not a valid context is none', () => {
  const zeros = (count: number) => '0'.repeat(count);
  for (const text of [
    undefined,
    null,
    ['00'],
    7,
    '',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${zeros(32)}-${SPAN}-01`,
    `00-${TRACE}-${zeros(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
    `00-${TRACE}-${SPAN}-1`,
  ]) {
    assert.equal(parseTraceparent(text), null, String(text));
  }
});

test('what is written is read again, for every incident and event', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.boolean(), (incident, event, sampled) => {
      const context = { traceId: traceIdOf(incident), spanId: spanIdOf(incident, event), sampled };
      assert.deepEqual(parseTraceparent(formatTraceparent(context)), context);
      assert.deepEqual(Object.values(logContext(context)), formatTraceparent(context).split('-').slice(1));
    }),
  );
});

test('no text throws', () => {
  fc.assert(fc.property(fc.string({ maxLength: 80, unit: 'binary' }), (text) => parseTraceparent(text) === null));
});

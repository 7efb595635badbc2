// What a status code means for a message, how long a receiver asks to wait, and what of its text reaches our log.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpOutcome, retryAfterMs } from '../../../../src/sinks/delivery/send/http-outcome.ts';
import { oneLine } from '../../../../src/sinks/delivery/send/outcome.ts';

const CASES: readonly (readonly [status: number, is: string, difficulty?: string, tries?: number | null])[] = [
  [200, 'ok'],
  [204, 'ok'],
  [302, 'closed'],
  [400, 'fatal'],
  [401, 'closed'],
  [403, 'closed'],
  [404, 'closed'],
  [405, 'closed'],
  [407, 'closed'],
  [408, 'retry', 'failing', null],
  [413, 'fatal'],
  [429, 'retry', 'busy', null],
  [500, 'retry', 'failing', 8],
  [502, 'retry', 'failing', null],
  [503, 'retry', 'busy', null],
  [504, 'retry', 'failing', null],
  [511, 'closed'],
];
for (const [status, is, difficulty, tries] of CASES) {
  test(`${status} is ${is}`, () => {
    const outcome = httpOutcome({ status, retryAfter: '7', body: Buffer.from('because') });
    assert.equal(outcome.is, is);
    if (outcome.is !== 'retry') return;
    assert.deepEqual([outcome.difficulty, outcome.tries, outcome.why], [difficulty, tries, `HTTP ${status} because`]);
    assert.equal(outcome.afterMs, tries === null ? 7_000 : null);
  });
}

test('a receiver that rejects a part of a message has taken the rest', () => {
  const reply = { status: 200, retryAfter: undefined, body: Buffer.alloc(0) };
  const partial = { is: 'partial', rejected: 2, message: 'too old' };
  assert.deepEqual(httpOutcome(reply, { partial: () => ({ rejected: 2, message: 'too old' }) }), partial);
  assert.deepEqual(httpOutcome(reply, { partial: () => ({ rejected: 0, message: 'a warning' }) }), { is: 'ok' });
});

test('Retry-After is seconds or a date', () => {
  assert.equal(retryAfterMs('120', 0), 120_000);
  assert.equal(retryAfterMs('Thu, 01 Jan 2026 00:00:10 GMT', Date.UTC(2026, 0, 1)), 10_000);
  assert.equal(retryAfterMs('Thu, 01 Jan 2026 00:00:10 GMT', Date.UTC(2027, 0, 1)), 0);
  assert.equal(retryAfterMs('soon', 0), null);
  assert.equal(retryAfterMs(undefined, 0), null);
});

test('what a server writes is one bounded line in our log', () => {
  assert.equal(oneLine(' a\r\nb\u001b[31m\u0000 '), 'a b[31m');
  assert.ok(oneLine('x'.repeat(10_000)).length <= 300);
});

// The shipped detectors of NVLinks: each link by itself, and what a link that never was up does not say.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf, T0, times } from '../series.ts';

const LINK = 'nvlink/0000:1b:00.0/3';
const STEP_MS = 5000;

function link(quantity: string, values: readonly number[]): string[] {
  const rounds = values.map((value) => ({ [`${LINK}#${quantity}`]: value }));
  return eventsOf(rounds, { stepMs: STEP_MS }).map(
    ({ kind, severity, state, timeMs }) => `${kind} ${severity} ${state} ${(timeMs - T0) / STEP_MS}`,
  );
}

test('a link that was up and goes down is reported with its GPU; asleep it is up, and one that never was up is none', () => {
  assert.deepEqual(link('nvlink_state', [1, 1, 2, 1, 0, 0, 0, 1]), [
    'nvlink.degraded error onset 4',
    'nvlink.degraded error clear 7',
  ]);
  assert.deepEqual(link('nvlink_state', [0, 0, 0, 0, 0, 0]), []);
  const [event] = eventsOf(
    [1, 1, 1, 0, 0].map((value) => ({ [`${LINK}#nvlink_state`]: value })),
    { stepMs: STEP_MS },
  );
  assert.deepEqual(event?.component, { type: 'nvlink', id: '0000:1b:00.0/3', parent: 'gpu/0000:1b:00.0' });
  assert.equal(event?.source, 'gpu');
});

test('a replay is information, and so is a recovery; the third a warning, six recoveries a minute a degraded link', () => {
  assert.deepEqual(link('nvlink_replays', [4, 5]), ['nvlink.nonfatal info onset 1']);
  assert.deepEqual(link('nvlink_recoveries', [4, 5]), ['nvlink.nonfatal info onset 1']);
  const third = ['nvlink.nonfatal info onset 1', 'nvlink.nonfatal warning onset 3'];
  assert.deepEqual(link('nvlink_recoveries', [0, 1, 2, 3]), third);
  const many = link('nvlink_recoveries', [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(many, [...third, 'nvlink.degraded warning onset 5']);
  assert.deepEqual(link('nvlink_recoveries_failed', [0, 1]), ['nvlink.nonfatal error onset 1']);
});

test('CRC errors matter from a hundred a second, symbol errors from ten; overruns and integrity errors always', () => {
  assert.deepEqual(link('nvlink_crc_errors', [0, 400, 800, 1200]), []);
  assert.deepEqual(link('nvlink_crc_errors', [0, 1000]), ['nvlink.degraded warning onset 1']);
  assert.deepEqual(link('nvlink_symbol_errors', [0, 40, 80, 120]), []);
  assert.deepEqual(link('nvlink_symbol_errors', [0, 100]), ['nvlink.degraded warning onset 1']);
  assert.deepEqual(link('nvlink_buffer_overruns', [0, 1]), ['nvlink.nonfatal error onset 1']);
  assert.deepEqual(link('nvlink_integrity_errors', [0, 1]), ['nvlink.nonfatal error onset 1']);
});

test('counters that start again after a reset are no errors', () => {
  for (const quantity of ['nvlink_replays', 'nvlink_recoveries', 'nvlink_crc_errors', 'nvlink_symbol_errors']) {
    assert.deepEqual(link(quantity, [90_000, ...times(20, () => 0)]), [], quantity);
  }
});

// Devices of one source: eight begin at one moment, the next eight later, spread over the interval.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Emit } from '../../../src/model/record.ts';
import type { Device } from '../../../src/sources/devices/poller.ts';
import { PollersSource } from '../../../src/sources/devices/pollers-source.ts';
import { until } from '../../until.ts';

const nothing: Emit = { samples: () => {}, text: () => {}, event: () => {}, discovery: () => {} };

test('eight devices are asked at one moment, and no more of them', async () => {
  const asked: string[] = [];
  const device = (_: unknown, i: number): Device => ({
    name: `pdu/${i}`,
    what: 'PDU',
    logFields: {},
    pace: { intervalMs: 3_600_000, rest: 1, pauseFrom: 3, doublesAfter: 2, longestPauseMs: 1000 },
    look: async () => void asked.push(`pdu/${i}`),
    reachEvent: () => assert.fail('each answers'),
    health: () => null,
    close: () => {},
  });
  const source = new PollersSource('pdu', 'none', Array.from({ length: 20 }, device), { now: Date.now });
  source.start(nothing, new AbortController().signal);
  try {
    await until(() => asked.length >= 8);
    assert.deepEqual(
      asked,
      Array.from({ length: 8 }, (_, i) => `pdu/${i}`),
    );
  } finally {
    await source.stop();
  }
});

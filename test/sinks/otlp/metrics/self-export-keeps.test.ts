// Self export keeps nothing of what was sent: a daemon runs for months, and sends every ten seconds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryObjects } from 'node:v8';
import type { Delivery } from '../../../../src/sinks/delivery/delivery.ts';
import { SelfExport } from '../../../../src/sinks/otlp/metrics/self-export.ts';

const NOTHING = { resource: {} as never, scopeMetrics: [] };
const SENT = 2000;

test('after thousands of exports there are no more promises than after some', async () => {
  let pushed = 0;
  const push = () => {
    pushed += 1;
  };
  const delivery = { idle: true, takenOtherwise: () => {}, push } as unknown as Delivery; // no more is asked of it
  const exporter = { export: async () => null, close: () => {} };
  const self = new SelfExport({ collect: async () => NOTHING, resource: {} as never, delivery, exporter });
  const send = async (count: number): Promise<number> => {
    for (let i = 0; i < count; i += 1) {
      self.send();
      await self.settled();
    }
    return queryObjects(Promise, { format: 'count' });
  };
  const before = await send(100);
  const kept = (await send(SENT)) - before;
  self.stop();
  assert.equal(pushed, SENT + 100);
  assert.ok(kept < 50, `${kept} after ${SENT}`);
});

test('a collector that never answers is waited for until the stop, and not after it', async () => {
  const pushed: number[] = [];
  const delivery = { idle: true, takenOtherwise: () => {}, push: () => pushed.push(1) } as unknown as Delivery;
  const exporter = { export: () => new Promise<null>(() => {}), close: () => {} };
  const self = new SelfExport({ collect: async () => NOTHING, resource: {} as never, delivery, exporter });
  self.send();
  const settled = self.settled();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(pushed.length, 0);
  self.stop();
  await settled;
  assert.equal(pushed.length, 1);
});

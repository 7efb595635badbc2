// The pace of event time: quick after news, then slow or not at all.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTimeTicker } from '../../src/daemon/event-ticker.ts';

for (const [silenceMatters, laterCalls] of [
  [false, 0],
  [true, 1],
] as const) {
  test(`time passes quickly until all settled, then ${silenceMatters ? 'slowly' : 'not at all'}`, (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    const calls: number[] = [];
    const advance = (nowMs: number): void => void calls.push(nowMs);
    const ticker = new EventTimeTicker({
      now: () => Date.now(),
      settleMs: () => 1_000,
      silenceMatters: () => silenceMatters,
      advance,
    });
    const pass = (ms: number): void => {
      for (let i = 0; i < ms; i += 50) t.mock.timers.tick(50);
    };
    ticker.news();
    pass(1_750);
    assert.deepEqual(calls, [250, 500, 750, 1_000, 1_250, 1_500]);
    calls.length = 0;
    pass(5_000);
    assert.equal(calls.length, laterCalls);
    ticker.news();
    calls.length = 0;
    pass(250);
    assert.equal(calls.length, 1);
    ticker.stop();
    ticker.news();
    pass(20_000);
    assert.equal(calls.length, 1);
  });
}

test('time reaches what waits for it at once, not with the next tick', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const calls: number[] = [];
  const ticker = new EventTimeTicker({
    now: () => Date.now(),
    settleMs: () => 1_000,
    silenceMatters: () => false,
    advance: (nowMs) => void calls.push(nowMs),
  });
  ticker.news();
  ticker.due(20);
  ticker.due(120);
  for (let i = 0; i < 300; i += 1) t.mock.timers.tick(1);
  assert.deepEqual(calls, [21, 271]);
  ticker.due(280);
  for (let i = 0; i < 100; i += 1) t.mock.timers.tick(1);
  assert.deepEqual(calls, [21, 271, 301]);
  ticker.stop();
});

// Tests of the BMC's clock: the offset is an interval that holds the truth and gets narrower.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BmcClock, offsetSeconds } from '../../../../src/sources/bmc/watch/clock.ts';

test('the true offset is inside, whatever the delays, and never known worse than by the best answer', () => {
  const answers = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 3000 }), fc.nat(3000)),
    {
      minLength: 1,
      maxLength: 30,
    },
  );
  fc.assert(
    fc.property(fc.integer({ min: -10_000_000, max: 10_000_000 }), answers, (offset, all) => {
      const clock = new BmcClock();
      let nowMs = 1_700_000_000_000;
      for (const [pause, out, back] of all) {
        nowMs += pause;
        const stamp = Math.floor((nowMs + out + offset) / 1000) * 1000;
        clock.observe(stamp, nowMs, nowMs + out + back);
        nowMs += out + back;
        assert.ok(clock.offset && clock.offset.lowMs <= offset && offset <= clock.offset.highMs);
        assert.ok(clock.offset.highMs - clock.offset.lowMs <= 1000 + out + back);
      }
      const stamped = clock.toOurs(Math.floor((nowMs + offset) / 1000) * 1000);
      assert.ok(stamped && stamped.earliestMs <= nowMs && nowMs <= stamped.latestMs);
    }),
  );
});

test('a clock that was set is followed at once', () => {
  const clock = new BmcClock();
  clock.observe(1_000_000, 1_000_000, 1_000_010);
  clock.observe(9_000_000, 1_010_000, 1_010_010);
  assert.ok(Math.abs((offsetSeconds(clock.offset) ?? 0) - 7990) <= 1);
});

test('nothing is known before the first answer', () => {
  assert.equal(new BmcClock().toOurs(1000), null);
  assert.equal(offsetSeconds(new BmcClock().offset), null);
});

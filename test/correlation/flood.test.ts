// Floods: what is invented in masses pushes out only its own kind, and takes no trust from what others saw.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correlator, event, GPUS, HOLD, LATENESS, lost, run, T0 } from './fixtures.ts';

const [GPU = ''] = GPUS;

test('a flood of one kind does not push out what is over of another', () => {
  const made = correlator([], { maxPerKind: 8 });
  run(made, [
    event(0, 'gpu.power_brake', GPU, { state: 'onset' }),
    event(1, 'gpu.power_brake', GPU, { state: 'clear' }),
  ]);
  const afterS = 2 + (HOLD + 2 * LATENESS) / 1000;
  for (let i = 0; i < 50; i += 1) made.observe(lost(afterS + i / 100, `gpu/0000:${(16 + i).toString(16)}:00.0`));
  assert.deepEqual(made.load, { conditions: 9, dropped: 42 });
});

test('an invented component for which there is no room is not remembered as a place', () => {
  const made = correlator([], { maxPerKind: 2 });
  const forged = { trust: 'tenant', source: 'job-log' } as const;
  for (let i = 0; i < 5000; i += 1) made.observe(event(i / 1000, 'job.nan', `rank/forged-${i}/0`, forged));
  // More places than are kept were named; a rank that is really there still hangs on the GPU that is lost.
  const reported = run(made, [lost(6, GPU), event(7, 'job.rank_crashed', 'rank/ddp/0', forged)]);
  assert.deepEqual(
    reported.of('gpu.lost').chain.map(({ kind }) => kind),
    ['gpu.lost', 'job.rank_crashed'],
  );
});

test('what a tenant could have written takes no trust from what the kernel wrote, in any order', () => {
  const kernel = lost(0, GPU);
  const forged = lost(1, GPU, { trust: 'tenant', discriminator: 2 });
  const confidence = [
    [kernel, forged],
    [forged, kernel],
  ].map((events) => {
    const made = correlator();
    const reported = run(made, events).take(made.advance(T0 + 400_000));
    return reported.only().confidence;
  });
  assert.equal(confidence[0], confidence[1]);
  assert.ok((confidence[0] ?? 0) > 0.6);
});

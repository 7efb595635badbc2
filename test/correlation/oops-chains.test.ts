// Oops chains: an oops explains what stops or hangs with the kernel, and nothing that happened before it or without it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correlator, event, GPUS, link, run } from './fixtures.ts';

const [GPU = ''] = GPUS;
const HOST = 'host/node-3';
const kernel = { trust: 'kernel', source: 'kernel-log' } as const;
const oops = (at: number) => event(at, 'host.kernel_oops', HOST, kernel);

function roots(...events: Parameters<typeof run>[1]) {
  return run(correlator([link(HOST, 'rank/train/3', 'runs')]), events);
}

test('an oops, and the panic, the hang and the rank that follow it, are one incident', () => {
  for (const [at, kind, component] of [
    [2, 'host.panic', HOST],
    [140, 'host.hung_task', 'process/812'],
    [3, 'job.rank_killed', 'rank/train/3'],
  ] as const) {
    const reported = roots(oops(0), event(at, kind, component, kernel)).only();
    assert.equal(reported.root.kind, 'host.kernel_oops', kind);
    assert.ok(reported.chain.some((one) => one.kind === kind));
  }
});

test('a GPU that was lost before the oops of its driver is the root, one that is lost minutes later is not explained by it', () => {
  assert.equal(roots(event(0, 'gpu.lost', GPU, kernel), oops(2)).only().root.kind, 'gpu.lost');
  const later = roots(oops(0), event(200, 'gpu.lost', GPU, kernel));
  assert.equal(later.last.length, 2);
});

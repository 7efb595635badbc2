// Neighbours: what a flood of invented places can cost is bounded, and which causes are kept does not hang on who came first.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leave } from '../../../src/correlation/belief/condition-family.ts';
import { detach } from '../../../src/correlation/graph/neighbours.ts';
import { conditionsOf, correlator, event, GPUS, lost, run, T0 } from '../fixtures.ts';

const KINDS = ['gpu.lost', 'gpu.app_fault', 'gpu.memory.dbe', 'gpu.gsp_timeout', 'gpu.memory.contained'] as const;
const invented = (i: number): string => `gpu/0000:${(i >> 3).toString(16).padStart(2, '0')}:00.${i & 7}`;
const kernel = { trust: 'kernel', source: 'kernel-log' } as const;

test('of more causes than are kept the best stay, whichever came first', () => {
  const effect = event(5, 'job.rank_crashed', 'rank/ddp/0', { trust: 'tenant', source: 'job-log' });
  const causes = KINDS.flatMap((kind, k) =>
    Array.from({ length: 40 }, (_, i) => event(i / 100 + k / 1000, kind, invented(i), kernel)),
  );
  const kept = [causes, causes.toReversed()].map((order) => {
    const [crashed] = conditionsOf([effect, ...order]).conditions;
    return [...(crashed?.causes.near ?? [])].map(({ name }) => name).sort();
  });
  assert.equal(kept[0]?.length, 64);
  assert.deepEqual(kept[0], kept[1]);
});

test('a flood of one kind ties each condition to the nearest of them only, and what is given up is tied to nothing', () => {
  const { store, conditions } = conditionsOf(Array.from({ length: 250 }, (_, i) => lost(i / 100, invented(i))));
  const edges = conditions.map(({ causes, effects }) => causes.size + effects.size);
  assert.ok(Math.max(...edges) <= 128, `${Math.max(...edges)} edges`);
  const [first] = conditions;
  assert.ok(first !== undefined);
  store.remove(first);
  for (const near of detach(first)) assert.ok(!near.causes.has(first) && !near.effects.has(first));
  leave(first);
  assert.equal(first.belief.family, null);
});

test('a fault that began before a flood of several kinds stays the root of what followed from it', () => {
  const [gpu = ''] = GPUS;
  const flood = Array.from({ length: 400 }, (_, i) =>
    event(2 + i / 100, KINDS[i % KINDS.length] ?? 'gpu.lost', invented(i), { trust: 'tenant', source: 'job-log' }),
  );
  const made = correlator();
  const reported = run(made, [
    lost(0, gpu),
    event(1, 'job.rank_crashed', 'rank/ddp/0', { trust: 'tenant', source: 'job-log' }),
    ...flood,
  ]).take(made.advance(T0 + 100_000));
  const holds = reported.last.find(({ chain }) => chain.some(({ kind }) => kind === 'job.rank_crashed'));
  assert.deepEqual([holds?.root.kind, holds?.root.component?.id], ['gpu.lost', gpu.slice(4)]);
});

// Assignment: what is kept of a large family when some of it moved is what all of it gone through again would be.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clustersOf } from '../../../src/correlation/belief/assignment.ts';
import type { Family } from '../../../src/correlation/belief/condition.ts';
import { familiesOf, leave } from '../../../src/correlation/belief/condition-family.ts';
import { detach } from '../../../src/correlation/graph/neighbours.ts';
import type { Kind } from '../../../src/model/kind.ts';
import { runs } from '../../runs.ts';
import { conditionsOf, event } from '../fixtures.ts';

const KINDS: readonly Kind[] = ['gpu.lost', 'nvlink.fatal', 'gpu.app_fault', 'gpu.gsp_timeout', 'pcie.corrected', 'gpu.memory.dbe', 'gpu.power_brake', 'gpu.thermal_throttle', 'host.oom', 'process.segfault']; // biome-ignore format: a list
const PLACES = 24;

const step = fc.record({
  kind: fc.constantFrom(...KINDS),
  place: fc.nat({ max: PLACES - 1 }),
  seconds: fc.integer({ min: 0, max: 3 }),
  /** Of ten steps one takes away what came first of what is left. */
  leaves: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
});

const placeAt = (i: number): string => `gpu/0000:${(16 + i).toString(16)}:00.0`;

/** All clusters of a family, once as they are kept and once gone through again. */
function assertSame(family: Family): number {
  const kept = clustersOf(family);
  Object.assign(family, { assigned: false, regrouped: true, whole: true });
  const again = clustersOf(family);
  assert.deepEqual(
    kept.map(({ root, members }) => [root.name, members.length]),
    again.map(({ root, members }) => [root.name, members.length]),
  );
  // A cluster that holds stays the object that it was.
  for (const [i, cluster] of again.entries()) assert.ok(kept[i] === cluster, cluster.root.name);
  return family.members.length;
}

test('whatever comes, goes and is weighed again, the clusters are those of the whole family', () => {
  let largest = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 60, maxLength: 120 }), (steps) => {
      const { take, store } = conditionsOf([]);
      let s = 0;
      for (const { kind, place, seconds, leaves } of steps) {
        s += seconds;
        take(event(s, kind, placeAt(place), { trust: 'kernel', source: 'kernel-log', discriminator: s }));
        const [first] = store.all();
        if (leaves && first !== undefined) {
          store.remove(first);
          detach(first);
          leave(first);
        }
        for (const family of familiesOf(store.all())) largest = Math.max(largest, assertSame(family));
      }
    }),
    { numRuns: runs(15, 300) },
  );
  assert.ok(largest > 48, `the largest family had ${largest} members: none of it was gone through in part`);
});

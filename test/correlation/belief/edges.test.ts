// Edges: what a map would hold, in the order in which it would.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Edges } from '../../../src/correlation/belief/edges.ts';
import { runs } from '../../runs.ts';

test('puts, replaces and takes away as a map does, few or many', () => {
  const step = fc.record({ node: fc.nat({ max: 120 }), edge: fc.nat(), takes: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const edges = new Edges<number, number>();
      const map = new Map<number, number>();
      for (const { node, edge, takes } of steps) {
        if (takes) {
          edges.delete(node);
          map.delete(node);
        } else {
          edges.set(node, edge);
          map.set(node, edge);
        }
        assert.deepEqual([edges.near, edges.all, edges.size], [[...map.keys()], [...map.values()], map.size]);
        for (const one of [node, 7]) assert.deepEqual([edges.get(one), edges.has(one)], [map.get(one), map.has(one)]);
      }
    }),
    { numRuns: runs(50, 1000) },
  );
});

// Strong components: the numbers agree with which nodes reach each other, however long the way.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { componentsOf } from '../../../src/correlation/graph/strong-components.ts';

const NODES = 8;
const edge = fc.tuple(fc.nat({ max: NODES - 1 }), fc.nat({ max: NODES - 1 }));

function reached(from: number, edges: readonly (readonly [number, number])[]): Set<number> {
  const found = new Set([from]);
  for (const at of found) for (const [one, to] of edges) if (one === at) found.add(to);
  return found;
}

test('two nodes have one number exactly where each reaches the other', () => {
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 16 }), (edges) => {
      const of = componentsOf(edges);
      for (const a of of.keys())
        for (const b of of.keys()) {
          const both = reached(a, edges).has(b) && reached(b, edges).has(a);
          assert.equal(of.get(a) === of.get(b), both, `${a} and ${b}`);
        }
    }),
  );
});

test('a way through twenty thousand nodes is gone', () => {
  const length = 20_000;
  const line = Array.from({ length }, (_, i) => [i, i + 1] as const);
  assert.equal(new Set(componentsOf(line).values()).size, length + 1);
  assert.equal(new Set(componentsOf([...line, [length, 0]]).values()).size, 1);
});

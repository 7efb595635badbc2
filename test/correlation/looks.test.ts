// Looks: shared ones count like as many of one's own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Looks, type SharedLooks } from '../../src/correlation/looks.ts';
import { runs } from '../runs.ts';

/** A look at all of them as one, at some of them, at each of them after something changed; so much later than the last. */
const step = fc.record({
  what: fc.constantFrom('all', 'some', 'again'),
  laterMs: fc.nat({ max: 3 }),
  which: fc.nat({ max: 7 }),
});

test('looks at a family that are counted once come to the same as looks at each of its incidents', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const known = [0, 1, 2].map(() => ({ looks: new Looks(), count: 0, lastMs: Number.NEGATIVE_INFINITY }));
      let shared: SharedLooks = { count: 0, lastMs: 0 };
      let nowMs = 0;
      for (const [i, { what, laterMs, which }] of [{ what: 'again', laterMs: 0, which: 7 }, ...steps].entries()) {
        nowMs += laterMs;
        if (what === 'again') shared = { count: 0, lastMs: nowMs };
        else {
          shared.count += 1;
          shared.lastMs = nowMs;
        }
        for (const [k, one] of known.entries()) {
          if (what === 'again' || (what === 'some' && (which & (1 << k)) !== 0)) one.looks.look(nowMs, shared);
          one.count += 1;
          one.lastMs = nowMs;
          assert.deepEqual([one.looks.count, one.looks.lastMs], [one.count, one.lastMs], `${k} after step ${i}`);
        }
      }
    }),
    { seed: 1, numRuns: runs(200, 20_000) },
  );
});

test('what joins later has none of the looks before it, and keeps its own where no family shares any', () => {
  const shared = { count: 5, lastMs: 90 };
  const looks = new Looks();
  assert.deepEqual([looks.count, looks.lastMs], [0, Number.NEGATIVE_INFINITY]);
  looks.look(100, shared);
  assert.deepEqual([looks.count, looks.lastMs], [1, 100]);
  looks.look(110, null);
  shared.count += 1;
  assert.deepEqual([looks.count, looks.lastMs], [2, 110]);
});

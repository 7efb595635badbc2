import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thin } from '../../src/incidents/thin.ts';

test('a short series is kept whole', () => {
  assert.deepEqual(thin(Float64Array.of(1, 2, 3), Float64Array.of(5, 6, 7), 3), [0, 1, 2]);
  assert.deepEqual(thin(new Float64Array(), new Float64Array(), 3), []);
});

test('a long one keeps its order, its cap, its lowest and its highest value', () => {
  const values = fc.array(fc.double({ noDefaultInfinity: true }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(values, fc.integer({ min: 2, max: 40 }), (list, limit) => {
      const series = Float64Array.from(list);
      const kept = thin(series, series, limit);
      assert.ok(kept.length <= limit && kept.length > 0);
      for (const [at, index] of kept.entries()) assert.ok(index > (kept[at - 1] ?? -1) && index < list.length);
      const numbers = list.filter((value) => !Number.isNaN(value));
      if (numbers.length === 0) return;
      const seen = kept.map((index) => list[index] ?? Number.NaN).filter((value) => !Number.isNaN(value));
      assert.deepEqual(
        [Math.min(...seen) + 0, Math.max(...seen) + 0],
        [Math.min(...numbers) + 0, Math.max(...numbers) + 0],
      );
    }),
  );
});

// Circles: whatever is reported of whatever place by whomever, nothing is believed to have brought itself about.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clustersOf } from '../../../src/correlation/belief/assignment.ts';
import type { Condition } from '../../../src/correlation/belief/condition.ts';
import { familiesOf } from '../../../src/correlation/belief/condition-family.ts';
import { FLOOR } from '../../../src/correlation/belief/floor.ts';
import { CAUSE_ROWS } from '../../../src/correlation/graph/cause-graph.ts';
import { componentsOf } from '../../../src/correlation/graph/strong-components.ts';
import { KINDS, type Kind } from '../../../src/model/kind.ts';
import { runs } from '../../runs.ts';
import { conditionsOf, event, GPUS } from '../fixtures.ts';

const PLACES = [GPUS[0] ?? '', 'nvlink/0000:1b:00.0/3', 'host/node-3', 'cpu/node-3/0', 'nic/0000:40:00.0', 'job/llama', 'rank/llama/0', null]; // biome-ignore format: a list

/** Kinds that lie on cycles of the graph, and all others now and then. */
const circular = [...new Set(CAUSE_ROWS.flatMap((row) => (row.mayCircle && !row.mustPrecede ? [row.cause, row.effect] : [])))]; // biome-ignore format: one list
const kind: fc.Arbitrary<Kind> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...circular) },
  { weight: 1, arbitrary: fc.constantFrom(...KINDS) },
);

const step = fc.record({
  kind,
  place: fc.constantFrom(...PLACES),
  seconds: fc.integer({ min: 0, max: 8 }),
  late: fc.integer({ min: 0, max: 10 }),
  trust: fc.constantFrom('kernel', 'driver', 'facility', 'tenant'),
  state: fc.constantFrom('onset', 'clear', 'point'),
});

/** Which causes are believed, as links from effect to cause. */
function linksOf(conditions: Iterable<Condition>, weighed: 'weighed' | 'uncut'): (readonly [Condition, Condition])[] {
  return [...conditions].flatMap((condition) =>
    condition.belief[weighed]
      .filter(({ weight }) => weight >= FLOOR)
      .map(({ edge }) => [condition, edge.cause] as const),
  );
}

function circleIn(links: readonly (readonly [Condition, Condition])[]): string | null {
  const of = componentsOf(links);
  const closing = links.find(([effect, cause]) => of.get(effect) === of.get(cause));
  return closing === undefined ? null : closing.map(({ name }) => name).join(' by ');
}

test('what is believed of any events goes round in no circle', () => {
  let cut = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 40, maxLength: 90 }), (steps) => {
      const { take, store } = conditionsOf([]);
      let s = 0;
      for (const { kind, place, seconds, late, trust, state } of steps) {
        s += seconds;
        const at = s - late;
        take(event(at, kind, place, { trust, source: trust, state, discriminator: s, wide: [at - late, at] }));
        for (const family of familiesOf(store.all())) clustersOf(family);
        if (circleIn(linksOf(store.all(), 'uncut')) !== null) cut += 1;
        assert.equal(circleIn(linksOf(store.all(), 'weighed')), null);
      }
    }),
    { numRuns: runs(30, 600) },
  );
  assert.ok(cut > 0, 'no events closed a circle that had to be cut');
});

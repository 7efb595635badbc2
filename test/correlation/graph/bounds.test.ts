// Bounds: they refuse only what every row between two kinds refuses.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Condition } from '../../../src/correlation/belief/condition.ts';
import { boundsOf, mayLead } from '../../../src/correlation/graph/bounds.ts';
import { CAUSE_ROWS, effectsOf } from '../../../src/correlation/graph/cause-graph.ts';
import { bestEdge } from '../../../src/correlation/graph/edge.ts';
import { TopologyIndex } from '../../../src/correlation/topology/topology-index.ts';
import type { Component } from '../../../src/model/component.ts';
import { makeEvent } from '../../../src/model/make-event.ts';
import { runs } from '../../runs.ts';

const HOST = 'node-3';
const T0 = 1_700_000_000_000;
const PLACES: readonly (Component | null)[] = [
  { type: 'gpu', id: '0000:1b:00.0' },
  { type: 'gpu', id: '0000:29:00.0' },
  { type: 'nvlink', id: '0000:1b:00.0/3' },
  { type: 'pcie', id: '0000:1b:00.0' },
  { type: 'nic', id: '0000:40:00.0' },
  { type: 'host', id: HOST },
  { type: 'pdu_phase', id: 'pdu-b/1' },
  { type: 'job', id: 'llama' },
  { type: 'rank', id: 'llama/0' },
  null,
];

const facts = fc.record({
  place: fc.constantFrom(...PLACES),
  atMs: fc.integer({ min: 0, max: 400_000 }),
  wideMs: fc.constantFrom(0, 0, 500, 30_000),
  lastsMs: fc.option(fc.integer({ min: 0, max: 200_000 })),
});
type Given = typeof facts extends fc.Arbitrary<infer T> ? T : never;

function condition(kind: (typeof CAUSE_ROWS)[number]['cause'], { place, atMs, wideMs, lastsMs }: Given): Condition {
  const event = (ms: number, state: 'onset' | 'clear') =>
    makeEvent(HOST, {
      kind,
      component: place,
      timeMs: T0 + ms,
      interval: { earliestMs: T0 + ms - wideMs, latestMs: T0 + ms },
      observedMs: T0 + ms,
      trust: 'kernel',
      source: 'kernel-log',
      state,
    });
  const one = new Condition(event(atMs, 'onset'), place, 0);
  one.add(event(atMs, 'onset'), false);
  if (lastsMs !== null) one.add(event(atMs + lastsMs, 'clear'), false);
  return one;
}

test('what bounds refuse has no edge, and most of what has none is refused', () => {
  const topology = new TopologyIndex(HOST);
  const context = {
    topology,
    nowMs: T0 + 1_000_000,
    latenessMs: 30_000,
    past: () => ({ withConsequence: 0, without: 0 }),
    recheckAt: () => {},
  };
  let edges = 0;
  let refused = 0;
  let none = 0;
  fc.assert(
    fc.property(fc.constantFrom(...CAUSE_ROWS), facts, facts, (row, a, b) => {
      const [cause, effect] = [condition(row.cause, a), condition(row.effect, b)];
      const rows = effectsOf(row.cause).get(row.effect) ?? [];
      const edge = bestEdge(cause, effect, rows, context);
      const may = mayLead(cause, effect, boundsOf(rows));
      assert.ok(may || edge === null, `${row.cause} → ${row.effect}`);
      if (edge !== null) edges += 1;
      else none += 1;
      if (!may) refused += 1;
    }),
    { seed: 1, numRuns: runs(2000, 100_000) },
  );
  assert.ok(edges > 50, `${edges} pairs have an edge`);
  assert.ok(refused > none / 2, `${refused} of ${none} are refused`);
});

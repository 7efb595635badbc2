// What the inferences have in common: what they may watch, and that only what changed is taken back and put in again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Condition } from '../../../src/correlation/belief/condition.ts';
import { effectsOf } from '../../../src/correlation/graph/cause-graph.ts';
import { INFERENCES } from '../../../src/correlation/inference/index.ts';
import type { Inference } from '../../../src/correlation/inference/inference.ts';
import { Inferred } from '../../../src/correlation/inference/inferred.ts';
import { TopologyIndex } from '../../../src/correlation/topology/topology-index.ts';
import type { FaultEvent } from '../../../src/model/event.ts';
import { event } from '../fixtures.ts';

const KNOWN = { ofKind: () => [], topology: new TopologyIndex('node-3') };
const SAG = event(0, 'power.unobserved_sag', 'pdu/pdu-a');
const LATER = event(9, 'power.unobserved_sag', 'pdu/pdu-b');

function finding(events: () => readonly FaultEvent[], more: Partial<Inference> = {}): Inference {
  return { name: 'made-up', watches: ['psu.failover'], infers: ['power.unobserved_sag'], infer: events, ...more };
}

test('what the registry infers is a cause of something, by inferences of distinct names that watch something', () => {
  assert.doesNotThrow(() => new Inferred(INFERENCES));
  assert.equal(new Set(INFERENCES.map(({ name }) => name)).size, INFERENCES.length);
  for (const { name, watches, infers } of INFERENCES) {
    assert.ok(watches.length > 0 && infers.length > 0, name);
    for (const kind of infers) assert.ok(effectsOf(kind).size > 0, `${name}: ${kind} explains nothing`);
  }
});

test('an inference that watches what is inferred is refused', () => {
  const circle = finding(() => [], { watches: ['power.unobserved_sag'] });
  assert.throws(() => new Inferred([circle]), /made-up watches power\.unobserved_sag, which is inferred/);
});

test('what no longer follows is taken back, what follows still is left alone', () => {
  let events: readonly FaultEvent[] = [SAG];
  const inferred = new Inferred([finding(() => events)]);
  const seen: string[] = [];
  const update = (kind: 'psu.failover' | 'psu.failure' | null) =>
    inferred.update(
      kind,
      KNOWN,
      (gone) => void seen.push(`- ${gone.first.id}`),
      (one) => {
        seen.push(`+ ${one.id}`);
        return new Condition(one, one.component, 0);
      },
    );
  assert.equal(update('psu.failover').length, 1);
  assert.equal(update('psu.failover').length, 0);
  events = [LATER];
  assert.equal(update('psu.failure').length, 0, 'not a kind that it watches');
  assert.equal(update(null).length, 1);
  assert.deepEqual(seen, [`+ ${SAG.id}`, `- ${SAG.id}`, `+ ${LATER.id}`]);
});

test('what found no room is not taken back', () => {
  let events: readonly FaultEvent[] = [SAG];
  const inferred = new Inferred([finding(() => events)]);
  const gone: unknown[] = [];
  assert.deepEqual(inferred.update(null, KNOWN, (one) => void gone.push(one), () => null), []); // biome-ignore format: one call
  events = [];
  inferred.update(null, KNOWN, (one) => void gone.push(one), () => null); // biome-ignore format: one call
  assert.deepEqual(gone, []);
});

// The life of incidents, whatever happens in whatever order: one id is one incident, each end of it one span, and all tell the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Incident } from '../../src/model/incident.ts';
import { FAULTS, IncidentWorld, STATES, type Step, subjects } from '../incident-world.ts';
import { runs } from '../runs.ts';

const late = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4_000 }), fc.integer({ min: 6_000, max: 90_000 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ do: 'lag' as const }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('fault' as const), which: fc.nat({ max: FAULTS.length - 1 }), lateMs: late }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('turn' as const), which: fc.nat({ max: STATES.length - 1 }), lateMs: late }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 2_000, max: 60_000 })) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('kill' as const, 'stop' as const), awayMs: fc.oneof(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 1_000, max: 120_000 })) }) },
); // biome-ignore format: one line each

function check(world: IncidentWorld): void {
  const before = new Map<string, Incident>();
  const ends = new Set<string>();
  for (const incident of world.log) {
    const { id, revision, state, reopened, resolvedMs, mergedInto } = incident;
    const last = before.get(id);
    const name = `${id} revision ${revision} (${incident.title})`;
    assert.equal(revision, (last?.revision ?? 0) + 1, `${name} follows ${last?.revision}`);
    assert.equal(resolvedMs === null, state === 'open', name);
    const again = last?.state === 'resolved' && state === 'open';
    assert.equal(reopened, (last?.reopened ?? 0) + Number(again), `${name}: reopened`);
    assert.equal(incident.openedMs, last?.openedMs ?? incident.openedMs, `${name}: opened`);
    assert.ok(incident.updatedMs >= (last?.updatedMs ?? 0), `${name}: time`);
    if (last !== undefined && mergedInto === null) {
      const known = subjects(last);
      assert.ok(
        [...subjects(incident)].some((one) => known.has(one)),
        `${name} is about something else than before`,
      );
    }
    if (mergedInto !== null)
      assert.ok(before.has(mergedInto), `${name} merged into an incident that was never reported`);
    if (state === 'resolved') ends.add(`${id} ${reopened}`);
    before.set(id, incident);
  }
  const open = [...world.newest().values()].filter(({ state }) => state === 'open');
  assert.deepEqual(
    world.recent
      .incidents()
      .filter(({ state }) => state === 'open')
      .map(({ id, revision }) => `${id} ${revision}`)
      .sort(),
    open.map(({ id, revision }) => `${id} ${revision}`).sort(),
    'the API shows what the log holds',
  );
  const claimed = new Map<string, string>();
  for (const { id, chain } of open) {
    for (const { eventId } of chain) {
      assert.equal(claimed.get(eventId) ?? id, id, `${eventId} is in two open incidents`);
      claimed.set(eventId, id);
    }
  }
  const spanIds = world.spans.map((span) => span.spanContext().spanId);
  assert.equal(new Set(spanIds).size, spanIds.length, 'no span id twice');
  const roots = world.spans.filter(({ name }) => name.startsWith('incident/'));
  const sent = roots.map(({ attributes: a }) => `${a['faultline.incident.id']} ${a['faultline.incident.reopened']}`);
  assert.deepEqual(sent.sort(), [...ends].sort(), 'one span each time that it was resolved');
}

test('any sequence of faults, time, kills and restarts keeps ids, revisions, spans and what the API shows in step', () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 0, max: 3 }),
      (steps, remembered) => {
        const world = new IncidentWorld(remembered);
        try {
          for (const one of steps) world.take(one);
          world.catchUp();
          check(world);
          world.end();
          check(world);
          const open = [...world.newest().values()].filter(({ state }) => state === 'open');
          assert.deepEqual(
            open.map(({ title }) => title),
            [],
            'nothing stays open for ever',
          );
        } finally {
          world.close();
        }
      },
    ),
    { numRuns: runs(60, 500) },
  );
});

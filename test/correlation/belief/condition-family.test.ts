// Family: what edges tie together is one, and comes apart when the edge between its parts goes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clustersOf } from '../../../src/correlation/belief/assignment.ts';
import { familiesOf, familyOf, leave } from '../../../src/correlation/belief/condition-family.ts';
import { detach, refresh } from '../../../src/correlation/graph/neighbours.ts';
import type { FaultEvent } from '../../../src/model/event.ts';
import { conditionsOf, event, GPUS, lost } from '../fixtures.ts';

const build = (events: readonly FaultEvent[]) => conditionsOf(events, 64, 64);

const rank = (s: number, id: string) =>
  event(s, 'job.rank_crashed', `rank/${id}`, { trust: 'tenant', source: 'job-log' });

test('a cause and its effects are one family; without the cause each is alone', () => {
  const { store, conditions } = build([lost(0, GPUS[0] ?? ''), rank(1, 'one/0'), rank(1.5, 'two/0')]);
  const [cause, ...effects] = conditions;
  assert.ok(cause !== undefined);
  assert.equal(familiesOf(conditions).size, 1);
  assert.deepEqual(
    clustersOf(familyOf(cause)).map(({ root, members }) => [root.kind, members.length]),
    [['gpu.lost', 3]],
  );
  store.remove(cause);
  detach(cause);
  leave(cause);
  const families = familiesOf(effects);
  assert.equal(families.size, 2);
  assert.deepEqual(
    [...families].flatMap((family) => clustersOf(family).map(({ members }) => members.length)),
    [1, 1],
  );
});

test('a cluster in which nothing changed stays the same object, and one that grew does not', () => {
  const { store, context, take, conditions } = build([lost(0, GPUS[0] ?? ''), rank(1, 'one/0')]);
  const [cause] = conditions;
  assert.ok(cause !== undefined);
  const [before] = clustersOf(familyOf(cause));
  refresh(cause, store, context);
  assert.equal(clustersOf(familyOf(cause))[0], before);
  take(rank(2, 'two/0'));
  const [after] = clustersOf(familyOf(cause));
  assert.notEqual(after, before);
  assert.equal(after?.members.length, 3);
});

// Slow objects of a PDU: which ride with fast ones, which are asked for by themselves, and that one that fails holds up nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlannedCell } from '../../../src/sources/pdu/pdu-plan.ts';
import { SlowSet } from '../../../src/sources/pdu/slow-set.ts';

const cell = (oid: string, guard?: string) =>
  ({ oid, ...(guard === undefined ? {} : { guard: { oid: guard, values: [] } }) }) as unknown as PlannedCell; // all that is looked at
const cells = (count: number) => Array.from({ length: count }, (_, i) => cell(`1.${i}`));
const oids = (some: readonly PlannedCell[]) => some.map(({ oid }) => oid);

/** One look: what rode with it and what was asked for by itself. */
function look(slow: SlowSet, room: number, tookMs = 1): { rode: string[]; alone: string[] } {
  const riders = slow.riders(room);
  slow.answered(tookMs);
  slow.turn();
  const alone: string[] = [];
  for (let batch = slow.batch(room); batch.length > 0; batch = slow.batch(room)) {
    slow.answered(0);
    alone.push(...oids(batch));
  }
  return { rode: oids(riders), alone };
}

const EVERY = 15;
const looks = (slow: SlowSet, room: number) => Array.from({ length: EVERY }, () => look(slow, room));

/** Of so many, read by themselves once, and all due again. */
function due(all: readonly PlannedCell[], room: number): SlowSet {
  const slow = new SlowSet(all);
  assert.deepEqual(look(slow, room), { rode: [], alone: oids(all) });
  const idle = looks(slow, room).slice(0, -1);
  assert.ok(idle.every(({ rode, alone }) => rode.length + alone.length === 0));
  return slow;
}

test('all are read by themselves first, then each once every fifteen looks in the room that there is', () => {
  const slow = due(cells(50), 4);
  for (let round = 0; round < 3; round += 1) {
    const seen = looks(slow, 4);
    assert.deepEqual(seen.flatMap(({ rode }) => rode).toSorted(), oids(cells(50)).toSorted());
    assert.ok(seen.every(({ rode, alone }) => rode.length <= 4 && alone.length === 0));
  }
});

test('what finds no room is asked for by itself, so that all are read in the same time', () => {
  const slow = new SlowSet(cells(100));
  look(slow, 2);
  for (let round = 0; round < 3; round += 1) {
    const all = looks(slow, 2).flatMap(({ rode, alone }) => [...rode, ...alone]);
    assert.ok(round === 0 || new Set(all).size === 100, `${new Set(all).size} in round ${round}`);
  }
});

test('without room nothing rides, and a guard takes room as well', () => {
  const none = new SlowSet(cells(30));
  const seen = [...looks(none, 0), ...looks(none, 0)];
  assert.deepEqual(
    seen.flatMap(({ rode }) => rode),
    [],
  );
  assert.equal(seen.flatMap(({ alone }) => alone).length, 60);
  const guarded = due([cell('1', '9'), cell('2', '9'), cell('3', '8'), cell('4')], 3);
  assert.deepEqual([look(guarded, 3).rode, look(guarded, 3).rode], [['1', '2'], ['3', '4']]); // biome-ignore format: one line
});

test('after a request with riders that failed, a whole round is read apart before any ride again', () => {
  const slow = due(cells(30), 5);
  assert.equal(slow.riders(5).length, 5);
  // Nothing is heard of it.
  const rest = looks(slow, 5);
  assert.deepEqual(
    rest.flatMap(({ rode }) => rode),
    [],
  );
  // What was left of this round, and at its end all of the next one.
  assert.deepEqual(rest.map(({ alone }) => alone.length).filter((count) => count > 0), [25, 30]); // biome-ignore format: one line
  assert.equal(
    looks(slow, 5).some(({ alone }) => alone.length > 0),
    false,
  );
  assert.equal(look(slow, 5).rode.length, 5);
});

test('a device that took long over a request with riders is asked for the rest of that round apart', () => {
  const slow = due(cells(30), 5);
  assert.equal(look(slow, 5, 500).alone.length, 25);
  looks(slow, 5);
  assert.equal(look(slow, 5).rode.length, 5);
});

test('what is not believed rides again', () => {
  const slow = due(cells(10), 5);
  const riders = slow.riders(5);
  slow.answered(1);
  slow.putBack(riders);
  assert.deepEqual(oids(slow.riders(5)), oids(riders));
});

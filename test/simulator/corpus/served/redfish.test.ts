// The Redfish service of an accuracy run: one answer a moment, the BMC's own clock, and what it stamps when it happens.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BmcState } from '../../../../src/simulator/bmc/state.ts';
import { ServedRedfish } from '../../../../src/simulator/corpus/served/redfish.ts';

const T0 = Date.UTC(2026, 10, 28, 12, 0, 0);
const SUPPLIES = '/redfish/v1/Chassis/Sled/PowerSubsystem/PowerSupplies';

function served(model: 'old' | 'new' = 'new') {
  const state: BmcState = {
    hostWatts: 4000,
    limitWatts: null,
    supplies: [1, 2].map(() => ({ inputVoltage: 230, fed: true, failed: false, standby: false, absent: false })),
    fans: [{ rpm: 9000, failed: false }],
    inletC: 24,
  };
  const world = { nowMs: T0, answers: true };
  const redfish = new ServedRedfish({
    model,
    serial: 'SIM-1',
    clockAheadMs: 2500,
    state: () => (world.answers ? state : null),
    now: () => world.nowMs,
  });
  const get = (path: string) => redfish.send({ method: 'GET', path });
  return { state, world, redfish, get };
}

test('a resource is what the state makes, one that is not there 404, with the date of the BMC', async () => {
  const { get } = served();
  const [root, none] = [await get('/redfish/v1/'), await get('/redfish/v1/Nothing')];
  assert.deepEqual([root.status, none.status], [200, 404]);
  assert.match(none.body, /ResourceMissingAtURI/);
  assert.equal(root.headers.date, 'Sat, 28 Nov 2026 12:00:02 GMT');
  assert.deepEqual([root.sentMs, root.receivedMs], [T0, T0]);
});

test('all that is asked at one moment is of one state; the next moment has the next', async () => {
  const { state, world, get } = served();
  const before = (await get(SUPPLIES)).body;
  const first = (await get(`${SUPPLIES}/PSU1`)).body;
  Object.assign(state.supplies[0] ?? {}, { failed: true });
  assert.equal((await get(`${SUPPLIES}/PSU1`)).body, first);
  world.nowMs += 1;
  assert.notEqual((await get(`${SUPPLIES}/PSU1`)).body, first);
  assert.equal((await get(SUPPLIES)).body, before);
});

test('a supply that lost its input is stamped when it did, by the BMC’s clock, not when it is asked', async () => {
  const { state, world, redfish, get } = served();
  Object.assign(state.supplies[1] ?? {}, { fed: false });
  world.nowMs = T0 + 10_000;
  redfish.settle(state);
  world.nowMs = T0 + 60_000;
  const [lost, fed] = [await get(`${SUPPLIES}/PSU2`), await get(`${SUPPLIES}/PSU1`)];
  assert.match(lost.body, /"Timestamp":"2026-11-28T12:00:12Z"/);
  assert.doesNotMatch(fed.body, /Timestamp/);
  // Back and lost again, it is stamped again.
  Object.assign(state.supplies[1] ?? {}, { fed: true });
  redfish.settle(state);
  Object.assign(state.supplies[1] ?? {}, { fed: false });
  redfish.settle(state);
  world.nowMs += 1;
  assert.match((await get(`${SUPPLIES}/PSU2`)).body, /"Timestamp":"2026-11-28T12:01:02Z"/);
});

test('one that does not answer times out, in both models', async () => {
  for (const model of ['old', 'new'] as const) {
    const { world, get } = served(model);
    world.answers = false;
    await assert.rejects(get('/redfish/v1'), /no complete answer/);
  }
});

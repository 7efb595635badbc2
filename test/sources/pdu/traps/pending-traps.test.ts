// What traps mean by the catalogue and by what they carry, and which of them are believed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { componentText } from '../../../../src/model/component.ts';
import { discoverPdu } from '../../../../src/sources/pdu/discover.ts';
import type { PduPlan } from '../../../../src/sources/pdu/pdu-plan.ts';
import { SnmpRequests } from '../../../../src/sources/pdu/request.ts';
import { meaningOf } from '../../../../src/sources/pdu/traps/meaning.ts';
import { PendingTraps } from '../../../../src/sources/pdu/traps/pending-traps.ts';
import { type Trap, trapOf } from '../../../../src/sources/pdu/traps/trap.ts';
import { memoryAgent } from '../memory-agent.ts';

const E = '1.3.6.1.4.1';

function plan(objectId: string, objects: Readonly<Record<string, number | string>>): Promise<PduPlan> {
  const system = { '1.3.6.1.2.1.1.1.0': 'x', '1.3.6.1.2.1.1.2.0': objectId, '1.3.6.1.2.1.1.3.0': 1 };
  return discoverPdu(new SnmpRequests(memoryAgent({ ...system, ...objects })), 'p');
}

function v2(oid: string, varbinds: readonly (readonly [string, unknown])[] = []): Trap {
  const all = [['1.3.6.1.6.3.1.1.4.1.0', oid] as const, ...varbinds].map(([name, value]) => ({ oid: name, value }));
  const trap = trapOf({ varbinds: all }, 5000);
  assert.ok(trap);
  return trap;
}

const shown = (trap: Trap, of: PduPlan) => {
  const { name, kind, component } = meaningOf(trap, of);
  return [name, kind, componentText(component)];
};

const EATON = `${E}.534.6.6.7`;
const eaton = () =>
  plan(EATON, { [`${EATON}.3.1.1.2.0.1`]: 1, [`${EATON}.5.1.1.5.0.3`]: 1, [`${EATON}.3.2.1.2.0.1.1`]: 1, [`${EATON}.3.2.1.3.0.1.1`]: 230_000, [`${EATON}.3.2.1.4.0.1.1`]: 0 }); // biome-ignore format: objects

test('a trap that carries a state says what happened to which part', async () => {
  const of = await eaton();
  assert.deepEqual(shown(v2(`${EATON}.0.23`, [[`${EATON}.5.1.1.5.0.3`, 2]]), of), [
    'notifyGroupBreakerStatus',
    'power.breaker_trip',
    'pdu_branch/p/3',
  ]);
  assert.deepEqual(shown(v2(`${EATON}.0.23`, [[`${EATON}.5.1.1.5.0.3`, 1]]), of), [
    'notifyGroupBreakerStatus',
    null,
    'pdu_branch/p/3',
  ]);
  assert.deepEqual(shown(v2(`${EATON}.0.11`, [[`${EATON}.3.2.1.4.0.1.1`, 2]]), of), [
    'notifyInputVoltageThStatus',
    'power.voltage_sag',
    'pdu_phase/p/1',
  ]);
  assert.deepEqual(shown(v2(`${EATON}.0.99`), of), [`${EATON}.0.99`, null, 'pdu/p']);
});

test('v1 and v2 forms of a trap are the same', async () => {
  const ups = await plan('1.3.6.1.2.1.33', { '1.3.6.1.2.1.33.1.4.1.0': 3, '1.3.6.1.2.1.33.1.2.4.0': 90 });
  const v1 = trapOf({ enterprise: '1.3.6.1.2.1.33.2', generic: 6, specific: 1, varbinds: [] }, 1);
  assert.ok(v1);
  assert.deepEqual(shown(v1, ups), ['upsTrapOnBattery', 'power.source_transfer', 'ups/p']);
  assert.deepEqual(shown(v2('1.3.6.1.2.1.33.2.1'), ups), ['upsTrapOnBattery', 'power.source_transfer', 'ups/p']);
  assert.deepEqual(trapOf({ enterprise: E, generic: 0, specific: 0, varbinds: [] }, 1)?.oids, ['1.3.6.1.6.3.1.1.5.1']);
});

test('a sag that is over when the poll comes is reported by its trap, as not confirmed; a breaker that is closed is not', async () => {
  const of = await eaton();
  const traps = new PendingTraps();
  traps.add(v2(`${EATON}.0.11`, [[`${EATON}.3.2.1.4.0.1.1`, 1]]));
  traps.add(v2(`${EATON}.0.11`, [[`${EATON}.3.2.1.4.0.1.1`, 2]]));
  traps.add(v2(`${EATON}.0.23`, [[`${EATON}.5.1.1.5.0.3`, 2]]));
  traps.begin();
  const events = traps.reconcile(of, [], true, 6000);
  assert.deepEqual(
    events.map(({ kind, state, severity, timeMs, attributes }) => [
      kind,
      state,
      severity,
      timeMs,
      attributes?.confirmed,
    ]),
    [['power.voltage_sag', 'point', 'warning', 5000, false]],
  );
  assert.equal(traps.unconfirmed, 1);
});

test('a trap that comes while a poll runs is held against the next', async () => {
  const of = await eaton();
  const traps = new PendingTraps();
  traps.begin();
  traps.add(v2(`${EATON}.0.23`, [[`${EATON}.5.1.1.5.0.3`, 2]]));
  assert.deepEqual([traps.due, traps.reconcile(of, [], true, 6000)], [false, []]);
  traps.begin();
  assert.equal(traps.due, true);
});

test('what says nothing of what it is has no meaning', () => {
  for (const pdu of [{}, { varbinds: 3 }, { varbinds: [null, {}] }, { enterprise: 'x', generic: 'y', specific: null }])
    assert.equal(trapOf(pdu, 1), null);
});

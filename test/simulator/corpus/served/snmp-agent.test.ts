// Tests of the agent without a network: the real discovery and decoder read from it what the PDU measures.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { componentText } from '../../../../src/model/component.ts';
import { type PduState, ServedAgent } from '../../../../src/simulator/corpus/served/snmp-agent.ts';
import { AP8641 } from '../../../../src/simulator/pdu-agent/rpdu2-model.ts';
import { discoverPdu } from '../../../../src/sources/pdu/discover.ts';
import { readCells } from '../../../../src/sources/pdu/read-cells.ts';
import { SnmpRequests } from '../../../../src/sources/pdu/request.ts';

const MODEL = { ...AP8641, phases: 3, banks: 3, outlets: 6, breakerRatingA: 16, bankOf: { 1: 3 } };
const outlets = Array.from({ length: 6 }, (_, i) => ({ amperes: i + 1, on: i !== 4 }));
const STATE: PduState = { volts: [230.4, 231, 229], outlets, uptime: 1000, answers: true };

async function values(state: PduState): Promise<Map<string, number | string | null>> {
  const requests = new SnmpRequests(
    new ServedAgent(
      MODEL,
      () => state,
      () => 5000,
    ),
  );
  const plan = await discoverPdu(requests, 'pdu-a');
  const cells = await readCells(requests, plan, plan.cells);
  return new Map(cells.map(({ component, field, value }) => [`${componentText(component)} ${field}`, value]));
}

test('voltages are whole volts, currents tenths of an ampere, sums of what hangs on them', async () => {
  const read = await values(STATE);
  assert.equal(read.get('pdu_phase/pdu-a/1 voltage'), 230);
  assert.equal(read.get('pdu_outlet/pdu-a/6 current'), 6);
  // Outlet 1 was put on bank 3, with outlets 5 and 6.
  assert.equal(read.get('pdu_branch/pdu-a/3 current'), 12);
  assert.equal(read.get('pdu_phase/pdu-a/3 current'), 12);
  assert.equal(read.get('pdu_outlet/pdu-a/5 outlet'), 'off');
  assert.equal(read.get('pdu/pdu-a power'), 10 * Math.round(((2 * 230.4 + 7 * 231 + 12 * 229) * 0.96) / 10));
});

test('a branch is near overload over 80 % of its rating, and overloaded over it', async () => {
  const at = async (amperes: number): Promise<unknown> => {
    const one = outlets.map((outlet, i) => (i === 5 ? { amperes, on: true } : { ...outlet, amperes: 0 }));
    return (await values({ ...STATE, outlets: one })).get('pdu_branch/pdu-a/3 load_state');
  };
  assert.equal(await at(12), 'normal');
  assert.equal(await at(13), 'near_overload');
  assert.equal(await at(17), 'overload');
});

test('a silent agent is a time-out', async () => {
  await assert.rejects(values({ ...STATE, answers: false }), /FL2101/);
});

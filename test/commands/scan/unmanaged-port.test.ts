// What a scan says of a port of InfiniBand whose link is up: no cable is at fault, and those who run the fabric are called.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

/** The text of the report in lines that are not broken. */
const scanned = (t: TestContext, lines: readonly string[]): Promise<string> =>
  scannedLogs(t, { 'hx-4.txt': lines }, '--host', 'hx-4');

function rdma(...states: readonly string[]): string[] {
  return states.map((state, i) => `link mlx5_${i}/1 state ${state} netdev ib${i}`);
}
const IBSTAT = ["CA 'mlx5_2'", '\tNumber of ports: 1', '\tPort 1:', '\t\tState: Initializing', '\t\tPhysical state: LinkUp', '\t\tBase lid: 65535', '\t\tSM lid: 0']; // biome-ignore format: one text
const IBSTATUS = ["Infiniband device 'mlx5_0' port 1 status:", '\tstate:\t\t 3: ARMED', '\tphys state:\t 5: LinkUp'];

for (const lines of [IBSTAT, IBSTATUS, rdma('INIT physical_state LINK_UP')])
  test(`a port that waits for its subnet manager: ${lines[0]}`, async (t) => {
    const text = await scanned(t, lines);
    assert.match(text, /Root cause +NIC port not set up by the subnet manager on hx-4 nic mlx5_\d\n/);
    assert.match(text, /Do +find out why the subnet manager does not make hx-4 nic mlx5_\d active/);
    assert.match(text, /Now .*sudo sminfo.*\nCall +who runs the InfiniBand fabric\n/);
    assert.doesNotMatch(text, /cable|reseat|touch the hardware/);
  });

test('all ports of a host that wait are one fault of the fabric, and no cable either', async (t) => {
  const text = await scanned(t, rdma('INIT physical_state LINK_UP', 'INIT physical_state LINK_UP'));
  assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
  assert.match(text, /Do +find out why the subnet manager makes no port of hx-4 active/);
  assert.doesNotMatch(text, /cable|reseat|touch the hardware/);
});

test('a port without a link is for the hands at its cable', async (t) => {
  const text = await scanned(t, rdma('INIT physical_state POLLING'));
  assert.match(text, /Root cause +NIC port down on hx-4 nic mlx5_0\n/);
  assert.match(text, /Call +who may touch the hardware of hx-4\n/);
});

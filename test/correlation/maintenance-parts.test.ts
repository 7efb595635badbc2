// Maintenance of a named part: it reaches the port, slot or outlet above that serves nothing else, and what hangs below; no further.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kind } from '../../src/model/kind.ts';
import { correlator, event, FEED_LINKS, type Given, GPUS, link, run, T0 } from './fixtures.ts';

const NIC = 'nic/0000:40:00.0';
const OTHER_PORT = 'nic/0000:40:00.1';
const PORT = 'pcie/0000:3f:01.0';
const DISK = 'disk/nvme1';
const SLOT = 'pcie/0000:e1:00.0';
const DISK_PORT = 'pcie/0000:e0:01.0';
/** A switch with a card and another disk below it. */
const SWITCH = 'pcie/0000:30:00.0';
const LINKS = [
  ...FEED_LINKS,
  link('pdu_outlet/pdu-b-rack-14/8', 'psu/node-3/2', 'feeds'),
  link('pdu_outlet/pdu-b-rack-14/8', 'psu/node-3/3', 'feeds'),
  link('psu/node-3/2', 'host/node-3', 'feeds'),
  link('psu/node-3/3', 'host/node-3', 'feeds'),
  link(PORT, NIC, 'contains'),
  link(PORT, OTHER_PORT, 'contains'),
  link(DISK_PORT, SLOT, 'contains'),
  link(SLOT, DISK, 'contains'),
  link(SWITCH, PORT, 'contains'),
  link(SWITCH, 'pcie/0000:31:00.0', 'contains'),
  link('pcie/0000:31:00.0', 'disk/nvme2', 'contains'),
];
const kernel: Given = { trust: 'kernel', source: 'kernel-log' };
const bmc: Given = { trust: 'bmc', source: 'bmc', state: 'onset' };
const facility: Given = { trust: 'facility', source: 'pdu', state: 'onset' };

/** What is raised of it under a maintenance that began ten seconds before. */
function raised(part: string, kind: Kind, at: string, given: Given): string[] {
  const declared = { trust: 'system', source: 'maintenance', state: 'onset' } as const;
  const made = correlator(LINKS);
  const reported = run(made, [event(0, 'host.maintenance', part, declared), event(10, kind, at, given)]);
  const { last } = reported.take(made.advance(T0 + 3_600_000));
  return last.filter(({ severity }) => severity !== 'info').map(({ root }) => root.kind);
}

test('maintenance of a part reaches what is above and below it and belongs to it', () => {
  const belongs: readonly (readonly [string, Kind, string, Given])[] = [
    [NIC, 'nic.port_down', NIC, kernel],
    [NIC, 'pcie.link_down', PORT, kernel],
    [NIC, 'pcie.uncorrected_fatal', PORT, kernel],
    [NIC, 'nic.lost', OTHER_PORT, kernel],
    [PORT, 'nic.lost', NIC, kernel],
    [SWITCH, 'nic.lost', NIC, kernel],
    [DISK, 'storage.io_error', DISK, kernel],
    [DISK, 'pcie.link_down', SLOT, kernel],
    [DISK, 'pcie.link_down', DISK_PORT, kernel],
    [SLOT, 'storage.io_error', DISK, kernel],
    ['pdu/pdu-b-rack-14', 'psu.input_lost', 'psu/node-3/1', bmc],
    ['pdu/pdu-b-rack-14', 'psu.redundancy_lost', 'host/node-3', bmc],
    ['pdu_outlet/pdu-b-rack-14/7', 'psu.input_lost', 'psu/node-3/1', bmc],
    ['psu/node-3/1', 'power.outlet_off', 'pdu_outlet/pdu-b-rack-14/7', facility],
    ['psu/node-3/1', 'psu.redundancy_lost', 'host/node-3', bmc],
  ];
  for (const [part, kind, at, given] of belongs) assert.deepEqual(raised(part, kind, at, given), [], `${part}: ${at}`);
});

test('maintenance of a part explains nothing of its neighbours', () => {
  const apart: readonly (readonly [string, Kind, string, Given])[] = [
    [NIC, 'nic.port_down', OTHER_PORT, kernel],
    [NIC, 'pcie.link_down', SWITCH, kernel],
    [NIC, 'storage.io_error', 'disk/nvme2', kernel],
    [DISK, 'pcie.link_down', 'pcie/0000:31:00.0', kernel],
    [DISK, 'storage.io_error', 'disk/nvme2', kernel],
    [GPUS[0] ?? '', 'gpu.lost', GPUS[1] ?? '', kernel],
    ['psu/node-3/2', 'power.outlet_off', 'pdu_outlet/pdu-b-rack-14/8', facility],
    ['psu/node-3/1', 'psu.input_lost', 'psu/node-3/2', bmc],
    ['pdu_outlet/pdu-b-rack-14/7', 'psu.input_lost', 'psu/node-3/2', bmc],
  ];
  for (const [part, kind, at, given] of apart)
    assert.deepEqual(raised(part, kind, at, given), [kind], `${part}: ${at}`);
});

// Hardware chains: which of several faults that follow each other on one host is reported as the root, in short sequences.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultEvent } from '../../src/model/event.ts';
import type { Link } from '../../src/model/topology.ts';
import { correlator, event, FEED_LINKS, GPUS, link, run } from './fixtures.ts';

const [GPU = ''] = GPUS;
const kernel = { trust: 'kernel', source: 'kernel-log' } as const;
const bmc = { trust: 'bmc', source: 'bmc' } as const;
const facility = { trust: 'facility', source: 'cooling' } as const;
const pdu = { trust: 'facility', source: 'pdu' } as const;
const A = 'pdu_phase/pdu-a-rack-14/1';
const B = 'pdu_phase/pdu-b-rack-14/1';
const FEEDS = [
  link(A, 'psu/node-3/1', 'feeds'),
  link(B, 'psu/node-3/2', 'feeds'),
  link('psu/node-3/1', 'host/node-3', 'feeds'),
  link('psu/node-3/2', 'host/node-3', 'feeds'),
];
const WATER = [link('cdu/cdu-1', 'host/node-3', 'feeds')];

interface Case {
  readonly what: string;
  readonly root: string;
  readonly links?: readonly Link[];
  readonly events: readonly FaultEvent[];
}

const NIC = 'nic/0000:5e:00.0';
const SWITCHES = ['nvswitch/0000:06:00.0', 'nvswitch/0000:07:00.0', 'nvswitch/0000:08:00.0'];

const CASES: readonly Case[] = [
  {
    what: 'a row without a spare, and the process that meets its error',
    root: `gpu.memory.row_remap_failed ${GPU}`,
    events: [event(0, 'gpu.memory.row_remap_failed', GPU, kernel), event(0.06, 'gpu.memory.contained', GPU, kernel)],
  },
  {
    what: 'an error of memory that could not be remapped afterwards stays the root',
    root: `gpu.memory.dbe ${GPU}`,
    events: [event(0, 'gpu.memory.dbe', GPU, kernel), event(0.06, 'gpu.memory.row_remap_failed', GPU, kernel)],
  },
  {
    what: 'a storm of corrected errors is the herald of the double-bit error of the same GPU, which is the root',
    root: `gpu.memory.dbe ${GPU}`,
    events: [
      event(0, 'gpu.memory.sbe_storm', GPU, { trust: 'driver', source: 'gpu', state: 'onset' }),
      event(40, 'gpu.memory.dbe', GPU, kernel),
      event(40.1, 'gpu.memory.row_remap_failed', GPU, kernel),
    ],
  },
  {
    what: 'a storm of corrected errors alone stays the root of the row that waits to be remapped',
    root: `gpu.memory.sbe_storm ${GPU}`,
    events: [
      event(0, 'gpu.memory.sbe_storm', GPU, { trust: 'driver', source: 'gpu', state: 'onset' }),
      event(40, 'gpu.memory.row_remap_pending', GPU, kernel),
    ],
  },
  {
    what: 'corrected errors of the main memory are the herald of the one that is not',
    root: 'memory.ue dimm/node-3/A1',
    events: [
      event(0, 'memory.ce_storm', 'dimm/node-3/A1', kernel),
      event(300, 'memory.ue', 'dimm/node-3/A1', kernel),
      event(301, 'host.panic', 'host/node-3', kernel),
    ],
  },
  {
    what: 'a disk whose requests time out, fail, and whose file system goes read-only is named itself',
    root: 'storage.io_error disk/nvme3',
    events: [
      event(0, 'storage.stall', 'disk/nvme3', kernel),
      event(30, 'storage.io_error', 'disk/nvme3', kernel),
      event(31, 'storage.readonly', 'disk/nvme3', kernel),
      event(90, 'host.hung_task', 'process/77', kernel),
    ],
  },
  {
    what: 'a disk that is given up is missed by the next looks',
    root: 'storage.io_error disk/nvme3',
    events: [
      event(0, 'storage.stall', 'disk/nvme3', kernel),
      event(30, 'storage.io_error', 'disk/nvme3', kernel),
      event(92, 'host.part_missing', 'disk/nvme3', { trust: 'kernel', source: 'inventory', state: 'onset' }),
    ],
  },
  {
    what: 'a slot whose link goes down takes its disk along',
    root: 'pcie.link_down pcie/0000:80:01.0',
    events: [
      event(0, 'pcie.link_down', 'pcie/0000:80:01.0', kernel),
      event(0.2, 'storage.io_error', 'disk/nvme3', kernel),
    ],
  },
  {
    what: 'no context is switched by a controller that halted, also where the time-out is written first',
    root: `gpu.pmu_halt ${GPU}`,
    events: [event(0, 'gpu.pmu_halt', GPU, kernel), event(0.4, 'gpu.ctx_switch_timeout', GPU, kernel)],
  },
  {
    what: 'commands without an answer, and the firmware of the card found dead',
    root: `nic.command_timeout ${NIC}`,
    events: [event(0, 'nic.command_timeout', NIC, kernel), event(9, 'nic.firmware_fault', NIC, kernel)],
  },
  {
    what: 'firmware that stopped answers no command of the other function of the card',
    root: `nic.firmware_fault ${NIC}`,
    events: [event(0, 'nic.firmware_fault', NIC, kernel), event(60, 'nic.command_timeout', 'nic/0000:5e:00.1', kernel)],
  },
  {
    what: 'a card that is off the bus has no firmware to blame',
    root: `nic.lost ${NIC}`,
    events: [event(0, 'nic.lost', NIC, kernel), event(2, 'nic.firmware_fault', NIC, kernel)],
  },
  {
    what: 'storage that stalls holds up the driver’s calls',
    root: 'storage.stall host/node-3',
    events: [
      event(0, 'storage.stall', 'host/node-3', { ...kernel, state: 'onset' }),
      event(125, 'host.hung_task', 'process/4242', kernel),
      event(140, 'gpu.call_stalled', GPU, { state: 'onset' }),
    ],
  },
  {
    what: 'one event of the fabric on every switch',
    root: `nvswitch.fatal ${SWITCHES[0]}`,
    events: SWITCHES.map((text, i) => event(i * 0.01, 'nvswitch.fatal', text, kernel)),
  },
  {
    what: 'one error on every switch that a switch could bear',
    root: `nvswitch.nonfatal ${SWITCHES[0]}`,
    events: SWITCHES.map((text, i) => event(i * 0.01, 'nvswitch.nonfatal', text, kernel)),
  },
  {
    what: 'a queue of a GPU that hangs, and its scheduler that cannot end it, of a GPU that its lines do not name',
    root: `gpu.fault ${GPU}`,
    events: [event(0, 'gpu.fault', GPU, kernel), event(0.1, 'gpu.firmware_error', null, kernel)],
  },
  {
    what: 'a CPU that spins in the driver, reported before the time-out of the call that it waits for',
    root: `gpu.gsp_timeout ${GPU}`,
    events: [
      event(0, 'host.soft_lockup', 'host/node-3', { ...kernel, attributes: { pid: 9911 } }),
      event(60, 'gpu.gsp_timeout', GPU, { ...kernel, attributes: { pid: 9911 } }),
    ],
  },
  {
    what: 'a supply that asserts PROCHOT: both CPUs throttle because of it',
    root: 'psu.failure psu/node-3/1',
    links: FEED_LINKS,
    events: [
      event(0.2, 'cpu.thermal_throttle', 'cpu/node-3/0', kernel),
      event(0.3, 'cpu.thermal_throttle', 'cpu/node-3/1', kernel),
      event(4, 'psu.failure', 'psu/node-3/1', { ...bmc, state: 'onset', wide: [-1, 4] }),
    ],
  },
  {
    what: 'CPUs that throttle with the brake have its cause',
    root: `gpu.power_brake ${GPU}`,
    events: [
      event(0, 'gpu.power_brake', GPU, { state: 'onset' }),
      event(0.3, 'cpu.thermal_throttle', 'cpu/node-3/0', kernel),
    ],
  },
  {
    what: 'two feeds of one host that sag together are one case',
    root: `power.voltage_sag ${A}`,
    links: FEEDS,
    events: [
      event(1, 'power.voltage_sag', A, { ...pdu, state: 'onset', wide: [-1, 1] }),
      event(2, 'power.voltage_sag', B, { ...pdu, state: 'onset', wide: [0, 2] }),
      event(0.9, 'gpu.power_brake', GPU, { state: 'onset' }),
    ],
  },
  {
    what: 'a leak that ends the flow, and the host that shuts down for heat',
    root: 'cooling.leak cdu/cdu-1',
    links: WATER,
    events: [
      event(0, 'cooling.leak', 'cdu/cdu-1', facility),
      event(9, 'cooling.flow_low', 'cdu/cdu-1', facility),
      event(40, 'gpu.thermal_throttle', GPU, { state: 'onset' }),
      event(90, 'host.down', 'host/node-3', bmc),
    ],
  },
  {
    what: 'an escaped memory error that is reported again as uncontained',
    root: `gpu.memory.unrecovered_ecc ${GPU}`,
    events: [event(0, 'gpu.memory.unrecovered_ecc', GPU, kernel), event(1, 'gpu.memory.uncontained', GPU, kernel)],
  },
  {
    what: 'an uncontained error before the double bit error that it is',
    root: `gpu.memory.uncontained ${GPU}`,
    events: [event(0, 'gpu.memory.uncontained', GPU, kernel), event(1, 'gpu.memory.dbe', GPU, kernel)],
  },
  {
    what: 'a GPU that is lost after its system processor stopped',
    root: `gpu.gsp_timeout ${GPU}`,
    events: [event(0, 'gpu.gsp_timeout', GPU, kernel), event(30, 'gpu.lost', GPU, kernel)],
  },
  {
    what: 'a memory error that the kernel reports of a GPU that was lost before',
    root: `gpu.lost ${GPU}`,
    events: [event(0, 'gpu.lost', GPU, kernel), event(3, 'gpu.memory.dbe', GPU, kernel)],
  },
  {
    what: 'a memory error of a GPU that was lost most of a minute before',
    root: `gpu.lost ${GPU}`,
    events: [event(0, 'gpu.lost', GPU, kernel), event(50, 'gpu.memory.uncontained', GPU, kernel)],
  },
  {
    what: 'the system processor of a GPU that was lost before',
    root: `gpu.lost ${GPU}`,
    events: [event(0, 'gpu.lost', GPU, kernel), event(6, 'gpu.gsp_timeout', GPU, kernel)],
  },
  {
    what: 'memory of a GPU too warm before the clocks are slowed',
    root: `gpu.overtemp ${GPU}`,
    events: [
      event(0, 'gpu.overtemp', GPU, { state: 'onset' }),
      event(3, 'gpu.thermal_throttle', GPU, { state: 'onset' }),
    ],
  },
  {
    what: 'a GPU over its limit after the slowdown began',
    root: `gpu.thermal_throttle ${GPU}`,
    events: [
      event(0, 'gpu.thermal_throttle', GPU, { state: 'onset' }),
      event(3, 'gpu.overtemp', GPU, { state: 'onset' }),
    ],
  },
  {
    what: 'the slot of a port that is reported down as a GPU is lost',
    root: 'pcie.link_down pcie/0000:1a:01.0',
    events: [event(0, 'pcie.link_down', 'pcie/0000:1a:01.0', kernel), event(0.1, 'gpu.lost', GPU, kernel)],
  },
  {
    what: 'a port that takes a card, and the card its own port',
    root: 'pcie.uncorrected_fatal pcie/0000:3e:01.0',
    links: [link('pcie/0000:3e:01.0', 'pcie/0000:40:00.0', 'contains')],
    events: [
      event(0, 'pcie.uncorrected_fatal', 'pcie/0000:3e:01.0', kernel),
      event(0.9, 'nic.lost', 'nic/0000:40:00.0', kernel),
      event(1.2, 'nic.port_down', 'nic/0000:40:00.0', { trust: 'kernel', source: 'nic', state: 'onset' }),
    ],
  },
  {
    what: 'a link that recovers again and again, then fails',
    root: 'nvlink.nonfatal nvlink/0000:1b:00.0/4',
    events: [
      event(0, 'nvlink.nonfatal', 'nvlink/0000:1b:00.0/4', kernel),
      event(60, 'nvlink.fatal', 'nvlink/0000:1b:00.0/4', kernel),
    ],
  },
  {
    what: 'a disk whose requests time out, then fail; its file system is read-only',
    root: 'storage.stall host/node-3',
    events: [
      event(0, 'storage.stall', 'host/node-3', kernel),
      event(30, 'storage.io_error', 'host/node-3', kernel),
      event(31, 'storage.readonly', 'host/node-3', kernel),
    ],
  },
  {
    what: 'tasks that wait together for what no line names',
    root: 'host.hung_task process/11',
    events: [event(0, 'host.hung_task', 'process/11', kernel), event(40, 'host.hung_task', 'process/12', kernel)],
  },
  {
    what: 'both ends of a link that recovers',
    root: 'nvlink.nonfatal nvlink/0000:1b:00.0/4',
    events: [
      event(0, 'nvlink.nonfatal', 'nvlink/0000:1b:00.0/4', kernel),
      event(0.2, 'nvlink.nonfatal', 'nvlink/0000:29:00.0/7', kernel),
    ],
  },
  {
    what: 'a GPU that tells of its link a moment before the switch does',
    root: 'nvswitch.fatal nvswitch/0000:86:00.0',
    events: [
      event(0, 'nvlink.fatal', 'nvlink/0000:1b:00.0/4', kernel),
      event(0.01, 'nvswitch.fatal', 'nvswitch/0000:86:00.0', kernel),
    ],
  },
  {
    what: 'one PCIe error that device and port tell',
    root: 'pcie.uncorrected_fatal pcie/0000:1a:01.0',
    links: [link('pcie/0000:1a:01.0', 'pcie/0000:1b:00.0', 'contains')],
    events: [
      event(0, 'pcie.uncorrected_fatal', 'pcie/0000:1a:01.0', kernel),
      event(0.01, 'pcie.uncorrected', 'pcie/0000:1b:00.0', kernel),
      event(0.4, 'gpu.lost', GPU, kernel),
    ],
  },
  {
    what: 'a breaker that trips while no supply is read: the brake is its doing',
    root: 'power.breaker_trip pdu_outlet/pdu-b-rack-14/7',
    links: FEED_LINKS,
    events: [
      event(2, 'power.breaker_trip', 'pdu_outlet/pdu-b-rack-14/7', { ...pdu, state: 'onset', wide: [0, 2] }),
      event(1, 'gpu.power_brake', GPU, { state: 'onset' }),
    ],
  },
  {
    what: 'a swell at which a supply shuts off',
    root: `power.voltage_swell ${A}`,
    links: FEEDS,
    events: [
      event(1, 'power.voltage_swell', A, { ...pdu, state: 'onset', wide: [-1, 1] }),
      event(5, 'psu.failure', 'psu/node-3/1', { ...bmc, state: 'onset', wide: [-5, 5] }),
    ],
  },
  {
    what: 'the verdict of the BMC on a host whose GPU is lost',
    root: `gpu.lost ${GPU}`,
    events: [event(0, 'gpu.lost', GPU, kernel), event(30, 'host.degraded', 'host/node-3', { ...bmc, state: 'onset' })],
  },
  {
    what: 'a host that locks up and panics of it',
    root: 'host.soft_lockup host/node-3',
    events: [event(0, 'host.soft_lockup', 'host/node-3', kernel), event(20, 'host.panic', 'host/node-3', kernel)],
  },
];

for (const { what, root, links = [], events } of CASES) {
  test(`one incident: ${what}`, () => {
    const reported = run(correlator(links), events).only();
    assert.equal(`${reported.root.kind} ${reported.root.component?.type}/${reported.root.component?.id}`, root);
    assert.ok(reported.chain.length >= events.length, 'everything is in the chain');
  });
}

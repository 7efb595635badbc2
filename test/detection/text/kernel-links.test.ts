// Links of ports that are not a collective's card: bonds, and drivers that say "down" of every port that they start.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeLines } from './lines.ts';

function reported(...lines: string[]): string[] {
  return decodeLines(lines).map(({ kind, component, state }) => `${kind} ${component?.id} ${state}`);
}

/** drivers/net/bonding/bond_main.c, of kernels before and since the member is named first. */
const BONDS: readonly (readonly [line: string, reported: readonly string[]])[] = [
  ['bond0: link status definitely down for interface ens1f0, disabling it', ['nic.port_down ens1f0 onset']],
  ['bond0: (slave ens1f0): link status definitely down, disabling slave', ['nic.port_down ens1f0 onset']],
  [
    'bond0: (slave ens1f0): link status down for active interface, disabling it in 200 ms',
    ['nic.port_down ens1f0 onset'],
  ],
  ['storage: link status down for interface ens1f0, disabling it in 200 ms', ['nic.port_down ens1f0 onset']],
  ['bonding: bond1: link status definitely down for interface ens2f1, disabling it', ['nic.port_down ens2f1 onset']],
  ['bonding: bond1: now running without any active interface !', ['nic.port_down bond1 onset']],
  ['bonding: bond1: first active interface up!', ['nic.port_down bond1 clear']],
  ['bonding: bond1: enslaving ens2f1 as a backup interface with a down link.', []],
  ['bond0: link status definitely up for interface ens1f0, 25000 Mbps full duplex', ['nic.port_down ens1f0 clear']],
  ['bond0: now running without any active interface!', ['nic.port_down bond0 onset']],
  ['bond0: active interface up!', ['nic.port_down bond0 clear']],
  ['bond0: making interface ens1f1 the new active one', []],
  ['bond0: (slave ens1f0): Enslaving as a backup interface with an up link', []],
  ['bond0: Setting MII monitoring interval to 100', []],
];
for (const [line, expected] of BONDS)
  test(`${line}: ${expected[0] ?? 'nothing'}`, () => assert.deepEqual(reported(line), expected));

/** Down, and up, in the words of a driver; the interface. */
const DRIVERS: readonly (readonly [down: string, up: string, id: string])[] = [
  [
    'e1000e 0000:00:1f.6 eno1: NIC Link is Down',
    'e1000e 0000:00:1f.6 eno1: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: Rx/Tx',
    '0000:00:1f.6',
  ],
  [
    'igb 0000:04:00.0 enp4s0: igb: enp4s0 NIC Link is Down',
    'igb 0000:04:00.0 enp4s0: igb: enp4s0 NIC Link is Up 1000 Mbps Full Duplex',
    '0000:04:00.0',
  ],
  [
    'ixgbe 0000:03:00.0 eno49: NIC Link is Down',
    'ixgbe 0000:03:00.0 eno49: NIC Link is Up 10 Gbps, Flow Control: None',
    '0000:03:00.0',
  ],
  [
    'tg3 0000:03:00.0 eno1: Link is down',
    'tg3 0000:03:00.0 eno1: Link is up at 1000 Mbps, full duplex',
    '0000:03:00.0',
  ],
  [
    'r8169 0000:05:00.0 eth0: Link is Down',
    'r8169 0000:05:00.0 eth0: Link is Up - 1Gbps/Full - flow control off',
    '0000:05:00.0',
  ],
  ['mt7530-mdio mdio-bus:1f lan: Link is Down', 'mt7530-mdio mdio-bus:1f lan: Link is Up - 1Gbps/Full', 'lan'],
  ['e1000: eth0 NIC Link is Down', 'e1000: eth0 NIC Link is Up 1000 Mbps Full Duplex, Flow Control: RX', 'eth0'],
  ['mlx4_en: ens2: Link Down', 'mlx4_en: ens2: Link Up', 'ens2'],
];
for (const [down, up, id] of DRIVERS)
  test(`${down}: a fault of a port that was there before, not of one that starts`, () => {
    // igb and ixgbe say it of a link that was up alone.
    const early = /^(?:igb|ixgbe) /.test(down);
    assert.deepEqual(reported(down), early ? [`nic.port_down ${id} onset`] : []);
    assert.deepEqual(reported(up), []);
    if (early) assert.deepEqual(reported(down, up), []);
    assert.deepEqual(reported(up, down), [`nic.port_down ${id} onset`]);
    if (!early) assert.deepEqual(reported(down, up, down), [`nic.port_down ${id} clear`, `nic.port_down ${id} onset`]);
  });

test('what other lines say of links is none of a port', () => {
  const lines = [
    'ata1: SATA link down (SStatus 0 SControl 300)',
    'IPv6: ADDRCONF(NETDEV_UP): eth0: link is not ready',
    'pcieport 0000:42:01.0: pciehp: Slot(17): Link Up',
  ];
  assert.deepEqual(
    reported(...lines, ...lines).filter((line) => line.startsWith('nic.')),
    [],
  );
});

// Pause storm: the switch's watchdog and the counters of a card name who sends the pauses; pauses of an ordinary day are nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SWITCH_STORMS, switchFinding } from '../../../src/detection/text/programs/switch-line.ts';
import { scannedLogs } from './scanned.ts';

for (const { example, state } of SWITCH_STORMS)
  test(`${example}: of a port of the switch`, () => {
    const found = switchFinding(example, 'leaf-9');
    assert.equal(found?.kind, 'nic.link_degraded');
    assert.equal(found?.state, state ?? 'onset');
    assert.equal(found?.component?.id, 'Ethernet12');
  });

const AT = 'port Ethernet12, queue index 3, queue id 0x150000000004d2 and port id 0x100000000001a.';

test('storms that the watchdog of a switch finds are one incident of its port: the host behind it, and no cable', async (t) => {
  const text = await scannedLogs(t, {
    'leaf-9.log': [
      `Nov 28 05:02:11.102212 leaf-9 NOTICE swss#orchagent: :- startWdActionOnQueue: PFC Watchdog detected PFC storm on ${AT}`,
      `Nov 28 05:03:13.202212 leaf-9 NOTICE swss#orchagent: :- report_pfc_restored: PFC Watchdog storm restored on ${AT}`,
      `Nov 28 05:09:11.102212 leaf-9 NOTICE swss#orchagent: :- startWdActionOnQueue: PFC Watchdog detected PFC storm on ${AT}`,
    ],
  });
  assert.match(text, /Root cause +PFC storm: the host at leaf-9 port Ethernet12 pauses it until it drops, 2 times/);
  assert.match(text, /Call +who runs the network \(switch leaf-9\)/);
  assert.doesNotMatch(text, /reseat|optics/);
});

const counters = (warnings: number): string[] => [
  '$ ethtool -S ens3np0',
  'NIC statistics:',
  '     rx_packets: 88123911',
  '     tx_prio3_pause: 98213',
  `     tx_pause_storm_warning_events: ${warnings}`,
  '     tx_pause_storm_error_events: 0',
];

test('a card that counts long pauses of its sending is the one; without such events it is quiet', async (t) => {
  const text = await scannedLogs(t, { 'hp-1/ethtool.txt': counters(64) });
  assert.match(text, /PFC storm: .* pauses its switch/);
  assert.match(await scannedLogs(t, { 'hp-1/ethtool.txt': counters(0) }), /No incident/);
});

// Lines of network switches: which port of which switch goes down or comes up, and what was done on purpose.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programFindings } from '../../../src/detection/text/programs/program-rows.ts';
import { SWITCH_PARTS, SWITCH_ROWS } from '../../../src/detection/text/programs/switch-line.ts';
import { KERNEL_WORDS } from '../../../src/detection/text/words/kernel-words.ts';
import { scannedLogs } from '../../commands/scan/scanned.ts';

const PORTS = /Ethernet|Hu1|HundredGigE|et-0|ethernet1/;

for (const { example, state, source } of SWITCH_ROWS)
  test(`${example}: of a port of the switch`, () => {
    assert.ok(source.length > 8);
    for (const relay of ['switch: ', 'Ebra: ', 'mib2d[4711]: ']) {
      const [found] = programFindings(`${relay}${example}`, 'leaf-3') ?? [];
      // A port that its switch gave up, for it went down again and again, is more than down.
      assert.equal(found?.kind, /flap/i.test(example) ? 'nic.link_flap' : 'nic.port_down', example);
      assert.equal(found?.attributes?.side, 'switch');
      assert.equal(found?.state, state ?? 'onset');
      assert.equal(found?.component?.host, 'leaf-3');
      assert.match(found?.component?.id ?? '', PORTS);
    }
    assert.ok(KERNEL_WORDS.words.some((word) => example.includes(word)));
  });

for (const { example, kind, source } of SWITCH_PARTS)
  test(`${example}: of a part of the switch`, () => {
    assert.ok(source.length > 8);
    const [found] = programFindings(`switch: ${example}`, 'leaf-3') ?? [];
    assert.equal(found?.kind, kind);
    assert.equal(found?.attributes?.side, 'switch');
    assert.ok(KERNEL_WORDS.words.some((word) => example.includes(word)));
  });

const PARTS: readonly (readonly [line: string, found: string | null])[] = [
  ['Power absence warning: PSU 3 is out of power.', 'psu.input_lost onset psu/leaf-3/3'],
  ['Power absence warning cleared: PSU 3 power is back to normal.', 'psu.input_lost clear psu/leaf-3/3'],
  ['Alarm set: PS color=RED, class=CHASSIS, reason=PEM 1 Not OK', 'psu.failure onset psu/leaf-3/1'],
  ['Alarm cleared: PS color=RED, class=CHASSIS, reason=PEM 1 Not OK', 'psu.failure clear psu/leaf-3/1'],
  ['%%10DEV/3/FAN_ABSENT: Fan 2 is absent.', 'host.fan_failure onset host/leaf-3'],
  ['High temperature warning: ASIC current temperature 106C, high threshold 105C', 'host.overtemp onset host/leaf-3'],
  ['%FRU-6-POWERSUPPLY_REMOVED: Power supply 2 has been removed', null],
  ['%PLATFORM-5-MOD_STATUS: Fan module 2 current-status is MOD_STATUS_POWERUP', null],
];
for (const [line, expected] of PARTS)
  test(`${line}: ${expected ?? 'nothing'}`, () => {
    const [found] = programFindings(`switch: ${line}`, 'leaf-3') ?? [];
    const said =
      found === undefined ? null : `${found.kind} ${found.state} ${found.component?.type}/${found.component?.id}`;
    assert.equal(said, expected);
  });

test('what an operator shut down, and what follows from another line, is not reported', () => {
  for (const line of [
    '%ETHPORT-5-IF_DOWN_ADMIN_DOWN: Interface Ethernet1/4 is down (Administratively down)',
    '%ETHPORT-5-IF_DOWN_PORT_CHANNEL_MEMBERS_DOWN: Interface port-channel7 is down (No operational members)',
    '%ETHPORT-5-IF_DOWN_INITIALIZING: Interface Ethernet1/4 is down (Initializing)',
    '%LINEPROTO-5-UPDOWN: Line protocol on Interface Vlan12, changed state to down',
    '%LINK-5-CHANGED: Interface HundredGigE1/0/4, changed state to administratively down',
    'SNMP_TRAP_LINK_DOWN: ifIndex 9, ifAdminStatus down(2), ifOperStatus down(2), ifName et-0/0/9',
    '%SYS-5-CONFIG_I: Configured from console by ops on vty0',
  ])
    assert.equal(programFindings(`switch: ${line}`, 'leaf-3'), null, line);
});

const READ: readonly (readonly [form: string, log: string, lines: readonly string[], port: string])[] = [
  ['the file of NX-OS', 'a.log', ['2026 Nov 29 08:14:40 leaf-3 %ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/9 is down (Link failure)'], 'leaf-3 port Ethernet1/9'],
  ['a relay before NX-OS', 'b.log', ['Nov 29 08:14:41 leaf-3 : 2026 Nov 29 08:14:40 UTC: %ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/9 is down (Link failure)'], 'leaf-3 port Ethernet1/9'],
  ['the console of IOS', 'leaf-7.log', ['*Nov 29 08:14:40.117: %LINK-3-UPDOWN: Interface HundredGigE1/0/9, changed state to down'], 'port HundredGigE1/0/9 (host not named, log leaf-7.log)'],
  ['a relay before EOS', 'c.log', ['Nov 29 08:14:40 leaf-4 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet9/1 (hx-3 eth2), changed state to down'], 'leaf-4 port Ethernet9/1'],
  ['Junos', 'd.log', ['Nov 29 08:14:40 leaf-5 mib2d[901]: SNMP_TRAP_LINK_DOWN: ifIndex 530, ifAdminStatus up(1), ifOperStatus down(2), ifName et-0/0/9'], 'leaf-5 port et-0/0/9'],
  ['opensm', 'e.log', ['Nov 29 08:14:40 112233 [7F12A4D1] 0x02 -> osm_spst_rcv_process: Switch 0xb8599f03004411aa MF0;sw-2:MQM9700/U1 port 9(hx-3 mlx5_4) changed state from ACTIVE to DOWN'], 'hx-3 nic mlx5_4'],
]; // biome-ignore format: one log a line

for (const [form, log, lines, port] of READ)
  test(`${form}: the port is named, and the second of the line`, async (t) => {
    const text = await scannedLogs(t, { [log]: lines });
    assert.ok(text.includes(`NIC port down on ${port}\n`) || text.includes(`NIC port down on ${port}: `), text);
    assert.match(text, /08:14:40(?:\.1)? /);
  });

test('a port that flaps until its switch disables it is one incident from its first line to its last', async (t) => {
  const text = await scannedLogs(t, {
    'leaf-9.log': [
      '2026 Nov 29 03:30:11.118 leaf-9 %ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/5 is down (Link failure)',
      '2026 Nov 29 03:30:14.220 leaf-9 %ETHPORT-5-IF_UP: Interface Ethernet1/5 is up in mode access',
      '2026 Nov 29 03:30:21.400 leaf-9 %ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/5 is down (Link failure)',
      '2026 Nov 29 03:30:23.511 leaf-9 %ETHPORT-5-IF_UP: Interface Ethernet1/5 is up in mode access',
      '2026 Nov 29 03:30:31.010 leaf-9 %ETHPORT-3-IF_ERRDIS_LINK_FLAP: Interface Ethernet1/5 is down (Error disabled. Reason: Link flap)',
    ],
  });
  assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
  assert.match(text, /NIC port down, [23] times/);
  assert.match(text, /1 incident out of [345] events/);
});

test('a port that its switch disabled is the gravest of its lines, and has to be enabled again', async (t) => {
  const text = await scannedLogs(t, {
    'leaf-8.log': [
      'Nov 29 03:30:11 leaf-8 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet7/1, changed state to down',
      'Nov 29 03:30:12 leaf-8 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet7/1, changed state to up',
      'Nov 29 03:30:40 leaf-8 EthPortSec: %ETH-4-ERRDISABLE: link-flap error detected on Ethernet7/1.',
    ],
  });
  assert.match(text, /^INCIDENT \w+ +error /m);
  assert.match(text, /Do +see to the cable of leaf-8 port Ethernet7\/1, which its switch disabled \(link-flap\)/);
  assert.match(text, /Call +who runs the network \(switch leaf-8\)/);
});

// One switch: ports of several hosts that go down in the same seconds are one incident, and so are the two ends of one cable.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Logs, scannedLogs } from './scanned.ts';

const down = (host: string, second: number): string =>
  `Nov 28 07:10:0${second} ${host} kernel: bnxt_en 0000:41:00.0 enp65s0f0np0: NIC Link is Down`;
const THREE: Logs = {
  'cx-1/messages': [down('cx-1', 1)],
  'cx-2/messages': [down('cx-2', 1)],
  'cx-3/messages': [down('cx-3', 3)],
};

function incidents(text: string): number {
  return text.match(/^INCIDENT/gm)?.length ?? 0;
}

test('ports of three hosts in the same seconds: the switch behind them, and no cable', async (t) => {
  const text = await scannedLogs(t, THREE);
  assert.equal(incidents(text), 1, text);
  assert.match(text, /Root cause +cx-1, cx-2 and cx-3 lost their ports at once/);
  assert.match(text, /Do +see the switch behind cx-1, cx-2 and cx-3/);
  assert.match(text, /Call +who runs the network/);
  assert.doesNotMatch(text, /reseat cable/);
});

test('with the log of the switch it is the root, with what it says of its power and heat', async (t) => {
  const text = await scannedLogs(t, {
    ...THREE,
    'sw-9/log': [
      'Nov 28 07:10:00 sw-9 WARNING pmon#thermalctld: High temperature warning: ASIC current temperature 110C, high threshold 105C',
      'Nov 28 07:10:01 sw-9 NOTICE swss#orchagent: :- updatePortOperStatus: Port Ethernet4 oper state set from up to down',
      'Nov 28 07:10:01 sw-9 NOTICE swss#orchagent: :- updatePortOperStatus: Port Ethernet12 oper state set from up to down',
    ],
  });
  assert.equal(incidents(text), 1, text);
  assert.match(text, /Root cause +sw-9 lost 2 ports at once, with links of cx-1, cx-2 and cx-3; its log: too hot/);
  assert.match(text, /Do +see the heat of switch sw-9/);
  assert.match(text, /Call +who runs the network \(switch sw-9\)/);
});

test('one port of a switch and one of a host in the same seconds are the ends of one cable', async (t) => {
  const text = await scannedLogs(t, {
    'cx-4/messages': [down('cx-4', 1)],
    'sw-7/log': [
      'Nov 28 07:10:02 sw-7 4711: Nov 28 07:10:01.880 UTC: %LINK-3-UPDOWN: Interface HundredGigE1/0/17, changed state to down',
    ],
  });
  assert.equal(incidents(text), 1, text);
  assert.match(text, /NIC port down on cx-4 enp65s0f0np0, and at once sw-7 port HundredGigE1\/0\/17/);
});

test('ports a minute apart, and states without a time, are incidents of their own', async (t) => {
  const apart = await scannedLogs(t, {
    'cx-1/messages': [down('cx-1', 1)],
    'cx-2/messages': [down('cx-2', 1).replace('07:10', '07:12')],
  });
  assert.equal(incidents(apart), 2, apart);
  const states = await scannedLogs(t, {
    'cx-1/ethtool.txt': ['$ ethtool ens1', 'Settings for ens1:', '\tSpeed: Unknown!', '\tLink detected: no'],
    'cx-2/ethtool.txt': ['$ ethtool ens1', 'Settings for ens1:', '\tSpeed: Unknown!', '\tLink detected: no'],
  });
  assert.doesNotMatch(states, /at once/);
});

test("a job's own words join nothing", async (t) => {
  const text = await scannedLogs(t, {
    'cx-1/messages': [down('cx-1', 1)],
    'cx-2/train.log': ['2026-11-28 07:10:01 [rank0]: cx-2 NCCL WARN NET/IB : mlx5_0:1 Got async event : port error'],
  });
  assert.doesNotMatch(text, /lost their ports/);
});

const SM = '[7F12A4D1] 0x02 ->';
const GONE = 'changed state from ACTIVE to DOWN';
const SWITCH = 'osm_spst_rcv_process: Switch 0xb8599f03004411aa MF0;sw-2:MQM9700/U1 port';

test('the log of a subnet manager: cards that are called alike on three hosts are three, and their switch is named', async (t) => {
  const text = await scannedLogs(t, {
    'opensm.log': [
      `Nov 28 08:14:40 112233 ${SM} ${SWITCH} 9(hx-3 mlx5_4) ${GONE}`,
      `Nov 28 08:14:40 112234 ${SM} ${SWITCH} 10(hx-4 mlx5_4) ${GONE}`,
      `Nov 28 08:14:40 112235 ${SM} ${SWITCH} 11(hx-5 mlx5_4) ${GONE}`,
    ],
  });
  assert.equal(incidents(text), 1, text);
  assert.match(text, /Do +see what is wrong with switch sw-2: the ports of hx-3, hx-4 and hx-5/);
});

test('a port that leaves the fabric after a trap of its switch', async (t) => {
  const text = await scannedLogs(t, {
    'opensm.log': [
      `Nov 28 06:00:01 118204 ${SM} log_trap_info: Received Generic Notice type:1 num:131 (Flow Control Update watchdog timer expired) Producer:2 (Switch) from LID:77 TID:0x0000000000000009`,
      `Nov 28 06:00:03 310004 ${SM} drop_mgr_remove_port: Removed port with GUID:0x7cfe900300a1b2c3 LID range [12, 12] of node:hx-9 mlx5_1`,
    ],
  });
  assert.equal(incidents(text), 1, text);
  assert.match(text, /NIC port down on hx-9 nic mlx5_1, with trap 131 of LID 77/);
  assert.match(text, /Do +see whether hx-9 is up/);
});

const ERRORS = '[SymbolErrorCounter == 120] [LinkDownedCounter == 31]';

test('counters of a card and a switch port that agree are one cable, which is emptied before it is touched', async (t) => {
  const text = await scannedLogs(t, {
    'ibqueryerrors.txt': [
      'Errors for "hx-4 mlx5_1"',
      `   GUID 0x7cfe900300a1b2c0 port 1: ${ERRORS}`,
      'Errors for 0x7cfe900300d4e5f0 "MF0;sw-5:MQM9790/U1"',
      `   GUID 0x7cfe900300d4e5f0 port 12: ${ERRORS}`,
    ],
  });
  assert.equal(incidents(text), 1, text);
  assert.match(text, /hx-4 nic mlx5_1: .+, and sw-5 port 12: perhaps one cable/);
  assert.match(text, /Now +clear and look again: sudo ibqueryerrors -k/);
  assert.ok(text.indexOf('nodename=hx-4') < text.indexOf('reseat cable'), text);
});

test('a port of a switch in the log of its subnet manager and in counters is one incident, without the sum of all ports', async (t) => {
  const port = `${SM} osm_spst_rcv_process: Switch 0xb8599f03004411aa MF0;sw-3:MQM9700/U1 port 7 changed state from`;
  const text = await scannedLogs(t, {
    'opensm.log': [
      `Nov 28 08:14:40 112233 ${port} ACTIVE to DOWN`,
      `Nov 28 08:14:55 112233 ${port} DOWN to INIT`,
      `Nov 28 08:44:40 112233 ${port} ACTIVE to DOWN`,
    ],
    'ibqueryerrors.txt': [
      'Errors for 0xb8599f03004411aa "MF0;sw-3:MQM9700/U1"',
      '   GUID 0xb8599f03004411aa port ALL: [SymbolErrorCounter == 811] [LinkDownedCounter == 7]',
      '   GUID 0xb8599f03004411aa port 7: [SymbolErrorCounter == 811] [LinkDownedCounter == 7]',
    ],
  });
  assert.equal(incidents(text), 1, text);
  assert.match(text, /NIC port down on sw-3 port 7, 2 times; its counters show errors/);
  assert.match(text, /Call +who runs the network \(switch sw-3\)/);
  assert.doesNotMatch(text, /port ALL:? *$/m);
});

const DOWN = '%ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/7 is down (Link failure)';
const UP = '%ETHPORT-5-IF_UP: Interface Ethernet1/7 is up in mode trunk';

test('a port of a switch that went down once and is up again is over: its other end may only have been restarted', async (t) => {
  const text = await scannedLogs(t, {
    'leaf-3.log': [`Nov 20 02:10:10 leaf-3 ${DOWN}`, `Nov 20 02:14:31 leaf-3 ${UP}`],
  });
  assert.match(
    text,
    /Do +nothing now, it is over since 02:14:31 UTC; where it goes down again: see what is at the other end/,
  );
  assert.doesNotMatch(text, /^(?:Now|Call|Then) /m);
});

test('one that went down more than once, and is up again, is not over', async (t) => {
  const text = await scannedLogs(t, {
    'leaf-3.log': [
      `Nov 20 02:10:10 leaf-3 ${DOWN}`,
      `Nov 20 02:10:31 leaf-3 ${UP}`,
      `Nov 20 02:12:10 leaf-3 ${DOWN}`,
      `Nov 20 02:12:31 leaf-3 ${UP}`,
    ],
  });
  assert.doesNotMatch(text, /nothing now/);
});

const UPLINK =
  'osm_spst_rcv_process: Switch 0xb8599f03004411aa MF0;spine-4:MQM9700/U1 port 21 changed state from ACTIVE to DOWN';
const REMOVED =
  'drop_mgr_remove_port: Removed port with GUID:0xb8599f0300ffee01 LID range [88, 88] of node:MF0;leaf-6:MQM9700/U1';

test('one port of a spine saw a leaf go: the leaf that the subnet manager removed is the root, never the spine', async (t) => {
  const text = await scannedLogs(t, {
    ...THREE,
    'opensm.log': [`Nov 28 07:10:02 112233 ${SM} ${UPLINK}`, `Nov 28 07:10:05 101011 ${SM} ${REMOVED}`],
  });
  assert.equal(incidents(text), 1, text);
  assert.match(text, /Root cause +switch leaf-6 is gone, says opensm, with links of cx-1, cx-2 and cx-3/);
  assert.match(text, /Do +see whether switch leaf-6 has power/);
  assert.match(text, /Call +who runs the network \(switch leaf-6\)/);
  const alone = await scannedLogs(t, { ...THREE, 'opensm.log': [`Nov 28 07:10:02 112233 ${SM} ${UPLINK}`] });
  assert.equal(incidents(alone), 1, alone);
  assert.match(alone, /Root cause +cx-1, cx-2 and cx-3 lost their ports at once/);
  assert.doesNotMatch(alone, /Root cause +spine-4|wrong with switch spine-4/);
  assert.match(alone, /at the other end of spine-4 port 21/);
});

test('a switch whose two supplies lost their input in the seconds before is the root of the ports that went', async (t) => {
  const lost = (second: number, psu: number): string =>
    `Nov 28 07:0${second === 9 ? 6 : 9}:5${second} leaf-6 %ENVMON-4-POWERSUPPLY_INPUT_FAIL: Power supply ${psu} input voltage lost`;
  const text = await scannedLogs(t, {
    ...THREE,
    'leaf-6/log': [lost(9, 1), lost(8, 2)],
    'opensm.log': [`Nov 28 07:10:02 112233 ${SM} ${UPLINK}`],
  });
  assert.equal(incidents(text), 1, text);
  assert.match(text, /Root cause +switch leaf-6 lost its power, with links of cx-1, cx-2 and cx-3/);
  const one = await scannedLogs(t, { ...THREE, 'leaf-6/log': [lost(8, 2)] });
  assert.equal(incidents(one), 2, one);
});

test('ports of hosts that go down as someone restarts their switch are of that restart, and what stays down behind it is named', async (t) => {
  const lost = (host: string): string => `Nov 29 03:01:15 ${host} kernel: mlx5_core 0000:41:00.0 ens3f0np0: Link down`;
  const up = (host: string): string => `Nov 29 03:09:41 ${host} kernel: mlx5_core 0000:41:00.0 ens3f0np0: Link up`;
  for (const reset of [
    '%PLATFORM-2-PFM_SYSTEM_RESET: Manual system restart from Command Line Interface',
    '%SYS-5-RELOAD: Reload requested by netops on vty0. Reload Reason: upgrade.',
  ]) {
    const logs = (at: string) => ({
      'a.log': [lost('gx-31'), up('gx-31')],
      'b.log': [lost('gx-32')],
      'tor.log': [
        `2026 Nov 29 ${at} tor-7 ${reset}`,
        '2026 Nov 29 03:09:44 tor-7 %ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/3 is down (Link failure)',
      ],
    });
    const text = await scannedLogs(t, logs('03:01:10'));
    assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
    assert.match(text, /Root cause +gx-31 and gx-32 lost their ports at once: switch tor-7 was restarted/);
    assert.match(text, /Do +ask who restarted switch tor-7/);
    assert.match(text, /Now +tor-7 port Ethernet1\/3 stayed down/);
    const hoursBefore = await scannedLogs(t, logs('00:40:10'));
    assert.doesNotMatch(hoursBefore, /switch tor-7 was restarted/);
  }
});

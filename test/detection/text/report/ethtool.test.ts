// ethtool: counters since the driver was loaded, a module's own alarms, and whose they are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReport } from './read-report.ts';

const COUNTERS = `NIC statistics:
     rx_packets: 2939349
     rx_crc_errors_phy: 22000
     [0]: rx_ucast_packets: 2
     tx_pause_storm_warning_events : 0
     tx_pause_storm_error_events: 0
     link_down_events_phy: 2
     rx_symbol_err_phy: 4
     module_high_temp: 1`;

test('counters that no good link has, with the card that ethtool -i names', () => {
  const { faults, findings } = readReport(`driver: mlx5_core
bus-info: 0000:5d:00.0
${COUNTERS}
Some other text`);
  assert.deepEqual(faults, [
    ['nic.link_degraded', 'nic/0000:5d:00.0'],
    ['nic.module_overtemp', 'nic/0000:5d:00.0'],
  ]);
  assert.deepEqual(findings[0]?.attributes, { counter: 'rx_crc_errors_phy', count: 22_000 });
});

test('without ethtool -i the card stays unnamed; the interface is that of the file', () => {
  const { faults, findings } = readReport(COUNTERS, '/tmp/sos/sos_commands/networking/ethtool_-S_ens1f0np0');
  assert.deepEqual(faults.map(([, component]) => component), [null, null]); // biome-ignore format: one line
  assert.equal(findings[0]?.attributes.interface, 'ens1f0np0');
});

test('counters of other drivers, a few down events are none', () => {
  const kinds = (text: string) => readReport(`NIC statistics:\n${text}`).faults.map(([kind]) => kind);
  assert.deepEqual(kinds('     rx_fcs_err_frames: 51000\n     link_down_events: 12'), ['nic.link_degraded', 'nic.link_flap']); // biome-ignore format: one line
  assert.deepEqual(kinds('     rx_crc_errors.nic: 4000'), ['nic.link_degraded']);
  assert.deepEqual(kinds('     rx_crc_errors.nic: 4\n     link_down_events: 3'), []);
});

test('a module that is too warm, or gets too little light', () => {
  const { faults, readings } = readReport(`Settings for eth2:
driver: mlx5_core
bus-info: 0000:5d:00.1
	Identifier                                : 0x11 (QSFP28)
	Module temperature                        : 83.20 degrees C / 181.76 degrees F
	Module temperature high alarm             : On
	Module temperature low alarm              : Off
	Laser rx power low alarm                  : On`);
  assert.deepEqual(faults, [
    ['nic.module_overtemp', 'nic/0000:5d:00.1'],
    ['nic.link_degraded', 'nic/0000:5d:00.1'],
  ]);
  assert.deepEqual(readings.map(({ quantity, value }) => [quantity, value]), [['module_temperature', 83.2]]); // biome-ignore format: one line
});

test('a port of InfiniBand without link is down; one of Ethernet may be meant to be empty', () => {
  const shown = (name: string, link: string) => readReport(`Settings for ${name}:\n\tSpeed: Unknown!\n\tLink detected: ${link}`).faults; // biome-ignore format: one line
  assert.deepEqual(shown('ib0', 'no').map(([kind]) => kind), ['nic.port_down']); // biome-ignore format: one line
  assert.deepEqual([...shown('ib0', 'yes'), ...shown('eno2', 'no')], []);
});

test('sensors: a temperature at its own critical limit', () => {
  const shown = (line: string) => readReport(`coretemp-isa-0000\nAdapter: ISA adapter\n${line}`).faults;
  assert.deepEqual(shown('Package id 0:  +101.0°C  (high = +84.0°C, crit = +100.0°C)  ALARM (CRIT)'), [['host.overtemp', 'host/node-1']]); // biome-ignore format: one line
  assert.deepEqual(shown('Package id 0:  +91.0°C  (high = +84.0°C, crit = +100.0°C)  ALARM'), []);
  assert.deepEqual(shown('temp1:        +45.0°C  (crit =  +0.0°C)'), []);
});

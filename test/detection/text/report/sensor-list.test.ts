// ipmitool's lists of sensors: the three forms, values in SI, what is beyond its limits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReport } from './read-report.ts';

test('sdr: values, and what is beyond a limit', () => {
  const { faults, readings, forms } = readReport(`CPU1 Temp        | 42 degrees C      | ok
CPU2 Temp        | 102 degrees C     | cr
FAN4             | 600 RPM           | cr
P12V             | 12.10 Volts       | ok
PS1 Input Power  | 840 Watts         | ok
Inlet Temp       | 48 degrees C      | nc
PS2 VIN          | 0 Volts           | cr
DIMM A1          | no reading        | ns
PS1 Status       | 0x01              | ok`);
  assert.deepEqual(forms, ['ipmi_sdr']);
  assert.deepEqual(faults, [
    ['host.overtemp', 'host/node-1'],
    ['host.fan_failure', 'fan/node-1/4'],
    ['cooling.inlet_overtemp', 'host/node-1'],
    ['psu.input_lost', 'psu/node-1/2'],
  ]);
  assert.deepEqual(
    readings.slice(1, 5).map(({ quantity, value, unit }) => [quantity, value, unit]),
    [['temperature', 102, '°C'], ['fan_speed', 10, 'Hz'], ['voltage', 12.1, 'V'], ['power', 840, 'W']], // biome-ignore format: one line
  );
});

test('sdr elist: which side, and the states of discrete sensors in the words of the event log', () => {
  const { findings } = readReport(`CPU1 Temp        | 30h | ok  |  3.1 | 42 degrees C
Inlet Temp       | 31h | lnc |  7.1 | 4 degrees C
FAN4             | 44h | lnr | 29.4 | 0 RPM
GPU1 Temp        | 50h | ucr | 11.1 | 94 degrees C
PS1 Status       | C8h | ok  | 10.1 | Presence detected
PS2 Status       | C9h | ok  | 10.2 | Presence detected, Failure detected, Power Supply AC lost
PS Redundancy    | D0h | ok  |  7.1 | Redundancy Lost
CPU1 Status      | E0h | ok  |  3.1 | Presence detected, Throttled
FAN5             | 45h | ns  | 29.5 | No Reading`);
  assert.deepEqual(
    findings.map(({ kind, attributes }) => [kind, attributes.sensor]),
    [['host.fan_failure', 'FAN4'], ['host.overtemp', 'GPU1 Temp'], ['psu.failure', 'PS2 Status'], ['psu.input_lost', 'PS2 Status'], ['psu.redundancy_lost', 'PS Redundancy'], ['cpu.thermal_throttle', 'CPU1 Status']], // biome-ignore format: one line
  );
});

test('sensor: the table with limits', () => {
  const { findings, readings, taken } =
    readReport(`CPU1 Temp        | 42.000     | degrees C  | ok    | na        | na        | na        | 95.000    | 98.000    | na        
FAN2             | 300.000    | RPM        | lnr   | 300.000   | 500.000   | 700.000   | 25300.000 | 25400.000 | 25500.000 
FAN3             | na         | RPM        | na    | 300.000   | 500.000   | 700.000   | 25300.000 | 25400.000 | 25500.000 
PS1 Status       | 0x1        | discrete   | 0x0180| na        | na        | na        | na        | na        | na        `);
  assert.deepEqual(findings.map(({ kind }) => kind), ['host.fan_failure']); // biome-ignore format: one line
  assert.deepEqual(readings.map(({ value, state }) => [value, state]), [[42, 'normal'], [5, 'low_critical']]); // biome-ignore format: one line
  assert.deepEqual(taken, [true, true, true, true]);
});

test('sensor: a temperature above its own critical limit counts though the status says "ok"; limits out of order say nothing', () => {
  const row = (name: string, value: string, limits: readonly string[]) =>
    [name, value, 'degrees C', 'ok', ...limits].join(' | ');
  const limits = ['na', '3.000', '8.000', '38.000', '42.000', 'na'];
  assert.deepEqual(readReport(row('Inlet_Temp', '47.000', limits)).faults, [['cooling.inlet_overtemp', 'host/node-1']]);
  assert.deepEqual(readReport(row('PCH Temp', '99.000', ['na', 'na', 'na', '85.000', '90.000', '95.000'])).faults, [
    ['host.overtemp', 'host/node-1'],
  ]);
  for (const quiet of [
    row('Inlet_Temp', '40.000', limits),
    row('Inlet_Temp', '47.000', ['na', 'na', 'na', 'na', 'na', 'na']),
    row('Inlet_Temp', '47.000', ['0.000', '0.000', '0.000', '0.000', '0.000', '0.000']),
    row('Inlet_Temp', '47.000', ['na', '80.000', '8.000', '38.000', '42.000', 'na']),
    row('P1 Therm Margin', '47.000', limits),
  ])
    assert.deepEqual(readReport(quiet).faults, [], quiet);
});

test('sensor: a fan below its own critical limit, and the states of a supply, count though no word says so', () => {
  const fan = (name: string, value: string, limits: string) => `${name} | ${value} | RPM | ok | ${limits}`;
  const limits = '300.000 | 500.000 | 700.000 | 25300.000 | 25400.000 | 25500.000';
  const board = '0.000 | 0.000 | 0.000 | 90.000 | 95.000 | 95.000';
  const states = (name: string, word: string) => `${name} | 0x1 | discrete | ${word}| na | na | na | na | na | na`;
  assert.deepEqual(readReport(fan('FAN3', '0.000', limits)).faults, [['host.fan_failure', 'fan/node-1/3']]);
  assert.deepEqual(readReport(`CPU1 Temp | 97.000 | degrees C | ok | ${board}`).faults, [
    ['host.overtemp', 'host/node-1'],
  ]);
  assert.deepEqual(readReport(states('PS2 Status', '0x0b80')).faults, [['psu.failure', 'psu/node-1/2'], ['psu.input_lost', 'psu/node-1/2']]); // biome-ignore format: one line
  for (const quiet of [
    fan('FAN3', '7200.000', limits),
    fan('FAN3', 'na', limits),
    fan('FAN3', '0.000', 'na | na | na | na | na | na'),
    fan('FAN3', '0.000', '0.000 | 0.000 | 0.000 | 0.000 | 0.000 | 0.000'),
    `CPU1 Temp | 61.000 | degrees C | ok | ${board}`,
    states('PS1 Status', '0x0180'),
    states('PS3 Status', '0x0880'),
    states('Chassis Intru', '0x0b80'),
  ])
    assert.deepEqual(readReport(quiet).faults, [], quiet);
});

test('a line of a job with bars is none of them', () => {
  const { taken } = readReport('iteration 122/ 250000 | loss: 2.1 | ok\nstep | 42 | ok then');
  assert.deepEqual(taken, [false, false]);
});

// FreeIPMI's list of a BMC's events, and ipmitool's view of one sensor: what is asserted, not what could be or was taken back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Reports } from '../../../../src/detection/text/report/reports.ts';
import { readReport } from './read-report.ts';

function reported(text: string): string[] {
  const reports = new Reports('node-1');
  return text
    .split('\n')
    .flatMap((line) =>
      (reports.take(line)?.findings ?? []).map(({ kind, timeMs }) => `${kind} ${timeMs ?? ''}`.trim()),
    );
}

const AT = Date.UTC(2026, 10, 28, 21, 12, 29);
const entry = (rest: string): string => `3    | Nov-28-2026 | 21:12:29 | PS2 Status       | Power Supply | ${rest}`;

test('ipmi-sel: a supply that failed, with and without the column of states', () => {
  assert.deepEqual(reported(entry('Critical | Power Supply Failure detected')), [`psu.failure ${AT}`]);
  assert.deepEqual(reported(entry('Power Supply Failure detected')), [`psu.failure ${AT}`]);
  assert.deepEqual(reported(entry('Critical | Assertion Event | Power Supply Failure detected')), [
    `psu.failure ${AT}`,
  ]);
});

test('ipmi-sel: what was taken back, is nominal, or tells of none', () => {
  for (const rest of [
    'Nominal  | Presence detected',
    'Nominal  | Power Supply Failure detected',
    'Critical | Deassertion Event | Power Supply Failure detected',
  ])
    assert.deepEqual(reported(entry(rest)), [], rest);
  assert.deepEqual(reported('ID   | Date        | Time     | Name | Type | State    | Event'), []);
  assert.deepEqual(
    reported('2 | Nov-28-2026 | 20:45:38 | Chassis Intru | Physical Security | Critical | General Chassis Intrusion'),
    [],
  );
});

const sensor = (asserted: string): string =>
  [
    'Sensor ID              : Pwr Unit Redund (0x2)',
    ' Entity ID             : 21.1 (Power Management)',
    ' Sensor Type (Discrete): Power Unit (0x09)',
    ' States Asserted       : Power Unit',
    `                         [${asserted}]`,
    ' Assertions Enabled    : Power Unit',
    '                         [Fully Redundant]',
    '                         [Redundancy Lost]',
  ].join('\n');

test('sensor get: the asserted state alone counts', () => {
  assert.deepEqual(reported(sensor('Redundancy Lost')), ['psu.redundancy_lost']);
  assert.deepEqual(reported(sensor('Fully Redundant')), []);
});

test('sensor get: which of its own limits a sensor is beyond', () => {
  const shown = (name: string, type: string, status: string) =>
    readReport(
      `Sensor ID              : ${name} (0x5)\n Entity ID             : 7.1\n Sensor Type (Threshold)  : ${type}\n Sensor Reading        : 45 (+/- 1) x\n Status                : ${status}\n Upper Critical        : 42.000`,
    ).faults.map(([kind]) => kind);
  assert.deepEqual(shown('Inlet Temp', 'Temperature', 'Upper Critical'), ['cooling.inlet_overtemp']);
  assert.deepEqual(shown('CPU1 Temp', 'Temperature', 'Upper Non-Critical'), ['host.overtemp']);
  assert.deepEqual(shown('FAN3', 'Fan', 'Lower Non-Recoverable'), ['host.fan_failure']);
  for (const [
    name,
    type,
    status,
  ] of [['CPU1 Temp', 'Temperature', 'ok'], ['CPU1 Temp', 'Temperature', 'Lower Critical'], ['FAN3', 'Fan', 'Upper Critical'], ['12V', 'Voltage', 'Lower Critical']] as const) // biome-ignore format: one table
    assert.deepEqual(shown(name, type, status), [], `${name} ${status}`);
});

// Parts that sensors of a BMC are about: the supply or fan that the sensor names, else the host.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Reports } from '../../../../src/detection/text/report/reports.ts';
import { componentText } from '../../../../src/model/component.ts';

function found(line: string) {
  return (new Reports('gx-09').take(line)?.findings ?? []).map(({ kind, component, zoned }) => [
    kind,
    component === null ? null : componentText(component),
    zoned ?? null,
  ]);
}

const entry = (rest: string, zone = ''): string => `   2 | 11/29/2026 | 13:00:02${zone} | ${rest} | Asserted`;

test("ipmitool's event log: a supply or fan by the number of its sensor or by its name", () => {
  for (const [rest, kind, part] of [
    ['Power Supply #0x54 | Failure detected', 'psu.failure', 'psu/gx-09/#0x54'],
    ['Power Supply #0x53 | Power Supply AC lost', 'psu.input_lost', 'psu/gx-09/#0x53'],
    ['Power Supply PS2 Status | Failure detected', 'psu.failure', 'psu/gx-09/2'],
    ['Power Supply PSU02 | Failure detected', 'psu.failure', 'psu/gx-09/2'],
    ['Power Supply PSU4_PWR_IN | Power Supply AC lost', 'psu.input_lost', 'psu/gx-09/4'],
    ['Fan FAN3_TACH | Lower Critical going low ', 'host.fan_failure', 'fan/gx-09/3'],
    ['Power Supply | Failure detected', 'psu.failure', 'host/gx-09'],
    ['Fan SYS_FAN3 | Lower Critical going low ', 'host.fan_failure', 'host/gx-09'],
    ['Fan #0x41 | Lower Critical going low ', 'host.fan_failure', 'fan/gx-09/#0x41'],
    ['Fan FAN3 | Lower Critical going low ', 'host.fan_failure', 'fan/gx-09/3'],
    ['Power Unit #0x40 | Redundancy Lost', 'psu.redundancy_lost', 'host/gx-09'],
    ['Power Unit Pwr Unit Redund | Redundancy Lost', 'psu.redundancy_lost', 'host/gx-09'],
    ['Fan Redundancy | Redundancy Lost', 'host.fan_failure', 'host/gx-09'],
  ] as const)
    assert.deepEqual(found(entry(rest)), [[kind, part, false]], rest);
  assert.deepEqual(found(entry('Memory Mem Redundancy | Redundancy Lost')), []);
  assert.deepEqual(found(entry('Power Unit #0x40 | Fully Redundant')), []);
});

test('the zone is assumed where the entry names none', () => {
  assert.deepEqual(found(entry('Power Supply #0x54 | Failure detected', ' UTC')), [['psu.failure', 'psu/gx-09/#0x54', true]]); // biome-ignore format: one line
});

test('the zone behind the time is taken where it means one offset; else the time is said to be assumed', () => {
  const timeOf = (zone: string) => {
    const line = entry('Power Supply #0x54 | Failure detected', zone);
    const [one] = new Reports('gx-09').take(line)?.findings ?? [];
    return [one?.timeMs === undefined ? null : new Date(one.timeMs).toISOString().slice(11, 16), one?.zoned];
  };
  for (const [zone, time, zoned] of [
    [' UTC', '13:00', true],
    [' GMT', '13:00', true],
    [' CET', '12:00', true],
    [' CEST', '11:00', true],
    [' PDT', '20:00', true],
    [' +0545', '07:15', true],
    [' -03', '16:00', true],
    [' IST', '13:00', false],
    [' CST', '13:00', false],
    [' CHADT', '13:00', false],
    ['', '13:00', false],
  ] as const)
    assert.deepEqual(timeOf(zone), [time, zoned], zone);
});

test('FreeIPMI, and the list of sensors', () => {
  assert.deepEqual(
    found('3 | Nov-28-2026 | 21:12:29 | PS2 Status | Power Supply | Critical | Power Supply Failure detected'),
    [['psu.failure', 'psu/gx-09/2', false]],
  );
  assert.deepEqual(found('4 | Nov-28-2026 | 21:12:30 | Pwr Unit Redund | Power Unit | Critical | Redundancy Lost'), [['psu.redundancy_lost', 'host/gx-09', false]]); // biome-ignore format: one line
  assert.deepEqual(found('FAN4             | 0 RPM             | cr'), [['host.fan_failure', 'fan/gx-09/4', null]]);
  assert.deepEqual(found('PS1 Status       | C8h | ok  | 10.1 | Presence detected, Power Supply AC lost'), [['psu.input_lost', 'psu/gx-09/1', null]]); // biome-ignore format: one line
});

// What vendors do differently, one line each: the document that they send and what must be made of it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Part } from '../../../../src/sources/bmc/decode/parts.ts';
import { decodeEnvironment, decodePower, decodeSupply } from '../../../../src/sources/bmc/decode/power.ts';
import { isSkippedChassis, quirksFor, saysInputLost } from '../../../../src/sources/bmc/decode/quirks.ts';
import { decodeFan, decodeGpu, decodeSensor, decodeThermal } from '../../../../src/sources/bmc/decode/thermal.ts';

const ALL = { supplies: true, power: true, limit: true };
const power = (vendor: string, body: object): Part[] => decodePower(body, quirksFor([vendor]), ALL);
const pick = (parts: readonly object[], ...fields: string[]) =>
  parts.map((part) => fields.map((field) => (part as Record<string, unknown>)[field])); // any object may be read by name

interface Row {
  readonly why: string;
  readonly parts: readonly Part[];
  readonly fields: readonly string[];
  readonly expected: readonly (readonly unknown[])[];
}

const supplies = (vendor: string, ...PowerSupplies: object[]) => power(vendor, { PowerSupplies });
const OK = { State: 'Enabled', Health: 'OK' };

const ROWS: readonly Row[] = [
  {
    why: 'numbers as text, as Cisco sends them',
    parts: supplies('Cisco', { Name: 'PSU 1', LineInputVoltage: '229.5', PowerInputWatts: ' 410 ', Status: OK }),
    fields: ['slot', 'inputVoltage', 'inputPower'],
    expected: [['1', 229.5, 410]],
  },
  {
    why: 'HPE calls every supply the same and numbers its bays itself; empty ones are listed',
    parts: supplies(
      'HPE',
      {
        Name: 'HpeServerPowerSupply',
        LineInputVoltage: 208,
        LastPowerOutputWatts: 190,
        PowerInputWatts: null,
        Oem: { Hpe: { BayNumber: 2 } },
      },
      {
        Name: 'HpeServerPowerSupply',
        LineInputVoltage: 206,
        LastPowerOutputWatts: 195,
        Oem: { Hpe: { BayNumber: 5 } },
      },
      { Name: 'HpeServerPowerSupply', Status: { State: 'Absent', Health: 'Warning' }, Oem: { Hpe: { BayNumber: 7 } } },
    ),
    fields: ['slot', 'inputVoltage', 'inputPower', 'outputPower', 'state'],
    expected: [
      ['2', 208, null, 190, null],
      ['5', 206, null, 195, null],
      ['7', null, null, null, 'Absent'],
    ],
  },
  {
    why: "Lenovo's last output is a peak",
    parts: supplies(
      'Lenovo',
      { Name: 'PSU1', LineInputVoltage: 220, PowerOutputWatts: 100, LastPowerOutputWatts: 345 },
      { Name: 'PSU2', LineInputVoltage: 220, LastPowerOutputWatts: 345 },
    ),
    fields: ['slot', 'outputPower'],
    expected: [
      ['1', 100],
      ['2', null],
    ],
  },
  {
    why: 'zeros from every supply are no readings; a supply that says that it lost its input is believed',
    parts: supplies(
      'HP',
      { LineInputVoltage: 0, LastPowerOutputWatts: 0 },
      { LineInputVoltage: 0, LastPowerOutputWatts: 0 },
    ),
    fields: ['slot', 'inputVoltage', 'outputPower'],
    expected: [
      ['1', null, null],
      ['2', null, null],
    ],
  },
  {
    why: 'zero from one of two is a reading',
    parts: supplies('Dell', { Name: 'PS1 Status', LineInputVoltage: 0 }, { Name: 'PS2 Status', LineInputVoltage: 240 }),
    fields: ['slot', 'inputVoltage'],
    expected: [
      ['1', 0],
      ['2', 240],
    ],
  },
  {
    why: 'millivolts where volts belong',
    parts: supplies('HPE', { LineInputVoltage: 207_000 }),
    fields: ['inputVoltage'],
    expected: [[207]],
  },
  {
    why: 'consumption in a place of its own: Fujitsu',
    parts: power('Fujitsu', {
      PowerControl: [{ Oem: { ts_fujitsu: { ChassisPowerConsumption: { CurrentPowerConsumptionW: 512 } } } }],
    }),
    fields: ['part', 'watts'],
    expected: [['power', 512]],
  },
  {
    why: 'no consumption is absent, not zero',
    parts: power('Supermicro', { PowerControl: [{ PowerConsumedWatts: 0 }], PowerSupplies: [] }),
    fields: ['part'],
    expected: [],
  },
  {
    why: 'a limit of null is not a limit',
    parts: power('HPE', { PowerControl: [{ PowerConsumedWatts: 968, PowerLimit: { LimitInWatts: null } }] }),
    fields: ['part', 'watts'],
    expected: [
      ['power', 968],
      ['limit', null],
    ],
  },
  {
    why: 'the first PowerControl is the host, the others are its parts',
    parts: power('Lenovo', { PowerControl: [{ PowerConsumedWatts: 416 }, { Name: 'CPU', PowerConsumedWatts: 90 }] }),
    fields: ['part', 'watts'],
    expected: [['power', 416]],
  },
  {
    why: 'old iLO has the consumption at the top',
    parts: power('HP', { PowerConsumedWatts: 133 }),
    fields: ['watts'],
    expected: [[133]],
  },
  {
    why: 'a limit that is switched off',
    parts: decodeEnvironment({
      PowerWatts: { Reading: 300 },
      PowerLimitWatts: { SetPoint: 500, ControlMode: 'Disabled' },
    }),
    fields: ['part', 'watts'],
    expected: [
      ['power', 300],
      ['limit', null],
    ],
  },
  {
    why: 'thresholds of 65535 and 0 are none; fans in percent; what is absent is left out',
    parts: decodeThermal({
      Fans: [
        { Name: 'Fan 1', Reading: 30, ReadingUnits: 'Percent', LowerThresholdCritical: 65535 },
        { FanName: 'Fan 2', Reading: 0, Status: { State: 'Absent' } },
      ],
      Temperatures: [
        { Name: '01-Inlet Ambient', ReadingCelsius: 22, UpperThresholdCritical: 42 },
        { Name: 'Chipset', ReadingCelsius: 0, Status: { State: 'Absent' } },
        { Name: 'Exhaust', ReadingCelsius: 127, UpperThresholdCritical: 75 },
        { Name: 'Board', ReadingCelsius: 128, UpperThresholdCritical: 75 },
        { Name: 'P1 DIMM', ReadingCelsius: 35, UpperThresholdCritical: 'N/A', UpperThresholdFatal: 65535 },
        { Name: 'P1 DIMM', ReadingCelsius: 36, UpperThresholdCritical: 90 },
      ],
    }),
    fields: ['slot', 'percent', 'rpm', 'lowerCritical', 'quantity', 'celsius', 'upperCritical'],
    expected: [
      ['1', 30, null, null, undefined, undefined, undefined],
      [undefined, undefined, undefined, undefined, 'inlet_temperature', 22, 42],
      [undefined, undefined, undefined, undefined, 'p1_dimm_temperature', 35, null],
      [undefined, undefined, undefined, undefined, 'p1_dimm_temperature_2', 36, 90],
    ],
  },
];

for (const { why, parts, fields, expected } of ROWS) {
  test(why, () => {
    assert.deepEqual(pick(parts, ...fields), expected);
  });
}

describe('the newer model', () => {
  test('a supply with its metrics, and one without', () => {
    const metrics = { InputVoltage: { Reading: 0 }, InputPowerWatts: { Reading: 0 }, OutputPowerWatts: 12 };
    const supply = decodeSupply({ Status: OK, LineInputStatus: 'LossOfInput' }, metrics, '1');
    assert.deepEqual([supply.line, supply.inputVoltage, supply.outputPower], ['LossOfInput', 0, 12]);
    const bare = decodeSupply({ Status: OK }, undefined, '2');
    assert.deepEqual([bare.line, bare.inputVoltage, bare.inputPower, bare.health], [null, null, null, 'OK']);
  });

  test('a fan with revolutions only, and an empty bay', () => {
    const fan = decodeFan({ Name: 'Fan 1', SpeedPercent: { SpeedRPM: 18_600 }, Status: OK }, '1');
    assert.deepEqual([fan?.rpm, fan?.percent], [18_600, null]);
    assert.equal(decodeFan({ Status: { State: 'Absent' } }, '2'), null);
  });

  test('sensors that are fans or temperatures, and others', () => {
    const fan = { ReadingType: 'Rotational', Name: 'FAN_1', Reading: 6000 };
    assert.deepEqual(pick(decodeSensor(fan, '4'), 'part', 'slot', 'rpm'), [['fan', '4', 6000]]);
    const inlet = {
      ReadingType: 'Temperature',
      Name: 'Inlet',
      Reading: 21.5,
      Thresholds: { UpperCritical: { Reading: 45 } },
    };
    assert.deepEqual(pick(decodeSensor(inlet, '5'), 'quantity', 'celsius', 'upperCritical'), [
      ['inlet_temperature', 21.5, 45],
    ]);
    assert.deepEqual(decodeSensor({ ReadingType: 'Voltage', Name: 'P12V', Reading: 12 }, '6'), []);
  });

  test('a GPU of which nothing is known is left out', () => {
    assert.equal(decodeGpu({ Id: 'GPU1', Model: null, Status: null }, undefined, { ConsumedPowerWatt: null }), null);
  });
});

test('texts that say that the input is gone, and texts that do not', () => {
  assert.ok(saysInputLost('The power input for power supply 1 is lost.'));
  assert.ok(saysInputLost('Power supply lost its input.'));
  assert.ok(!saysInputLost('Power supply 1 is operating normally.'));
  assert.ok(!saysInputLost('Communication with power supply 2 lost'));
});

test('chassis on which some services crash are not asked', () => {
  assert.ok(isSkippedChassis('/redfish/v1/Chassis/Enclosure.Internal.0-1'));
  assert.ok(isSkippedChassis('/redfish/v1/Chassis/HGX_ERoT_GPU_0'));
  assert.ok(!isSkippedChassis('/redfish/v1/Chassis/System.Embedded.1'));
});

test('ids are numbers or text in one list, and sensors of one name are not one series', () => {
  const sensor = (MemberId: unknown, ReadingCelsius: number) => ({ MemberId, Name: 'Inlet Temp', ReadingCelsius });
  const parts = decodeThermal({ Temperatures: [sensor(0, 20), sensor('0', 30), sensor(1, 40)] });
  const shown = parts.map((part) => (part.part === 'temperature' ? [part.quantity, part.celsius] : []));
  assert.deepEqual(shown, [
    ['inlet_temperature', 20],
    ['inlet_temperature_2', 30],
    ['inlet_temperature_3', 40],
  ]);
  const supplies = decodePower(
    {
      PowerSupplies: [
        { MemberId: 0, Name: 'PSU 1', LineInputVoltage: 230 },
        { MemberId: '1', Name: 'PSU 2' },
      ],
    },
    quirksFor([]),
    { supplies: true, power: true, limit: true },
  );
  assert.deepEqual(
    supplies.map((part) => (part.part === 'supply' ? part.slot : null)),
    ['1', '2'],
  );
});

// Every model of the catalogue, from objects in its MIB's own units to what is reported: scales, states, quirks, names.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discoverPdu } from '../../../src/sources/pdu/discover.ts';
import type { PduPlan } from '../../../src/sources/pdu/pdu-plan.ts';
import { readCells, readingsOf } from '../../../src/sources/pdu/read-cells.ts';
import { SnmpRequests } from '../../../src/sources/pdu/request.ts';
import { memoryAgent } from './memory-agent.ts';

type Objects = Readonly<Record<string, number | string>>;

/** Objects below `base`; `E` is the enterprises' branch. */
function below(base: string, objects: Objects): Record<string, number | string> {
  const full = base.replace(/^E/, '1.3.6.1.4.1');
  return Object.fromEntries(Object.entries(objects).map(([oid, value]) => [`${full}.${oid}`, value]));
}

function system(objectId: string): Record<string, number | string> {
  return below('1.3.6.1.2.1.1', { '1.0': 'a device', '2.0': objectId.replace(/^E/, '1.3.6.1.4.1'), '3.0': 100 });
}

interface Seen {
  readonly plan: PduPlan;
  /** Readings and states by `<component>#<name>`. */
  readonly values: Readonly<Record<string, number | string | null>>;
}

async function see(objectId: string, base: string, objects: Objects): Promise<Seen> {
  const requests = new SnmpRequests(memoryAgent({ ...system(objectId), ...below(base, objects) }));
  const plan = await discoverPdu(requests, 'x');
  const { readings, states } = readingsOf(await readCells(requests, plan, plan.cells));
  return {
    plan,
    values: Object.fromEntries([
      ...readings.map(({ component, quantity, value }) => [`${component}#${quantity}`, value]),
      ...states.map(({ component, name, value }) => [`${component}#${name}`, value]),
    ]),
  };
}

interface Model {
  readonly objectId: string;
  readonly base: string;
  readonly objects: Objects;
  readonly vendor: string;
  readonly expected: Readonly<Record<string, number | string | null>>;
  /** Components that must not be there. */
  readonly without?: readonly string[];
}

const MODELS: Readonly<Record<string, Model>> = {
  'Sentry3, whose neutral is a fourth infeed that knows no voltage': {
    objectId: 'E.1718.3',
    base: 'E.1718.3',
    objects: {
      '2.1.1.11.1': 279, '2.2.1.3.1.1': 'L1', '2.2.1.5.1.1': 1, '2.2.1.6.1.1': 0, '2.2.1.7.1.1': 111,
      '2.2.1.11.1.1': 2300, '2.2.1.12.1.1': 147, '2.2.1.3.1.4': 'N', '2.2.1.5.1.4': 1, '2.2.1.6.1.4': 0,
      '2.2.1.7.1.4': 212, '2.2.1.11.1.4': -1, '2.2.1.12.1.4': -1, '2.3.1.5.1.1.2': 9, '2.3.1.7.1.1.2': 25,
    },
    vendor: 'Server Technology',
    expected: {
      'pdu/x#power': 279, 'pdu_phase/x/1#current': 1.11, 'pdu_phase/x/1#voltage': 230, 'pdu_phase/x/1#power': 147,
      'pdu_phase/x/1#breaker': 'closed', 'pdu_phase/x/4#current': 2.12, 'pdu_phase/x/4#voltage': null,
      'pdu_outlet/x/2#current': 0.25, 'pdu_outlet/x/2#outlet': 'on',
    },
  },
  'Sentry4: an over-current protector that is open, and the outlet that it feeds': {
    objectId: 'E.1718.4', base: 'E.1718.4.1',
    objects: {
      '3.3.1.3.1.1': 1701, '6.2.1.2.1.1.1': 'AA1', '6.2.1.7.1.1.1': 20, '6.3.1.1.1.1.1': 12,
      '8.2.1.31.1.1.5': 'AA1', '8.3.1.1.1.1.5': 1, '8.3.1.3.1.1.5': 41,
    },
    vendor: 'Server Technology',
    expected: { 'pdu_inlet/x/1#power': 1701, 'pdu_branch/x/1#breaker': 'open', 'pdu_outlet/x/5#current': 0.41 },
  },
  'Panduit, with rows of zeros for groups and outlets that it does not have': {
    objectId: 'E.19536.10', base: 'E.19536.10.1',
    objects: {
      '1.2.1.3.1': 'P24D40M', '2.1.1.2.1': 500, '2.1.1.5.1': 50, '2.1.1.6.1': 801, '2.2.1.2.1.1': 1,
      '2.2.1.3.1.1': 2298, '2.2.1.4.1.1': 2, '2.2.1.11.1.1': 48, '3.1.1.3.1.1': 2, '3.1.1.12.1.1': 48,
      '3.1.1.26.1.1': 3, '3.1.1.3.1.2': 0, '3.1.1.12.1.2': 0, '3.1.1.26.1.2': 0, '5.1.1.3.1.1': 1,
      '5.1.1.5.1.1': 48, '5.1.1.18.1.1': 1, '5.1.1.3.1.2': 0, '5.1.1.5.1.2': 0, '5.2.1.1.1.1': 2,
    },
    vendor: 'Panduit',
    expected: {
      'pdu/x#power': 50, 'pdu/x#frequency': 50, 'pdu/x#energy': 2_883_600_000, 'pdu_phase/x/1#voltage': 229.8,
      'pdu_phase/x/1#current': 0.48, 'pdu_branch/x/1#breaker': 'open', 'pdu_outlet/x/1#outlet': 'on',
    },
    without: ['pdu_branch/x/2', 'pdu_outlet/x/2'],
  },
  'HPE, whose first unit is 0 and whose power factor may lead': {
    objectId: 'E.232.165.7', base: 'E.232.165.7',
    objects: {
      '2.1.1.2.0': 500, '2.1.1.5.0': 97, '2.2.1.3.0.1': 242440, '2.2.1.11.0.1': 535, '2.2.1.24.0.1': -751,
      '5.1.1.2.0.6': 'Outlet L1-6', '5.1.1.5.0.6': 450, '5.1.1.14.0.6': 77, '5.1.1.17.0.6': -1, '5.2.1.1.0.6': 2,
    },
    vendor: 'HPE',
    expected: {
      'pdu/x#power': 97, 'pdu_phase/x/1#voltage': 242.44, 'pdu_phase/x/1#current': 0.535,
      'pdu_phase/x/1#power_factor': -0.751, 'pdu_outlet/x/6#current': 0.45, 'pdu_outlet/x/6#power_factor': null,
      'pdu_outlet/x/6#outlet': 'on',
    },
  },
  'HPE of the third generation, with rows of zeros for phases, groups and outlets that it does not have': {
    objectId: 'E.232.165.11', base: 'E.232.165.11',
    objects: {
      '1.2.1.3.1': '230V, 32A, 7.4kVA, 50/60Hz', '1.2.1.5.1': '2.0.0.J', '2.1.1.2.1': 500, '2.1.1.4.1': 922, '2.1.1.5.1': 900,
      '2.1.1.9.1': 97, '2.2.1.2.1.1': 1, '2.2.1.3.1.1': 2286, '2.2.1.4.1.1': 1, '2.2.1.10.1.1': 3200, '2.2.1.11.1.1': 398,
      '2.2.1.12.1.1': 1, '2.2.1.19.1.1': 921, '2.2.1.20.1.1': 899, '2.2.1.23.1.1': 97, '2.2.1.2.1.2': 0, '2.2.1.3.1.2': 0,
      '2.2.1.4.1.2': 0, '2.2.1.11.1.2': 0, '2.2.1.19.1.2': 921, '3.1.1.2.1.1': 'B01', '3.1.1.3.1.1': 2, '3.1.1.11.1.1': 1600,
      '3.1.1.12.1.1': 187, '3.1.1.20.1.1': 422, '3.1.1.26.1.1': 2, '3.1.1.3.1.2': 0, '3.1.1.12.1.2': 0, '3.1.1.26.1.2': 0,
      '5.1.1.3.1.1': 2, '5.1.1.4.1.1': 2000, '5.1.1.5.1.1': 36, '5.1.1.12.1.1': 84, '5.1.1.13.1.1': 84, '5.2.1.1.1.1': 2,
      '5.1.1.3.1.2': 0, '5.1.1.5.1.2': 0, '5.2.1.1.1.2': 0,
    },
    vendor: 'HPE',
    expected: {
      'pdu/x#power': 900, 'pdu/x#apparent_power': 922, 'pdu/x#frequency': 50, 'pdu/x#power_factor': 0.97,
      'pdu_phase/x/1#voltage': 228.6, 'pdu_phase/x/1#current': 3.98, 'pdu_phase/x/1#power': 899,
      'pdu_branch/x/1#current': 1.87, 'pdu_branch/x/1#breaker': 'closed', 'pdu_outlet/x/1#current': 0.36,
      'pdu_outlet/x/1#power': 84, 'pdu_outlet/x/1#outlet': 'on',
    },
    without: ['pdu_phase/x/2', 'pdu_branch/x/2', 'pdu_outlet/x/2'],
  },
  'Dell: a leading dot in sysObjectID, hundredths of a kilowatt next to watts': {
    objectId: '.1.3.6.1.4.1.674.10903.200.3.1', base: 'E.674.10903.200.2.200',
    objects: {
      '110.2.1.3.1': 379, '110.2.1.4.1': 630139, '110.2.1.6.1': 2, '120.2.1.2.1': 1, '120.2.1.3.1': 3,
      '120.2.1.4.1': 193, '120.2.1.5.1': 205, '120.2.1.6.1': 381, '130.2.2.1.2.7': 7, '130.2.2.1.6.7': 1, '130.2.2.1.8.7': 250,
    },
    vendor: 'Dell',
    expected: {
      'pdu/x#power': 3790, 'pdu/x#energy': 226_850_040_000, 'pdu_phase/x/1#current': 19.3, 'pdu_phase/x/1#voltage': 205,
      'pdu_phase/x/1#power': 3810, 'pdu_outlet/x/7#power': 250, 'pdu_outlet/x/7#current': 1,
    },
  },
  'Liebert: hundredths where it has them, receptacles named within their branch': {
    objectId: 'E.476.1.42', base: 'E.476.1.42.3.8',
    objects: {
      '30.20.1.20.1.1': 'MPHR3142', '30.20.1.65.1.1': 514, '30.20.1.90.1.1': 551, '30.20.1.95.1.1': 0,
      '30.40.1.19.1.1.1': 2381, '30.40.1.20.1.1.1': 239, '30.40.1.21.1.1.1': 23, '30.40.1.22.1.1.1': 242,
      '40.20.1.75.1.2': 160, '40.20.1.130.1.2': 228, '50.20.1.61.1.2.13': 31, '50.20.1.95.1.2.13': 1,
    },
    vendor: 'Liebert',
    expected: {
      'pdu_inlet/x/1#power': 514, 'pdu_inlet/x/1#power_factor': null, 'pdu_phase/x/1#voltage': 238.1,
      'pdu_phase/x/1#current': 2.42, 'pdu_branch/x/2#current': 2.28, 'pdu_outlet/x/13#outlet': 'off', 'pdu_outlet/x/13#current': 0.31,
    },
  },
  'Liebert without hundredths': {
    objectId: 'E.476.1.42', base: 'E.476.1.42.3.8',
    objects: { '30.20.1.65.1.1': 514, '30.40.1.20.1.1.1': 239, '30.40.1.21.1.1.1': 23 },
    vendor: 'Liebert',
    expected: { 'pdu_phase/x/1#voltage': 239, 'pdu_phase/x/1#current': 2.3 },
  },
  'Enlogic, whose states count from the highest': {
    objectId: 'E.38446.1', base: 'E.38446.1',
    objects: {
      '2.4.1.3.1': 5, '2.4.1.4.1': 900, '2.4.1.9.1': 12, '3.4.1.3.1.1': 2, '3.4.1.4.1.1': 5, '3.4.1.5.1.1': 412,
      '3.4.1.6.1.1': 229, '4.4.1.4.1.1': 5, '4.4.1.5.1.1': 412, '5.4.1.2.1.3': 3, '5.4.1.4.1.3': 0,
    },
    vendor: 'Enlogic',
    expected: {
      'pdu/x#power': 900, 'pdu/x#energy': 4_320_000, 'pdu_phase/x/1#current': 4.12, 'pdu_phase/x/1#voltage': 229,
      'pdu_branch/x/1#current': 4.12, 'pdu_outlet/x/3#outlet': 'off',
    },
  },
  'Geist RCX, whose one row has a column for each phase': {
    objectId: 'E.21239.2', base: 'E.21239.2',
    objects: {
      '1.1.0': 'RCX', '14.1.2.1': 'serial', '14.1.5.1': 121, '14.1.7.1': 34, '14.1.9.1': 400, '14.1.11.1': 97,
      '14.1.12.1': 120, '14.1.14.1': 12, '14.1.19.1': 119, '14.1.21.1': 5, '16.1.3.4': 1, '16.1.6.4': 12,
    },
    vendor: 'Geist',
    expected: {
      'pdu_phase/x/1#voltage': 121, 'pdu_phase/x/1#current': 3.4, 'pdu_phase/x/1#power_factor': 0.97,
      'pdu_phase/x/2#current': 1.2, 'pdu_phase/x/3#current': 0.5, 'pdu_outlet/x/4#current': 1.2, 'pdu_outlet/x/4#outlet': 'on',
    },
  },
  'Vertiv with a delta input: its lines are read as well': {
    objectId: 'E.21239.42.1.53', base: 'E.21239.5.2',
    objects: {
      '3.1.1.6.1': 1, '3.1.1.9.1': 4399, '3.2.1.2.1': 'Phase AB', '3.2.1.4.1': 2068, '3.2.1.8.1': 725, '3.2.1.12.1': 1464,
      '3.4.1.2.1': 'Line A', '3.4.1.4.1': 1255, '3.5.1.4.9': 3,
    },
    vendor: 'Vertiv',
    expected: {
      'pdu/x#power': 4399, 'pdu_phase/x/1#voltage': 206.8, 'pdu_phase/x/1#current': 7.25, 'pdu_inlet/x/L1#current': 12.55,
      'pdu_outlet/x/9#outlet': 'on',
    },
  },
  'CyberPower ePDU2': {
    objectId: 'E.3808.1.1.6', base: 'E.3808.1.1.6',
    objects: {
      '3.4.1.4.1': 1, '3.4.1.5.1': 31, '3.4.1.18.1': 700, '4.4.1.3.1': 1, '4.4.1.4.1': 3, '4.4.1.5.1': 31, '4.4.1.6.1': 2290,
      '5.4.1.3.1': 1, '5.4.1.4.1': 4, '5.4.1.5.1': 31,
    },
    vendor: 'CyberPower',
    expected: { 'pdu/x#power': 700, 'pdu_phase/x/1#voltage': 229, 'pdu_phase/x/1#current': 3.1, 'pdu_branch/x/1#current': 3.1 },
  },
  'a UPS with the standard MIB that sends tenths of volts, of one line': {
    objectId: 'E.850.1', base: '1.3.6.1.2.1.33.1',
    objects: {
      '1.2.0': 'Model', '2.1.0': 2, '2.3.0': 12, '2.4.0': 97, '3.1.0': 4, '3.3.1.3.1': 2360, '4.1.0': 5, '4.4.1.2.1': 2300,
      '4.4.1.4.1': 122,
    },
    vendor: 'Tripp Lite',
    expected: {
      'ups/x#source': 'battery', 'ups/x#battery': 'normal', 'ups/x#battery_charge': 0.97, 'ups/x#battery_runtime': 720,
      'ups/x#line_bads': 4, 'pdu_inlet/x/1#input_voltage': 236, 'pdu_phase/x/1#voltage': 230, 'pdu_phase/x/1#power': 122,
    },
  },
  'a UPS of one line that sends three, with rows that end as scalars do, hundredths of hertz and zeros for what it does not measure': {
    objectId: 'E.8072.3.2.10', base: '1.3.6.1.2.1.33.1',
    objects: {
      '1.1.0': 'Acme Power', '3.2.0': 1, '3.3.1.2.1.0': 5000, '3.3.1.3.1.0': 238, '3.3.1.4.1.0': 0, '3.3.1.5.1.0': 0, '3.3.1.3.2.0': 0,
      '4.1.0': 3, '4.2.0': 4999, '4.3.0': 1, '4.4.1.2.1.0': 231, '4.4.1.3.1.0': 0, '4.4.1.2.2.0': 0,
    },
    vendor: 'Acme Power',
    expected: {
      'pdu_inlet/x/1#input_voltage': 238, 'pdu_inlet/x/1#frequency': 50, 'pdu_inlet/x/1#current': null, 'pdu_inlet/x/1#power': null,
      'ups/x#frequency': 49.99, 'pdu_phase/x/1#voltage': 231, 'pdu_phase/x/1#current': 0,
    },
    without: ['pdu_phase/x/2', 'pdu_inlet/x/2'],
  },
  'an Eaton UPS, in tenths of amperes where it has them': {
    objectId: 'E.534.1', base: 'E.534.1',
    objects: { '1.2.0': '9PX', '3.2.0': 1, '3.4.1.2.1': 229, '3.4.1.3.1': 3, '3.4.1.7.1': 34, '4.5.0': 11, '4.4.1.2.1': 230, '4.4.1.3.1': 3 },
    vendor: 'Eaton',
    expected: {
      'ups/x#source': 'bypass', 'pdu_inlet/x/1#current': 3.4, 'pdu_inlet/x/1#input_voltage': 229, 'pdu_phase/x/1#voltage': 230,
      'pdu_phase/x/1#current': 3,
    },
  },
  'an APC UPS on battery': {
    objectId: 'E.318.1.3.27', base: 'E.318.1.1.1',
    objects: { '1.1.1.0': 'Smart-UPS', '2.1.1.0': 2, '2.2.1.0': 88, '2.2.3.0': 180_000, '3.2.1.0': 0, '3.2.5.0': 4, '4.1.1.0': 3, '4.2.1.0': 229 },
    vendor: 'APC',
    expected: {
      'ups/x#source': 'battery', 'ups/x#battery_charge': 0.88, 'ups/x#battery_runtime': 1800, 'pdu_inlet/x/1#input_voltage': 0,
      'pdu_phase/x/1#voltage': 229, 'ups/x#last_transfer_cause': 'blackout',
    },
  },
  'an APC UPS of three phases': {
    objectId: 'E.318.1.3.5', base: 'E.318.1.1.1',
    objects: {
      '4.1.1.0': 2, '4.2.1.0': 230, '9.2.3.1.3.1.1': 229, '9.2.3.1.3.1.2': 228, '9.3.3.1.3.1.1': 230, '9.3.3.1.3.1.2': 231,
      '9.3.3.1.4.1.2': 123, '9.3.3.1.3.1.3': -1,
    },
    vendor: 'APC',
    expected: {
      'ups/x#source': 'normal', 'pdu_inlet/x/2#input_voltage': 228, 'pdu_phase/x/2#voltage': 231, 'pdu_phase/x/2#current': 12.3,
    },
    without: ['pdu_phase/x/3'],
  },
  'an APC transfer switch': {
    objectId: 'E.318.1.3.32', base: 'E.318.1.1.8',
    objects: {
      '1.5.0': 'AP4423', '5.1.2.0': 2, '5.1.3.0': 1, '5.1.12.0': 1, '5.1.13.0': 2, '5.3.3.1.3.1.1': 3, '5.3.3.1.3.2.1': 231,
      '5.4.3.1.3.1.1': 230, '5.4.3.1.4.1.1': 41,
    },
    vendor: 'APC',
    expected: {
      'pdu/x#source': 'b', 'pdu/x#redundancy': 'lost', 'pdu_inlet/x/1#input': 'failed', 'pdu_inlet/x/2#input': 'normal',
      'pdu_phase/x/1#voltage': 230, 'pdu_phase/x/1#current': 4.1,
    },
  },
  'a Delta UPS of one line': {
    objectId: 'E.2254.2.4', base: 'E.2254.2.4',
    objects: {
      '1.2.0': 'RT', '4.1.0': 1, '4.3.0': 2301, '4.6.0': 0, '5.1.0': 0, '5.3.0': 1, '5.4.0': 2299, '5.5.0': 12, '5.6.0': 250, '5.8.0': 0,
      '7.2.0': 0, '7.8.0': 100,
    },
    vendor: 'Delta',
    expected: {
      'ups/x#source': 'normal', 'pdu_inlet/x/1#input_voltage': 230.1, 'pdu_phase/x/1#voltage': 229.9, 'pdu_phase/x/1#power': 250,
    },
    without: ['pdu_phase/x/2', 'pdu_inlet/x/2'],
  },
}; // biome-ignore format: tables of objects

for (const [name, { objectId, base, objects, vendor, expected, without = [] }] of Object.entries(MODELS)) {
  test(name, async () => {
    const { plan, values } = await see(objectId, base, objects);
    assert.equal(plan.identity.vendor, vendor);
    for (const [key, value] of Object.entries(expected)) assert.deepEqual(values[key], value, key);
    const parts = plan.parts.map(({ component }) => `${component.type}/${component.id}`);
    for (const part of without) assert.ok(!parts.includes(part), part);
  });
}

test('Raritan: digits and sign are of each sensor, and a sensor that is not available has no value', async () => {
  const { values, plan } = await see('E.13742.6', 'E.13742.6', {
    '3.3.4.1.7.1.1.1': 2, '3.3.4.1.7.1.1.7': 2, '3.3.4.1.27.1.1.7': -100, '3.3.4.1.7.1.1.4': 0,
    '5.2.3.1.3.1.1.1': 5, '5.2.3.1.4.1.1.1': 1234, '5.2.3.1.3.1.1.4': -1, '5.2.3.1.4.1.1.4': 0,
    '5.2.3.1.3.1.1.7': 4, '5.2.3.1.4.1.1.7': 0, '5.2.3.1.6.1.1.7': -97,
    '5.2.3.1.8.1.1.4': 187, '5.2.3.1.7.1.1.4': 1,
    '3.4.3.1.5.1.2': '16A', '5.3.3.1.3.1.2.15': 0, '5.3.3.1.3.1.2.1': 4, '5.3.3.1.4.1.2.1': 7,
    '3.5.3.1.33.1.9': '1.3.6.1.4.1.13742.6.3.4.3.1.2.1.2', '5.4.3.1.3.1.9.14': 8,
  }); // biome-ignore format: objects by their numbers
  assert.equal(values['pdu_inlet/x/1#current'], 12.34);
  assert.equal(values['pdu_inlet/x/1#voltage'], null);
  assert.equal(values['pdu_inlet/x/1#power_factor'], -0.97);
  assert.equal(values['pdu_inlet/x/1#voltage_minimum'], 187);
  assert.equal(values['pdu_branch/x/2#breaker'], 'open');
  assert.equal(values['pdu_outlet/x/9#outlet'], 'off');
  const part = (id: string) => plan.parts.find(({ component }) => component.id === id);
  assert.equal(part('x/9')?.branch, '2');
  assert.equal(part('x/2')?.ratingA, 16);
});

test('an unknown device is named by its vendor, a computer too', async () => {
  const requests = (objectId: string) => new SnmpRequests(memoryAgent(system(objectId)));
  await assert.rejects(discoverPdu(requests('E.28507.38'), 'x'), /FL2108 .*a device of Gude/);
  await assert.rejects(discoverPdu(requests('E.8072.3.2.10'), 'x'), /FL2108 .*net-snmp, a computer/);
  await assert.rejects(discoverPdu(requests('E.99999.1'), 'x'), /FL2108 .*enterprise number 99999/);
});

// Trees of firmware as it is met: two power models that each tell a part, groups without names, empty bays, margins.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ReadingsDocument } from '../../../src/model/documents/readings.ts';
import { readBmc } from '../../../src/sources/bmc/read-bmc.ts';
import { bmcConfig } from './support.ts';
import { serveTree } from './tree-server.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-trees-'));
after(() => rmSync(root, { recursive: true }));

const link = (path: string) => ({ '@odata.id': path });
const CHASSIS = '/redfish/v1/Chassis/1';
const OK = { State: 'Enabled', Health: 'OK' };

/** The resources of one chassis, by the rest of their path. */
async function read(vendor: string, chassis: Readonly<Record<string, object>>): Promise<ReadingsDocument> {
  const folder = mkdtempSync(join(root, 'tree-'));
  const known = ['Power', 'PowerSubsystem', 'Thermal', 'ThermalSubsystem', 'Sensors', 'EnvironmentMetrics'];
  const links = Object.fromEntries(known.filter((name) => name in chassis).map((name) => [name, link(`${CHASSIS}/${name}`)])); // biome-ignore format: one line
  const all: Record<string, object> = {
    '/redfish/v1': {
      '@odata.id': '/redfish/v1',
      RedfishVersion: '1.13.0',
      Vendor: vendor,
      Chassis: link('/redfish/v1/Chassis'),
      Systems: link('/redfish/v1/Systems'),
    },
    '/redfish/v1/Chassis': { Members: [link(CHASSIS)] },
    '/redfish/v1/Systems': { Members: [] },
    [CHASSIS]: { Id: '1', ChassisType: 'RackMount', Status: OK, ...links },
    ...Object.fromEntries(Object.entries(chassis).map(([path, body]) => [`${CHASSIS}/${path}`, body])),
  };
  for (const [path, body] of Object.entries(all)) {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'index.json'), JSON.stringify(body));
  }
  const server = await serveTree(folder);
  try {
    return await readBmc({ ...bmcConfig(server.url), user: null, password: null }, Date.now);
  } finally {
    await server.close();
  }
}

const valuesOf = ({ readings }: ReadingsDocument, what: string) =>
  readings
    .filter(({ component, quantity }) => `${component} ${quantity}`.includes(what))
    .map(({ component, quantity, value }) => `${component} ${quantity} ${value}`);
const statesOf = ({ states }: ReadingsDocument, name: string) =>
  states.filter((each) => each.name === name).map(({ component, value }) => `${component} ${value}`);

/** Two supplies of the newer model under `PowerSubsystem`, numbered as a list is. */
function newer(more: object, metrics?: object): Record<string, object> {
  const at = (i: number) => `PowerSubsystem/PowerSupplies/${i}`;
  return {
    PowerSubsystem: { PowerSupplies: link(`${CHASSIS}/PowerSubsystem/PowerSupplies`) },
    'PowerSubsystem/PowerSupplies': { Members: [0, 1].map((i) => link(`${CHASSIS}/${at(i)}`)) },
    ...Object.fromEntries(
      [0, 1].flatMap((i) => [
        [at(i), { Id: `${i}`, Name: 'HpeServerPowerSupply', SerialNumber: `S${i}`, Status: OK, ...more, Metrics: link(`${CHASSIS}/${at(i)}/Metrics`) }], // biome-ignore format: one line
        ...(metrics === undefined ? [] : [[`${at(i)}/Metrics`, metrics]]),
      ]),
    ),
  };
}

const HPE = {
  PowerControl: [{ PowerConsumedWatts: 410 }],
  PowerSupplies: [1, 2].map((bay) => ({
    MemberId: `${bay - 1}`,
    Name: 'HpeServerPowerSupply',
    SerialNumber: `S${bay - 1}`,
    LineInputVoltage: 229 + bay,
    LastPowerOutputWatts: 200 + bay,
    PowerInputWatts: null,
    PowerOutputWatts: null,
    Status: OK,
    Oem: { Hpe: { BayNumber: bay } },
  })),
};
const HPE_READINGS = [
  'psu/node-3/1 input_voltage 230',
  'psu/node-3/1 output_power 201',
  'psu/node-3/2 input_voltage 231',
  'psu/node-3/2 output_power 202',
];

test('a newer model without readings hides none of the older one, and supplies keep the numbers of their bays', async () => {
  for (const metrics of [undefined, { InputVoltage: { Reading: null }, InputPowerWatts: { Reading: null } }]) {
    assert.deepEqual(valuesOf(await read('HPE', { Power: HPE, ...newer({}, metrics) }), 'psu/'), HPE_READINGS);
  }
});

test('where each model has what the other lacks both are read, as one supply a bay', async () => {
  const document = await read('HPE', { Power: HPE, ...newer({ LineInputStatus: 'Normal' }) });
  assert.deepEqual(valuesOf(document, 'psu/'), HPE_READINGS);
  assert.deepEqual(statesOf(document, 'line_input'), ['psu/node-3/1 Normal', 'psu/node-3/2 Normal']);
  const watts = await read('HPE', { Power: HPE, ...newer({}, { InputPowerWatts: { Reading: 220 } }) });
  assert.deepEqual(valuesOf(watts, 'psu/node-3/1'), [
    'psu/node-3/1 input_voltage 230',
    'psu/node-3/1 input_power 220',
    'psu/node-3/1 output_power 201',
  ]);
});

test('a newer model with all readings is read alone, whatever else it has', async () => {
  const metrics = { InputVoltage: { Reading: 228 }, InputPowerWatts: { Reading: 220 }, OutputPowerWatts: { Reading: 205 } }; // biome-ignore format: one line
  const document = await read('HPE', { Power: HPE, ...newer({ LineInputStatus: 'Normal' }, metrics) });
  assert.equal(valuesOf(document, 'input_voltage').length, 2);
  assert.match(valuesOf(document, 'input_voltage').join(), /228.*228/);
});

const power = (Redundancy: object[], ...states: (string | null)[]) => ({
  Power: {
    PowerSupplies: states.map((State, i) => ({ Name: `PSU ${i + 1}`, LineInputVoltage: State === 'Enabled' ? 230 : null, Status: { State, Health: 'OK' } })), // biome-ignore format: one line
    Redundancy,
  },
});

test('redundancy is full only where nothing is missing: not with an empty bay, not where the group itself is offline', async () => {
  const group = (State: string, more: object = {}) => ({ Mode: 'N+m', MinNumNeeded: 1, MaxNumSupported: 2, Status: { State, Health: 'OK' }, ...more }); // biome-ignore format: one line
  const word = async (tree: Record<string, object>) => statesOf(await read('Any', tree), 'redundancy');
  assert.deepEqual(await word(power([group('Enabled')], 'Enabled', 'Enabled')), [
    'host/node-3 full (N+m, 1 needed, 2 of 2 work)',
  ]);
  assert.deepEqual(await word(power([group('Enabled')], 'Enabled', 'Absent')), [
    'host/node-3 lost (N+m, 1 needed, 1 of 2 work)',
  ]);
  assert.deepEqual(await word(power([group('Enabled')], 'Enabled', 'UnavailableOffline')), [
    'host/node-3 lost (N+m, 1 needed, 1 of 2 work)',
  ]);
  assert.deepEqual(await word(power([group('UnavailableOffline')], 'Enabled', 'Enabled')), [
    'host/node-3 lost (N+m, state UnavailableOffline, 1 needed, 2 of 2 work)',
  ]);
  // Two of four bays are used, and the group lists the two.
  const two = group('Enabled', { MaxNumSupported: 4, 'RedundancySet@odata.count': 2 });
  assert.deepEqual(await word(power([two], 'Enabled', 'Enabled', 'Absent', 'Absent')), [
    'host/node-3 full (N+m, 1 needed, 2 of 2 work)',
  ]);
  // Three of four that are there, of which two are needed: less than full, and still redundant.
  const four = group('Enabled', { MinNumNeeded: 2, MaxNumSupported: 4 });
  assert.deepEqual(await word(power([four], 'Enabled', 'Enabled', 'Enabled', 'Absent')), [
    'host/node-3 reduced (N+m, 2 needed, 3 of 4 work)',
  ]);
});

test('sensors of supplies are not the inlet of the host, and a margin is not a temperature', async () => {
  const sensor = (Name: string, ReadingCelsius: number, PhysicalContext: string | null = null) => ({ Name, ReadingCelsius, PhysicalContext, Status: OK }); // biome-ignore format: one line
  const document = await read('Any', {
    Thermal: {
      Temperatures: [
        sensor('PSU1 Inlet Temp', 41, 'PowerSupply'),
        sensor('PS 2 Inlet', 42, 'Intake'),
        sensor('System Inlet', 23, 'Intake'),
        sensor('CPU1 DTS margin', 38, 'CPU'),
        sensor('P0 Thermal Margin', 40),
        sensor('ProcessorModule 0 CPU 0 TempLimit 0', 51, 'CPU'),
        sensor('GPU1 T.Limit', 44, 'GPU'),
        sensor('CPU1 Temp', 61, 'CPU'),
      ],
    },
  });
  assert.deepEqual(valuesOf(document, 'temperature'), [
    'host/node-3 psu1_inlet_temperature 41',
    'host/node-3 ps_2_inlet_temperature 42',
    'host/node-3 inlet_temperature 23',
    'host/node-3 cpu1_temperature 61',
  ]);
});

// Conformance: the readings of real BMCs' resources, served over HTTP, where the shared trees are next to the repository.

import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ReadingsDocument } from '../../src/model/documents/readings.ts';
import { readBmc } from '../../src/sources/bmc/read-bmc.ts';
import { bmcConfig } from '../sources/bmc/support.ts';
import { serveTree } from '../sources/bmc/tree-server.ts';

const trees = join(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'redfish');
const found = existsSync(trees)
  ? readdirSync(trees, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  : [];

/** Readings by `component quantity` that a tree must give; null: it must give none. */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, number | null>>>> = {
  'dell-r750': {
    'host/n power': 614,
    'host/n power_limit': 1205,
    'psu/n/1 input_voltage': 240,
    'psu/n/2 input_voltage': 240,
    'psu/n/1 input_power': 303,
    'psu/n/2 input_power': 309.5,
    'psu/n/3 input_voltage': null,
    'host/n inlet_temperature': 25,
    'fan/n/1A fan_speed': 310,
  },
  'nvidia-gh200': {
    'gpu/n/GPU_0 power': 84.821,
    'gpu/n/GPU_0 power_limit': 900,
    'gpu/n/GPU_0 power_limit_throttle_time': 0,
    'gpu/n/GPU_0 thermal_limit_throttle_time': 0,
    'host/n power': null,
    'host/n power_limit': null,
  },
  'supermicro-x10': { 'host/n power': null, 'host/n inlet_temperature': null },
  'dmtf-rackmount1': {
    'host/n power': 374,
    'host/n power_limit': 500,
    'psu/n/1 input_voltage': 230.2,
    'psu/n/1 input_power': 937.4,
    'psu/n/2 input_power': null,
  },
};

async function read(name: string): Promise<{ document: ReadingsDocument; asked: readonly string[] }> {
  const server = await serveTree(join(trees, name));
  try {
    const config = bmcConfig(server.url, { host: 'n', user: null, password: null });
    return { document: await readBmc(config, () => Date.now()), asked: server.asked };
  } finally {
    await server.close();
  }
}

const state = (document: ReadingsDocument, component: string, name: string) =>
  document.states.find((one) => one.component === component && one.name === name)?.value;

for (const name of found) {
  describe(name, () => {
    test('gives the readings that its makers wrote into it', async () => {
      const { document } = await read(name);
      for (const [key, value] of Object.entries(EXPECTED[name] ?? {})) {
        const [component, quantity] = key.split(' ');
        const reading = document.readings.find((one) => one.component === component && one.quantity === quantity);
        assert.equal(reading?.value ?? null, value, key);
      }
    });

    test('gives no absence as a number, no series twice, and nothing that no such thing can have', async () => {
      const { document } = await read(name);
      const keys = document.readings.map(({ component, quantity }) => `${component}#${quantity}`);
      assert.equal(new Set(keys).size, keys.length);
      for (const { quantity, value, unit, component } of document.readings) {
        assert.ok(value !== null && Number.isFinite(value), `${component} ${quantity}`);
        if (quantity === 'power' || quantity === 'power_limit') assert.ok(value > 0, `${component} ${quantity}`);
        if (unit === 'Cel') assert.ok(value > -55 && value < 200, `${component} ${quantity}`);
      }
      assert.notEqual(document.identity.vendor, null);
    });

    test('asks only for what it was linked to, and for nothing that may harm', async () => {
      const { asked } = await read(name);
      assert.equal(asked[0], '/redfish/v1');
      assert.ok(asked.length <= 400, `${asked.length} requests`);
      assert.ok(asked.every((path) => !/Enclosure|RAID|Actions|Reset/i.test(path)));
    });
  });
}

test('a limit that nothing presses against is configured', { skip: !found.includes('dell-r750') }, async () => {
  const { document } = await read('dell-r750');
  assert.equal(state(document, 'host/n', 'power_limit'), 'configured');
  assert.equal(document.identity.vendor, 'Dell');
  assert.equal(document.identity.model, 'PowerEdge R750');
});

test('a board without power data says so, and shows no zeros', {
  skip: !found.includes('supermicro-x10'),
}, async () => {
  const { document } = await read('supermicro-x10');
  assert.deepEqual(document.readings, []);
  assert.ok(document.warnings.some((warning) => /power supplies/.test(warning)));
  assert.ok(document.warnings.some((warning) => /consumption/.test(warning)));
});

test('an empty bay is reported as absent', { skip: !found.includes('dmtf-rackmount1') }, async () => {
  const { document } = await read('dmtf-rackmount1');
  assert.equal(state(document, 'psu/n/2', 'state'), 'Absent');
  assert.equal(state(document, 'psu/n/1', 'line_input'), 'Normal');
});

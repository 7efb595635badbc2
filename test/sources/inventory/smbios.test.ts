// The firmware's table: machine and memory modules out of real structures, and an end for any bytes at all.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { memoryDevice, smbiosTable, systemInformation } from '../../../src/simulator/corpus/served/dmi-table.ts';
import { parseSmbios } from '../../../src/sources/inventory/smbios.ts';

const UUID = '4c4c454400384a108052b4c04f4e5a32';

test('the machine, and each module in its slot; an empty slot has none', () => {
  const table = smbiosTable(
    systemInformation(UUID, 'ABC1234'),
    memoryDevice({ locator: 'A1', bank: 'P0', serial: '4A2B0011', part: 'M329R8GA0PB0-CWMXJ', sizeMb: 0x7fff }),
    memoryDevice({ locator: 'A2', bank: 'P0', serial: 'NO DIMM', part: '', sizeMb: 0 }),
    memoryDevice({ locator: 'A3', bank: 'P0', serial: '00000000', part: 'M329R8GA0PB0-CWMXJ   ', sizeMb: 32 }),
  );
  const { machine, modules } = parseSmbios(table);
  assert.equal(machine, UUID);
  assert.deepEqual(modules, [
    { type: 'dimm', slot: 'A1', serial: '4A2B0011', model: 'M329R8GA0PB0-CWMXJ' },
    { type: 'dimm', slot: 'A3', serial: null, model: 'M329R8GA0PB0-CWMXJ' },
  ]);
});

test('a board that labels the slots of both processors alike', () => {
  const one = (bank: string) => memoryDevice({ locator: 'DIMM 1', bank, serial: bank, part: 'X', sizeMb: 32 });
  const { modules } = parseSmbios(smbiosTable(one('P0 CHANNEL A'), one('P1 CHANNEL A'), one('P1 CHANNEL A')));
  assert.deepEqual(modules.map(({ slot }) => slot), ['DIMM 1', 'P1 CHANNEL A DIMM 1', 'slot 3']); // biome-ignore format: one line
});

test('a machine without a UUID goes by its serial, and one with neither is not known', () => {
  const blank = '0'.repeat(32);
  assert.equal(parseSmbios(smbiosTable(systemInformation(blank, 'ABC1234'))).machine, 'ABC1234');
  assert.equal(parseSmbios(smbiosTable(systemInformation('f'.repeat(32), 'Not Specified'))).machine, null);
});

test('any bytes come to an end, and a table that is cut gives what is whole', () => {
  const table = smbiosTable(
    systemInformation(UUID, 'ABC1234'),
    memoryDevice({ locator: 'A1', bank: 'P0', serial: '1', part: 'X', sizeMb: 32 }),
  );
  for (let length = 0; length <= table.length; length += 1) {
    const { modules } = parseSmbios(table.subarray(0, length));
    assert.ok(modules.length <= 1);
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      const { modules } = parseSmbios(Buffer.from(bytes));
      assert.ok(modules.every(({ slot }) => slot !== '' && !slot.includes('/')));
    }),
  );
});

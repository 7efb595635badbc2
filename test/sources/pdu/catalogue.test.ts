// The shape of catalog/pdu/*.json: every file that ships decodes by the rules that the code relies on.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import schema from '#catalog/pdu.schema.json' with { type: 'json' };
import { installationRoot } from '../../../src/native.ts';
import { catalogueOrder, columnOid, PDU_CATALOGUES } from '../../../src/sources/pdu/catalogue.ts';

test('every catalogue file is loaded', () => {
  const folder = join(installationRoot(), 'catalog', 'pdu');
  const vendors = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')).vendor);
  assert.deepEqual(vendors.sort(), PDU_CATALOGUES.map((catalogue) => catalogue.vendor).sort());
});

const conforms = new Ajv({ allErrors: true, strict: false }).compile(schema);

for (const catalogue of PDU_CATALOGUES) {
  test(`${catalogue.vendor}: it is of the schema, and each table is complete`, () => {
    assert.ok(conforms(catalogue), JSON.stringify(conforms.errors, null, 1));
    for (const module of catalogue.modules) {
      for (const table of module.tables) {
        assert.equal(table.parts.at(-1)?.when, undefined, `${table.name}: the last rule has no condition`);
        const places = table.columns.map((column) => `${columnOid(module, table, column)} ${column.type} ${column.is}`);
        assert.equal(new Set(places).size, places.length, `${table.name}: a column is there twice`);
      }
    }
  });
}

test('the schema refuses what the code could not read', () => {
  const [good] = PDU_CATALOGUES;
  assert.ok(good !== undefined);
  const odd = (
    change: (copy: { modules: { tables: { columns: object[] }[] }[] } & Record<string, unknown>) => void,
  ) => {
    const copy = structuredClone(good) as never;
    change(copy);
    return conforms(copy);
  };
  assert.equal(
    odd(() => {}),
    true,
  );
  assert.equal(
    odd((copy) => Object.assign(copy, { absent: 'minus' })),
    false,
  );
  assert.equal(
    odd((copy) => Object.assign(copy, { sys_object_ids: ['1.3.x'] })),
    false,
  );
  const column = (entry: object) =>
    odd((copy) => {
      copy.modules[0]?.tables[0]?.columns.push({ column: 99, ...entry });
    });
  assert.equal(column({ is: 'label' }), true);
  assert.equal(column({ is: 'colour' }), false);
  assert.equal(column({ is: 'reading', quantity: 'power', unit: 'W', scale: [0, 1], poll: 'fast' }), false);
  assert.equal(column({ is: 'state', name: 'outlet', poll: 'fast', values: { on: '1' } }), false);
});

test('a sysObjectID prefix matches whole numbers only and never excludes a catalogue', () => {
  const modules = (sysObjectId: string) =>
    catalogueOrder(sysObjectId).likely.map(({ modules: [first] }) => first?.name);
  assert.deepEqual(modules('1.3.6.1.4.1.318.1.3.4.6'), ['rPDU2', 'PowerNet UPS phases'], 'the longest prefix first');
  assert.deepEqual(modules('1.3.6.1.4.1.318.1.3.40'), ['PowerNet UPS phases']);
  assert.deepEqual(modules('1.3.6.1.4.1.0'), []);
  assert.equal(catalogueOrder('1.3.6.1.4.1.0').rest.length, PDU_CATALOGUES.length);
  assert.equal(catalogueOrder('1.3.6.1.4.1.0').rest.at(-1)?.generic, true, 'a standard after all vendors');
});

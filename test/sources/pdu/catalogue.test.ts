// The shape of catalog/pdu/*.json: every file that ships decodes by the rules that the code relies on.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMPONENT_TYPES } from '../../../src/model/component.ts';
import { installationRoot } from '../../../src/native.ts';
import { catalogueOrder, columnOid, PDU_CATALOGUES } from '../../../src/sources/pdu/catalogue.ts';

const OID = /^[0-9]+(\.[0-9]+)*$/;

test('every catalogue file is loaded', () => {
  const folder = join(installationRoot(), 'catalog', 'pdu');
  const vendors = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')).vendor);
  assert.deepEqual(vendors.sort(), PDU_CATALOGUES.map((catalogue) => catalogue.vendor).sort());
});

for (const catalogue of PDU_CATALOGUES) {
  test(`${catalogue.vendor}: OIDs, kinds of column, scales and rules are well formed`, () => {
    assert.ok(catalogue.sys_object_ids.every((oid) => OID.test(oid)));
    assert.ok(['negative', 'none'].includes(catalogue.absent));
    for (const module of catalogue.modules) {
      assert.match(module.base, OID);
      for (const table of module.tables) {
        assert.match(table.entry, OID);
        assert.ok(
          table.parts.length > 0 && table.parts.at(-1)?.when === undefined,
          `${table.name}: last rule has no condition`,
        );
        for (const part of table.parts) assert.ok(COMPONENT_TYPES.includes(part.component));
        const places = table.columns.map((column) => columnOid(module, table, column));
        assert.equal(new Set(places).size, places.length, `${table.name}: a column stands twice`);
        for (const column of table.columns) {
          assert.ok(
            ['reading', 'load_state', 'state', 'number', 'label', 'branch', 'phases', 'rating'].includes(column.is),
          );
          if ('scale' in column) assert.ok(column.scale.length === 2 && column.scale.every((n) => n > 0));
          if ('poll' in column) assert.ok(['fast', 'slow'].includes(column.poll));
          if ('values' in column) assert.ok(Object.keys(column.values).every((key) => /^\d+$/.test(key)));
        }
      }
    }
  });
}

test('a sysObjectID prefix matches whole numbers only and never excludes a catalogue', () => {
  assert.equal(catalogueOrder('1.3.6.1.4.1.318.1.3.4.6')[0]?.vendor, 'APC');
  assert.equal(catalogueOrder('1.3.6.1.4.1.0').length, PDU_CATALOGUES.length);
});

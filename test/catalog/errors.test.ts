// The table of error codes: every code that the product uses is in it, and none that it does not use.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import table from '#catalog/errors.json' with { type: 'json' };
import { installationRoot } from '../../src/native.ts';

/** Code → files that use it. */
function usedCodes(): Map<string, string[]> {
  const used = new Map<string, string[]>();
  const root = installationRoot();
  for (const folder of ['src', 'native', 'scripts']) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(ts|mjs|cjs|cc|h|sh)$/.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      for (const [code] of readFileSync(path, 'utf8').matchAll(/\bFL\d{4}\b/g)) {
        used.set(code, [...(used.get(code) ?? []), path]);
      }
    }
  }
  return used;
}

test('every code in use is in the table, and every code of the table is in use', () => {
  const used = [...usedCodes().keys()].sort();
  assert.deepEqual(Object.keys(table.errors).sort(), used);
});

test('every entry says what happened and what to do', () => {
  for (const [code, entry] of Object.entries(table.errors)) {
    assert.match(code, /^FL\d{4}$/);
    assert.ok(entry.title.length > 10 && entry.what_to_do.length > 10, code);
  }
});

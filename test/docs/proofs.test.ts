// The page of what proves what names tests that there are.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { installationRoot } from '../../src/native.ts';

const root = installationRoot();
const page = readFileSync(join(root, 'native/test/README.md'), 'utf8');
/** By name; a name may be there twice. */
const files = new Map<string, string[]>();
for (const folder of ['native/test', 'test']) {
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
    if (/\.(?:cc|test\.ts)$/.test(name))
      files.set(basename(name), [...(files.get(basename(name)) ?? []), join(root, folder, name)]);
  }
}

for (const [, file = '', name = ''] of page.matchAll(/\| ([\w-]+(?:\.test\.ts|\.cc)): "([^"]+)" \|$/gm)) {
  test(`${file} has "${name.slice(0, 60)}"`, () => {
    const paths = files.get(file) ?? assert.fail(`there is no ${file}`);
    const found = paths.some((path) => readFileSync(path, 'utf8').includes(name));
    assert.ok(found, `no ${file} has such a test`);
  });
}

test('every row of the page has a test', () => {
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| case') && !line.startsWith('| input'));
  assert.ok(rows.length >= 30);
  for (const row of rows) assert.match(row, /"[^"]+" \|$/);
});

// The page of what fails: each row names a test, and that test is there.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, read } from './markdown.ts';

const ROW = /\| \[[\w.-]+\]\(\.\.\/\.\.\/([^)]+)\): "(.+)" \|$/;
const rows = read('docs/guide/failure-modes.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| what fails'));

test('each row has a test, which is there under that name', () => {
  assert.ok(rows.length >= 20);
  const missing = rows.filter((row) => {
    const [, file = '', name = ''] = ROW.exec(row) ?? [];
    return name === '' || !readFileSync(join(ROOT, file), 'utf8').includes(name);
  });
  assert.deepEqual(missing, []);
});

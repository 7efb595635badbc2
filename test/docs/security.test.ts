// The security chapter names, for each threat, tests that there are.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { installationRoot } from '../../src/native.ts';

const root = installationRoot();
const page = readFileSync(join(root, 'docs/guide/security.md'), 'utf8');
const threats = page
  .slice(page.indexOf('## Threat by threat'), page.indexOf('## Figures'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| threat '));

test('each threat says who, what stops it, and which tests try it', () => {
  assert.ok(threats.length >= 20, `${threats.length} rows`);
  for (const row of threats) {
    const cells = row.split(' | ');
    assert.equal(cells.length, 4, row);
    assert.match(cells[3] ?? '', /`(native\/)?test\/\S+\.(test\.ts|cc)`/, row);
  }
});

test('every file that the chapter names exists', () => {
  const named = [...page.matchAll(/`((?:test|native|scripts|bench)\/[\w./-]+)`/g)].map((match) => match[1] ?? '');
  assert.ok(named.length >= 30);
  for (const path of named) assert.ok(existsSync(join(root, path)), `there is no ${path}`);
});

// The guide's table of what BMCs do: every row names a test that is there.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..', '..');
const rows = readFileSync(join(ROOT, 'docs/guide/bmc.md'), 'utf8')
  .split('\n')
  .map((line) => /^\| (\d+) \|.*\| `([^`]+)`: (.+) \|$/.exec(line))
  .filter((match) => match !== null);

test('all 25 are there, each with a file of tests and the words of one in it', () => {
  assert.deepEqual(
    rows.map(([, number]) => Number(number)),
    Array.from({ length: 25 }, (_, i) => i + 1),
  );
  for (const [, number, file = '', words = ''] of rows) {
    if (file === 'docs') continue;
    const path = join(ROOT, 'test/sources/bmc', file);
    assert.ok(existsSync(path), `${number}: ${file}`);
    assert.ok(readFileSync(path, 'utf8').includes(words), `${number}: ${file} has no test "${words}"`);
  }
});

test('efficiency is not read', () => {
  const folder = join(ROOT, 'src/sources/bmc');
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.ts')) assert.ok(!/EfficiencyPercent/.test(readFileSync(join(folder, file), 'utf8')), file);
  }
});

// The check of imports: the order of rooms, and cycles, imports of types included.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../scripts/lib/check-imports.mjs', import.meta.url));

function check(t: TestContext, files: Readonly<Record<string, string>>): { status: number | null; lines: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-imports-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, folder], { encoding: 'utf8' });
  return { status, lines: stderr.trimEnd().split('\n') };
}

test('a cycle is reported once with the shortest way round, also where types alone are imported', (t) => {
  const { status, lines } = check(t, {
    'model/a.ts': "import type { B } from './b.ts';\n",
    'model/b.ts': "import type { C } from './c.ts';\nimport type { D } from './d.ts';\n",
    'model/c.ts': "import type { D } from './d.ts';\n",
    'model/d.ts': "import type { A } from './a.ts';\n",
  });
  assert.equal(status, 1);
  assert.equal(lines.filter((line) => line.includes('cycle of imports')).length, 1);
  assert.match(lines[0] ?? '', /^src\/model\/a\.ts → src\/model\/b\.ts → src\/model\/d\.ts → src\/model\/a\.ts: /);
});

test('a later room is not imported, and a tree without a breach passes', (t) => {
  const model = { 'model/a.ts': 'export const A = 1;\n' };
  const early = check(t, { ...model, 'model/b.ts': "import { C } from '../config/c.ts';\n", 'config/c.ts': '' });
  assert.equal(early.status, 1);
  assert.match(early.lines[0] ?? '', /^src\/model\/b\.ts:1: model\/ must not import config\//);
  assert.equal(check(t, { ...model, 'config/c.ts': "import { A } from '../model/a.ts';\n" }).status, 0);
});

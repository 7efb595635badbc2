// The reference pages say what schema, error table and commands say.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { installationRoot } from '../../src/native.ts';

test('docs/reference is up to date', () => {
  const script = join(installationRoot(), 'scripts/lib/generate-reference.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
});

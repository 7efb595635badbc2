// The bundle that people run says what the sources say: a package may load in another way once it is bundled.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { installationRoot } from '../../src/native.ts';
import { configFile } from '../commands/run-cli.ts';

const root = installationRoot();
const bundle = join(root, 'dist/faultline.js');
const skip = existsSync(bundle) ? false : 'needs the bundle: npm run build';
const config = configFile('host: node-3\n');

function said(program: string, words: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, FAULTLINE_CONFIG: config };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], { encoding: 'utf8', env });
  return { status, stdout, stderr };
}

for (const words of [['--help'], ['config', 'check'], ['config', 'print'], ['config', 'print', '--detectors']]) {
  test(`${words.join(' ')} says the same from the bundle as from the sources`, { skip }, () => {
    const bundled = said(bundle, words);
    assert.deepEqual(bundled, said(join(root, 'src/main.ts'), words));
    assert.equal(bundled.status, 0);
    assert.notEqual(bundled.stdout, '');
  });
}

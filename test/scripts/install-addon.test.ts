// The install script: says what it does, and what is missing when it cannot.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { installationRoot, nativePath } from '../../src/native.ts';

function install(root: string, path: string) {
  const script = join(root, 'scripts', 'lib', 'install-addon.mjs');
  mkdirSync(join(root, 'scripts', 'lib'), { recursive: true });
  cpSync(join(installationRoot(), 'scripts', 'lib', 'install-addon.mjs'), script);
  return spawnSync(process.execPath, [script], { encoding: 'utf8', env: { PATH: path } });
}

test('a shipped addon that loads is taken as it is', (context) => {
  const root = mkdtempSync(join(tmpdir(), 'faultline-install-'));
  context.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'lib'));
  cpSync(nativePath('faultline.node'), join(root, 'lib', 'faultline.node'));
  const { status, stdout } = install(root, '');
  assert.equal(status, 0);
  assert.match(stdout, /^faultline: uses the shipped addon .*\n$/);
});

test('one that does not load is not, and without tools the message names them', (context) => {
  const root = mkdtempSync(join(tmpdir(), 'faultline-install-'));
  context.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'lib'));
  writeFileSync(join(root, 'lib', 'faultline.node'), 'not an addon');
  const { status, stdout, stderr } = install(root, '/nonexistent');
  assert.equal(status, 1);
  assert.equal(stdout, 'faultline: builds the native addon (npm run build:native)\n');
  assert.match(
    stderr,
    /^FL1002 .*C\+\+20 compiler.*cmake 3\.22.*make or ninja.*apt-get install.*npm run build:native\n$/,
  );
});

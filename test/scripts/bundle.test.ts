// The bundle that people run says what the sources say: a package may load in another way once it is bundled.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Script } from 'node:vm';
import { installationRoot } from '../../src/native.ts';
import { configFile } from '../commands/run-cli.ts';

const root = installationRoot();
const bundle = join(root, 'dist/faultline.js');
const skip = existsSync(bundle) ? false : 'needs the bundle: npm run build';
const config = configFile('host: node-3\n');

function said(program: string, words: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, FAULTLINE_CONFIG: config };
  // By a link that is called as an installed one: what it says of itself is how it was started.
  const folder = mkdtempSync(join(tmpdir(), 'faultline-said-'));
  symlinkSync(program, join(folder, 'faultline'));
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'faultline'), ...words], {
    encoding: 'utf8',
    env,
  });
  rmSync(folder, { recursive: true });
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

const compiled = existsSync(bundle) ? readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.cjs.code')) : [];

test('V8 takes the compiled code of each file of the bundle, and none of a file that was changed', { skip }, () => {
  assert.ok(compiled.length > 50, `${compiled.length} files have compiled code`);
  for (const name of compiled) {
    const file = join(root, 'dist', name.replace(/\.code$/, ''));
    const source = `(function(exports,require,module,__filename,__dirname){${readFileSync(file, 'latin1')}\n})`;
    const cachedData = readFileSync(join(root, 'dist', name)).subarray(0, -4);
    assert.equal(new Script(source, { filename: file, cachedData }).cachedDataRejected, false, name);
    assert.equal(new Script(`${source} `, { filename: file, cachedData }).cachedDataRejected, true, name);
  }
});

test('the same bundle is compiled to the same bytes in another folder', { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline a bundle '));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'dist'));
  for (const name of readdirSync(join(root, 'dist'))) {
    if (!name.endsWith('.code')) copyFileSync(join(root, 'dist', name), join(folder, 'dist', name));
  }
  for (const name of ['catalog', 'package.json']) symlinkSync(join(root, name), join(folder, name));
  // Its errors go to a file here, and to a pipe or a terminal where it was built.
  const errors = openSync(join(folder, 'errors.txt'), 'w');
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/lib/compile-bundle.mjs'), join(folder, 'dist')], {
    stdio: ['ignore', 'ignore', errors],
  });
  closeSync(errors);
  assert.equal(status, 0, readFileSync(join(folder, 'errors.txt'), 'utf8'));
  for (const name of compiled) {
    const [there, here] = [join(folder, 'dist', name), join(root, 'dist', name)].map((path) => readFileSync(path));
    assert.ok(there !== undefined && here?.equals(there), `${name} has other bytes`);
  }
});

test('without compiled code the bundle says the same', { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-bundle-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'dist'));
  for (const name of readdirSync(join(root, 'dist'))) {
    if (!name.endsWith('.code')) copyFileSync(join(root, 'dist', name), join(folder, 'dist', name));
  }
  for (const name of ['catalog', 'build', 'package.json']) symlinkSync(join(root, name), join(folder, name));
  const words = ['config', 'print'];
  assert.deepEqual(said(join(folder, 'dist/faultline.js'), words), said(bundle, words));
});

test('compiled code that a disk changed, or that was cut, is left alone, and the bundle says the same and which file it is', {
  skip,
}, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-damaged-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'dist'));
  for (const name of readdirSync(join(root, 'dist')))
    copyFileSync(join(root, 'dist', name), join(folder, 'dist', name));
  for (const name of ['catalog', 'build', 'package.json']) symlinkSync(join(root, name), join(folder, name));
  const program = join(folder, 'dist/faultline.js');
  const code = join(folder, 'dist/main.cjs.code');
  const whole = readFileSync(code);
  const right = said(bundle, ['config', 'check']);
  const flipped = (at: number): Buffer => Buffer.from(whole).fill((whole[at] ?? 0) ^ 0x40, at, at + 1);
  // Of these places some ended the process, and some changed what it did.
  const places = [0, 8, 16, 40, 64, 4096, whole.length >> 1, whole.length - 5, whole.length - 1];
  for (const bytes of [...places.map(flipped), whole.subarray(0, 3), whole.subarray(0, 4096), Buffer.alloc(0)]) {
    writeFileSync(code, bytes);
    const { stderr, ...rest } = said(program, ['config', 'check']);
    assert.deepEqual(rest, { status: right.status, stdout: right.stdout });
    assert.match(stderr, /^FL1005 \S+main\.cjs\.code is damaged and not used/);
  }
  writeFileSync(code, whole);
  assert.deepEqual(said(program, ['config', 'check']), right);
});

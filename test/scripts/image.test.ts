// The writer of images and charts: the same tree gives the same bytes, wherever it lies and whatever its files' times and rights.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'; // biome-ignore format: one line
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { unpackImage } from '../deploy/image/archive.ts';

const release = join(import.meta.dirname, '../../scripts/lib/release');
const environment = { VERSION: '1.2.3', COMMIT: 'abc', SOURCE_DATE_EPOCH: '1700000000', PLATFORM: 'linux-x64' };
const run = (script: string, ...args: string[]) =>
  execFileSync(process.execPath, [join(release, script), ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'faultline-image-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function put(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

const LONG = `opt/${'long/'.repeat(25)}name.js`;

/** What the steps before leave: the packages unpacked, and the tree of the release. */
function made(root: string): void {
  put(join(root, 'work/base'), {
    'lib/x86_64-linux-gnu/libc.so.6': 'c',
    'lib/x86_64-linux-gnu/libmemusage.so': 'for debugging',
    'usr/lib/x86_64-linux-gnu/gconv/GBK.so': 'not needed',
    'usr/lib/os-release': 'ID=debian\n',
    'usr/share/ca-certificates/mozilla/B.crt': 'B\n',
    'usr/share/ca-certificates/mozilla/A.crt': 'A\n',
    'usr/sbin/update-ca-certificates': '#!/bin/sh\n',
  });
  symlinkSync('libc.so.6', join(root, 'work/base/lib/x86_64-linux-gnu/libm.so'));
  put(join(root, 'work/packages'), { libc6: 'Package: libc6\n' });
  put(join(root, 'stage'), {
    'bin/node': 'node',
    'bin/faultline': '#!/bin/sh\n',
    'dist/faultline.js': 'program',
    [`dist/${LONG}`]: 'deep',
    'lib/faultline.node': 'addon',
    'catalog/kinds.json': '{}',
    'package.json': '{"version":"1.2.3","description":"d","license":"Apache-2.0"}',
    'build.json': '{"commit":"abc"}',
    LICENSE: 'l',
    'LICENSES/node.txt': 'l',
    'SECURITY.md': 's',
    install: '#!/bin/sh\n',
  });
  chmodSync(join(root, 'stage/bin/node'), 0o755);
}

function image(root: string): string {
  run('write-image.mjs', join(root, 'work'), join(root, 'stage'), join(root, 'image.tar'));
  return join(root, 'image.tar');
}

test('two runs in two folders give the same archive, whatever times and umask', (t) => {
  const [one, other] = [folder(t), folder(t)];
  made(one);
  cpSync(one, other, { recursive: true, verbatimSymlinks: true });
  utimesSync(join(other, 'stage/dist/faultline.js'), 1, 1);
  chmodSync(join(other, 'stage/dist/faultline.js'), 0o600);
  chmodSync(join(other, 'stage/bin/node'), 0o700);
  assert.ok(readFileSync(image(one)).equals(readFileSync(image(other))));
  writeFileSync(join(other, 'stage/dist/faultline.js'), 'program 2');
  assert.ok(!readFileSync(image(other)).equals(readFileSync(image(one))));
});

test('it has what runs and nothing else: no shell script, no package manager, no library for debugging', (t) => {
  const at = folder(t);
  made(at);
  const { rootfs, config, digest } = unpackImage(image(at), join(at, 'out'));
  const list = (...args: string[]) => execFileSync('find', ['.', ...args], { cwd: rootfs, encoding: 'utf8' }).trim().split('\n').sort(); // biome-ignore format: one line
  assert.deepEqual(list('-type', 'f', '-perm', '-100'), ['./opt/faultline/bin/node', './usr/bin/faultline']);
  assert.deepEqual(list('-path', './*lib/*', '!', '-type', 'd').filter((path) => !path.startsWith('./opt')), ['./lib/x86_64-linux-gnu/libc.so.6', './lib/x86_64-linux-gnu/libm.so', './usr/lib/os-release', './var/lib/dpkg/status.d/libc6']); // biome-ignore format: one line
  assert.equal(readFileSync(join(rootfs, 'opt/faultline/dist', LONG), 'utf8'), 'deep');
  assert.equal(readFileSync(join(rootfs, 'etc/ssl/certs/ca-certificates.crt'), 'utf8'), 'A\nB\n');
  assert.match(readFileSync(join(rootfs, 'usr/bin/faultline'), 'utf8'), /^#!\/opt\/faultline\/bin\/node /);
  assert.deepEqual([config.architecture, config.config.Entrypoint, config.config.Cmd, config.config.User], ['amd64', ['/usr/bin/faultline'], ['run'], '65532:65532']); // biome-ignore format: one line
  assert.equal(config.config.Labels['org.opencontainers.image.revision'], 'abc');
  assert.equal(readFileSync(join(at, 'image.tar.digest'), 'utf8'), `${digest}\n`);
});

test('a chart has the version of the release, and the same bytes twice', (t) => {
  const at = folder(t);
  const chart = join(release, '../../../deploy/helm/faultline');
  const packed = [join(at, 'a.tgz'), join(at, 'b.tgz')];
  for (const path of packed) run('write-chart.mjs', chart, path);
  assert.ok(readFileSync(packed[0] ?? '').equals(readFileSync(packed[1] ?? '')));
  const text = execFileSync('tar', ['--extract', '--to-stdout', '--file', packed[0] ?? '', 'faultline/Chart.yaml'], { encoding: 'utf8' }); // biome-ignore format: one line
  assert.match(text, /^version: 1\.2\.3\nappVersion: "1\.2\.3"$/m);
});

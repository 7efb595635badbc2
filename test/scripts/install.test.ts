// Installer and uninstaller below a DESTDIR: what lies where, what an upgrade keeps, what they refuse.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { installationRoot } from '../../src/native.ts';

const root = installationRoot();
const skip = existsSync(join(root, 'dist/faultline.js')) ? false : 'needs the bundle: npm run build';

function destination(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'fl install '));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function script(name: string, destdir: string, ...args: string[]): { status: number | null; said: string } {
  const environment = { PATH: process.env.PATH, DESTDIR: destdir };
  const { status, stdout, stderr } = spawnSync(join(root, 'scripts', name), args, {
    encoding: 'utf8',
    env: environment,
  });
  return { status, said: stdout + stderr };
}

const install = (destdir: string, ...args: string[]) => script('install', destdir, '--node', process.execPath, ...args);

test('lays down program, command, unit, user and a configuration that the program accepts', { skip }, (t) => {
  const at = destination(t);
  const { status, said } = install(at);
  assert.equal(status, 0, said);
  const program = join(at, 'opt/faultline');
  for (const path of [
    'bin/node',
    'lib/faultline.node',
    'lib/faultline-vendor',
    'lib/faultline-fr',
    'lib/faultline-environ',
    'catalog/kinds/gpu.json',
    'package.json',
  ]) {
    assert.ok(existsSync(join(program, path)), path);
  }
  assert.equal(readlinkSync(join(at, 'usr/local/bin/faultline')), '/opt/faultline/bin/faultline');
  assert.ok(existsSync(join(at, 'etc/systemd/system/faultline.service')));
  assert.ok(existsSync(join(at, 'etc/systemd/system/faultline-pod-resources.socket')));
  assert.ok(existsSync(join(at, 'etc/systemd/system/faultline-environ.socket')));
  assert.match(
    readFileSync(join(at, 'etc/systemd/system/faultline-environ@.service'), 'utf8'),
    /^ExecStart=\/opt\/faultline\/lib\/faultline-environ$/m,
  );
  assert.match(
    readFileSync(join(at, 'etc/sysusers.d/faultline.conf'), 'utf8'),
    /^u faultline - [\s\S]*^u faultline-environ - /m,
  );
  for (const folder of ['var/lib/faultline', 'var/log/faultline', 'etc/faultline']) {
    assert.equal(statSync(join(at, folder)).mode & 0o777, 0o750, folder);
  }
  // It runs from where it lies, with its own Node and addon, and no package or PATH of the checkout.
  const node = join(program, 'bin/node');
  const run = (...args: string[]) =>
    spawnSync(node, [join(program, 'dist/faultline.js'), ...args], { encoding: 'utf8', cwd: '/', env: {} });
  assert.match(run('--version').stdout, /^faultline \d/);
  const check = run('config', 'check', '--config', join(at, 'etc/faultline/faultline.yaml'));
  assert.equal(check.status, 0, check.stderr);
  const doctor = run('doctor', '--json', '--config', join(at, 'etc/faultline/faultline.yaml'));
  assert.equal(
    JSON.parse(doctor.stdout).sources.find((one: { source: string }) => one.source === 'system').status,
    'works',
  );
});

test('an upgrade replaces the program and keeps configuration, state, log and their modes', { skip }, (t) => {
  const at = destination(t);
  install(at);
  const kept = {
    'etc/faultline/faultline.yaml': '# mine\n',
    'var/lib/faultline/boot.json': '{}',
    'var/log/faultline/incidents.jsonl': 'x\n',
  };
  for (const [path, text] of Object.entries(kept)) writeFileSync(join(at, path), text);
  chmodSync(join(at, 'var/log/faultline'), 0o755);
  writeFileSync(join(at, 'opt/faultline/dist/left-over.js'), '');
  mkdirSync(join(at, 'opt/faultline.new'), { recursive: true }); // an upgrade that was cut off
  const { status, said } = install(at);
  assert.equal(status, 0, said);
  assert.match(said, /keeping the configuration/);
  for (const [path, text] of Object.entries(kept)) assert.equal(readFileSync(join(at, path), 'utf8'), text, path);
  assert.equal(statSync(join(at, 'var/log/faultline')).mode & 0o777, 0o755);
  for (const path of ['opt/faultline/dist/left-over.js', 'opt/faultline.new', 'opt/faultline.old']) {
    assert.equal(existsSync(join(at, path)), false, path);
  }
});

test('another prefix is in unit, command and wrapper', { skip }, (t) => {
  const at = destination(t);
  assert.equal(install(at, '--prefix', '/srv/tools/faultline', '--no-start').status, 0);
  assert.match(
    readFileSync(join(at, 'etc/systemd/system/faultline.service'), 'utf8'),
    /^ExecStart=\/srv\/tools\/faultline\/bin\/node (--\S+ )*\/srv\/tools\/faultline\/dist\/faultline\.js run$/m,
  );
  assert.match(
    readFileSync(join(at, 'srv/tools/faultline/bin/faultline'), 'utf8'),
    /exec \/srv\/tools\/faultline\/bin\/node /,
  );
  assert.equal(script('uninstall', at, '--prefix', '/srv/tools/faultline').status, 0);
  assert.equal(existsSync(join(at, 'srv/tools/faultline')), false);
});

test('removes the program and keeps the data; --purge removes these too; twice is not an error', { skip }, (t) => {
  const at = destination(t);
  install(at);
  writeFileSync(join(at, 'var/lib/faultline/boot.json'), '{}');
  mkdirSync(join(at, 'etc/systemd/system/faultline.service.d'), { recursive: true });
  writeFileSync(join(at, 'etc/systemd/system/faultline.service.d/mine.conf'), '');
  assert.equal(script('uninstall', at).status, 0);
  for (const path of [
    'opt/faultline',
    'usr/local/bin/faultline',
    'etc/systemd/system/faultline.service',
    'etc/systemd/system/faultline-pods-api.service',
  ]) {
    assert.equal(existsSync(join(at, path)), false, path);
  }
  assert.ok(existsSync(join(at, 'var/lib/faultline/boot.json')));
  assert.ok(existsSync(join(at, 'etc/systemd/system/faultline.service.d/mine.conf')), 'what the operator wrote stays');
  for (const _ of [1, 2]) assert.equal(script('uninstall', at, '--purge').status, 0);
  for (const path of ['var/lib/faultline', 'var/log/faultline', 'etc/faultline']) {
    assert.equal(existsSync(join(at, path)), false, path);
  }
});

test('does not throw away what is not its own', { skip }, (t) => {
  const at = destination(t);
  mkdirSync(join(at, 'opt/other'), { recursive: true });
  writeFileSync(join(at, 'opt/other/file'), 'theirs');
  mkdirSync(join(at, 'usr/local/bin'), { recursive: true });
  writeFileSync(join(at, 'usr/local/bin/faultline'), 'theirs');
  const refused = install(at, '--prefix', '/opt/other');
  assert.equal(refused.status, 1);
  assert.match(refused.said, /holds something else/);
  assert.match(script('uninstall', at, '--prefix', '/opt/other').said, /holds something else and stays/);
  assert.equal(readFileSync(join(at, 'opt/other/file'), 'utf8'), 'theirs');
  assert.equal(install(at).status, 0);
  assert.equal(readFileSync(join(at, 'usr/local/bin/faultline'), 'utf8'), 'theirs');
});

test('refuses in words: prefixes that are no folder of its own, unknown options, an old Node, no root', {
  skip,
}, (t) => {
  const at = destination(t);
  for (const prefix of [
    '/',
    'relative/x',
    '/opt',
    '/opt/../etc',
    '/usr/lib',
    '/etc/faultline',
    '/opt/a b',
    '/opt/$(id)',
  ]) {
    for (const name of ['install', 'uninstall']) {
      const { status, said } = script(name, at, '--prefix', prefix);
      assert.equal(status, 2, `${name} ${prefix}: ${said}`);
      assert.match(said, /its own folder|plain names/);
    }
  }
  assert.equal(script('install', at, '--what').status, 2);
  assert.equal(script('uninstall', at, '--prefix').status, 2);
  const old = join(at, 'old-node');
  writeFileSync(old, '#!/bin/sh\necho 18\n', { mode: 0o755 });
  const refused = script('install', at, '--node', old);
  assert.deepEqual([refused.status, /is Node 18; 24 or later is needed/.test(refused.said)], [1, true]);

  if (process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).error === undefined) {
    const run = spawnSync('setpriv', ['--reuid=65534', '--clear-groups', join(root, 'scripts/install')], {
      encoding: 'utf8',
    });
    assert.equal(run.status, 1, run.stderr);
    assert.match(run.stderr, /needs root/);
  }
});

/** The installer of a release for `platform`, on a host whose getconf says `libc`. */
function installRelease(at: string, platform: string, libc: string): { status: number | null; stderr: string } {
  const release = join(at, 'release');
  for (const name of ['install', 'uninstall', 'lib/installation.sh']) {
    cpSync(join(root, 'scripts', name), join(release, 'scripts', name));
  }
  writeFileSync(join(release, 'build.json'), JSON.stringify({ platform }, null, 2));
  mkdirSync(join(at, 'bin'), { recursive: true });
  writeFileSync(join(at, 'bin/getconf'), `#!/bin/sh\n${libc}\n`, { mode: 0o755 });
  return spawnSync(join(release, 'scripts/install'), [], {
    encoding: 'utf8',
    env: { PATH: `${join(at, 'bin')}:${process.env.PATH}`, DESTDIR: join(at, 'there') },
  });
}

test('a release for another architecture is refused before anything is made, with the one to take', (t) => {
  const at = destination(t);
  const { status, stderr } = installRelease(at, 'linux-riscv64', 'echo glibc 2.36');
  assert.equal(status, 1);
  assert.match(stderr, /^faultline: this release is for riscv64, this host is \w+: take the release for linux-\w+\n$/);
  assert.equal(existsSync(join(at, 'there')), false);
});

test('a host with an older C library, or another one, is refused before anything is made, with what would do', (t) => {
  const at = destination(t);
  const own = `linux-${process.arch}`;
  for (const [libc, line] of [
    [
      'echo glibc 2.27',
      'this host has glibc 2.27; 2.28 or later is needed (RHEL 8, Debian 10, Ubuntu 20.04 and later)',
    ],
    [
      'exit 1',
      "this host's C library is not glibc (Alpine?): Node needs glibc 2.28 or later; run Faultline's image instead",
    ],
  ] as const) {
    const { status, stderr } = installRelease(at, own, libc);
    assert.deepEqual([status, stderr], [1, `faultline: ${line}\n`]);
    assert.equal(existsSync(join(at, 'there')), false);
  }
});

// The built files: what they need of the host and what they show.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { check, complaints } from '../../scripts/lib/check-symbols.ts';
import { nativePath } from '../../src/native.ts';

const lines = (command: string, ...args: string[]) => execFileSync(command, args, { encoding: 'utf8' }).split('\n');

for (const name of ['faultline.node', 'faultline-vendor', 'faultline-fr', 'faultline-environ']) {
  test(`${name} needs the C library of RHEL 8 or a later one, and nothing else of the host`, () => {
    assert.deepEqual(check(nativePath(name)), []);
  });
}

test('a younger C library, another library or a missing one of threads is reported', () => {
  const dynamic = (...names: string[]) => names.map((name) => ` 0x0001 (NEEDED)  Shared library: [${name}]`).join('\n');
  const symbol = (name: string) => `    11: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND ${name} (4)`;
  const usual = dynamic('libpthread.so.0', 'libc.so.6');
  assert.deepEqual(complaints(usual, `${symbol('memcpy@GLIBC_2.14')}\n${symbol('getrandom@GLIBC_2.25')}`), []);
  assert.deepEqual(complaints(usual, symbol('fcntl64@GLIBC_2.28')), []);
  assert.deepEqual(complaints(usual, symbol('pthread_create@GLIBC_2.34')), ['needs pthread_create of GLIBC_2.34']);
  assert.deepEqual(complaints(usual, symbol('pow@GLIBC_2.29')), ['needs pow of GLIBC_2.29']);
  assert.deepEqual(complaints(usual, symbol('_ZSt4cout@GLIBCXX_3.4')), ['needs _ZSt4cout of GLIBCXX_3.4']);
  assert.deepEqual(complaints(dynamic('libstdc++.so.6'), ''), ['needs the library libstdc++.so.6']);
  assert.deepEqual(complaints(dynamic('libc.so.6'), symbol('dlopen@GLIBC_2.2.5')), [
    'calls dlopen without naming libdl.so.2',
  ]);
});

test('the addon shows only the entry points of Node-API', () => {
  const shown = lines('nm', '-D', '--defined-only', nativePath('faultline.node'))
    .map((line) => line.split(' ').at(-1) ?? '')
    .filter((symbol) => symbol !== '');
  assert.deepEqual(shown.sort(), ['napi_register_module_v1', 'node_api_module_get_api_version_v1']);
});

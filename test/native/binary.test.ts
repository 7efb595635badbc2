// The built files: what they need of the host and what they show.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { nativePath } from '../../src/native.ts';

const lines = (command: string, ...args: string[]) => execFileSync(command, args, { encoding: 'utf8' }).split('\n');

const needed = (path: string) =>
  lines('readelf', '-d', path).flatMap((line) => /NEEDED.*\[(.+)\]/.exec(line)?.[1] ?? []);

for (const name of ['faultline.node', 'faultline-vendor']) {
  test(`${name} needs the C library and nothing of a vendor`, () => {
    for (const library of needed(nativePath(name)))
      assert.match(library, /^(libc|libm|libdl|libpthread|ld-linux.*)\.so/);
  });
}

test('the addon shows only the entry points of Node-API', () => {
  const shown = lines('nm', '-D', '--defined-only', nativePath('faultline.node'))
    .map((line) => line.split(' ').at(-1) ?? '')
    .filter((symbol) => symbol !== '');
  assert.deepEqual(shown.sort(), ['napi_register_module_v1', 'node_api_module_get_api_version_v1']);
});

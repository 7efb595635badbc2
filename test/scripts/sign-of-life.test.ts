// Long work of the set-up: it says that it continues and how far it is, and keeps the status of the command.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../scripts/lib/sign-of-life.sh', import.meta.url));
const LOG = join(mkdtempSync(join(tmpdir(), 'fl-life-')), 'build.log');

function run(work: string) {
  const shell = `set -euo pipefail; say() { echo "$*" >&2; }; . "$1"; with_sign_of_life 1 "$2" bash -c "$3"; echo good`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', shell, 'bash', SCRIPT, LOG, work], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('work that takes long says so, with the last progress of the build tool', () => {
  const { status, stdout, stderr } = run('echo "[ 12%] Building a"; echo "[12/80] Building b"; sleep 3');
  assert.deepEqual([status, stdout], [0, 'good\n']);
  assert.match(stderr, /^still at it after \d s, 12\/80 of the part in hand\n/);
  assert.equal(readFileSync(LOG, 'utf8'), '[ 12%] Building a\n[12/80] Building b\n');
});

test('without progress in its output it says only that it continues', () => {
  assert.match(run('sleep 3').stderr, /^still at it after \d s\n/);
});

test('short work says nothing, and a failure keeps its status', () => {
  const { status, stdout, stderr } = run('echo broken >&2; exit 7');
  assert.deepEqual([status, stdout, stderr], [7, '', '']);
  assert.equal(readFileSync(LOG, 'utf8'), 'broken\n');
});

// Asking ranks for dumps: only through a pipe that is one, and without waiting for anybody.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // biome-ignore format: one line
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { devicesOf } from '../../../../src/identity/rank/environment.ts';
import { askForDumps } from '../../../../src/sources/flight-recorder/jobs/ask-for-dumps.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-pipe-'));
after(() => rmSync(root, { recursive: true }));

function rank(number: number, pipe: string | null, at = '') {
  const devices = devicesOf({});
  const rest = { worldSize: null, localRank: null, job: null, dumpPrefixes: [], devices, off: null };
  return { pid: 1, role: '', rank: number, pipe, root: at, ...rest };
}

test('each rank is asked once, by one byte; what is not a pipe is left alone', async () => {
  const pipe = (number: number) => join(root, `fr_${number}.pipe`);
  execFileSync('mkfifo', [pipe(0), pipe(1)]);
  writeFileSync(pipe(2), 'a file');
  symlinkSync(pipe(0), pipe(3));
  mkdirSync(pipe(4));
  const reader = openSync(pipe(0), constants.O_RDONLY | constants.O_NONBLOCK);
  const asked = await askForDumps([...[0, 1, 2, 3, 4, 5].map((number) => rank(number, pipe(number))), rank(6, null)]);
  assert.deepEqual(Object.fromEntries(asked), {
    0: 'asked',
    1: 'no_reader',
    2: 'not_a_pipe',
    3: 'not_a_pipe',
    4: 'not_a_pipe',
    5: 'no_reader',
    6: 'no_pipe',
  });
  assert.equal(readSync(reader, Buffer.alloc(16), 0, 16, null), 1);
  closeSync(reader);
  assert.equal(readFileSync(pipe(2), 'utf8'), 'a file');
});

test('a pipe behind a linked folder of a container is not used', async () => {
  mkdirSync(join(root, 'real'));
  mkdirSync(join(root, 'container'));
  execFileSync('mkfifo', [join(root, 'real', 'fr_0.pipe')]);
  symlinkSync(join(root, 'real'), join(root, 'container', 'run'));
  const reader = openSync(join(root, 'real', 'fr_0.pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
  assert.deepEqual([...(await askForDumps([rank(0, '/run/fr_0.pipe', join(root, 'container'))]))], [[0, 'no_reader']]);
  closeSync(reader);
});

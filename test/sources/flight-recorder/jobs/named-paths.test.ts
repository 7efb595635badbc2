// A process says in its environment where it dumps and by which pipe it is asked: only where its own user may go and read.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { devicesOf } from '../../../../src/identity/rank/environment.ts';
import { RankProcesses } from '../../../../src/identity/rank/processes.ts';
import type { NamedBy } from '../../../../src/model/native-files.ts';
import { nativePath } from '../../../../src/native.ts';
import { CheckedFile, checkFolder } from '../../../../src/sources/files/checked-file.ts';
import { Places } from '../../../../src/sources/flight-recorder/dumps/places.ts';
import { readDumps } from '../../../../src/sources/flight-recorder/dumps/reader-child.ts';
import { askForDumps } from '../../../../src/sources/flight-recorder/jobs/ask-for-dumps.ts';
import { processScanner } from '../../../../src/sources/scan-processes.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-named-'));
chmodSync(root, 0o755);
after(() => rmSync(root, { recursive: true }));
const STRANGER: NamedBy = [54_321, 54_321];
const shut = join(root, 'shut');
mkdirSync(shut, { mode: 0o700 });
writeFileSync(join(shut, 'rank_0'), 'x');
const open = join(root, 'open');
mkdirSync(open);
writeFileSync(join(open, 'rank_0'), '{"a":1}', { mode: 0o600 });
writeFileSync(join(open, 'rank_1'), '{"a":1}', { mode: 0o644 });

test('a folder or file that the user of the process could not reach is not opened for it', async () => {
  await checkFolder(shut);
  await assert.rejects(checkFolder(shut, STRANGER), /shut is named by a process of uid 54321, who may not enter it/);
  await checkFolder(open, STRANGER);
  await assert.rejects(CheckedFile.open(join(open, 'rank_0'), STRANGER), /who may not read it/);
  await (await CheckedFile.open(join(open, 'rank_1'), STRANGER)).close();
});

test('groups of the process count', { skip: process.geteuid?.() === 0 ? false : 'needs another group' }, async () => {
  const path = join(open, 'rank_2');
  writeFileSync(path, 'x', { mode: 0o640 });
  chownSync(path, 0, 777);
  await assert.rejects(CheckedFile.open(path, STRANGER), /who may not read it/);
  await (await CheckedFile.open(path, [...STRANGER, 777])).close();
});

test('the reader keeps to it', async () => {
  const paths = ['rank_0', 'rank_1'].map((name) => join(open, name));
  const program = nativePath('faultline-fr');
  const read = async (namedBy?: NamedBy) =>
    (await readDumps(paths, new AbortController().signal, { program, namedBy })).document.job.refused_count;
  // What can be read is not a dump, and passed over; what cannot is counted.
  assert.equal(await read(), 0);
  assert.equal(await read(STRANGER), 1);
});

test('the pipe that it names is asked only where it could write itself', async () => {
  const pipe = join(open, 'pipe');
  execFileSync('mkfifo', ['-m', '600', pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const rank = {
    rank: 0,
    worldSize: null,
    localRank: null,
    job: null,
    dumpPrefixes: [],
    pipe,
    off: null,
    pid: 1,
    root: '',
    role: '',
  };
  const devices = devicesOf({});
  const asked = async (namedBy?: NamedBy) =>
    [...(await askForDumps([{ ...rank, devices, ...(namedBy === undefined ? {} : { namedBy }) }]))][0]?.[1];
  assert.equal(await asked(STRANGER), 'refused');
  assert.equal(readSync(reader, Buffer.alloc(1), 0, 1, null), 0);
  assert.equal(await asked(), 'asked');
  closeSync(reader);
});

test('a real process names its folder as its user', {
  skip: process.geteuid?.() === 0 ? false : 'needs another user',
}, async (t) => {
  const env = { RANK: '0', WORLD_SIZE: '1', TORCH_FR_DUMP_TEMP_FILE: join(shut, 'rank_') };
  const child = spawn('/bin/sleep', ['60'], { env, uid: 54_321, gid: 54_321, stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  const processes = new RankProcesses('/proc', processScanner('/proc'));
  await processes.scan();
  const rank = processes.ranks.find(({ pid }) => pid === child.pid);
  assert.equal(rank?.namedBy?.[0], 54_321);
  const places = new Places([]);
  await places.refresh([rank], 0);
  const [place] = places.all;
  assert.equal(await place?.folder.look(1, null, 0), null);
  assert.match(place?.folder.refused?.message ?? '', /shut is named by a process of uid 54321, who may not enter it/);
});

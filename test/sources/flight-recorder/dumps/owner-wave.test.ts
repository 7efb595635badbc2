// Whose dumps are read when: by user, after half a minute at the latest, and no user holds up another.

import assert from 'node:assert/strict';
import { chownSync, mkdtempSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { DumpFolder } from '../../../../src/sources/flight-recorder/dumps/dump-folder.ts';
import { dumpNames } from '../../../../src/sources/flight-recorder/dumps/dump-names.ts';
import { OwnerWave } from '../../../../src/sources/flight-recorder/dumps/owner-wave.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-owners-'));
after(() => rmSync(root, { recursive: true }));
const T0 = 1_790_000_000_000;
const GRACE = 10_000;
const WHOLE = Buffer.from([0x80, 2, 0x7d, 0x2e]);
const MALLORY = 60_001;

test('a file that is written over every four seconds holds up its own wave for half a minute', async () => {
  const wave = new OwnerWave(1000);
  wave.take('rank_0', 4, T0, T0).whole = true;
  let given: number | null = null;
  for (let s = 0; s <= 60 && given === null; s += 2) {
    const nowMs = T0 + s * 1000;
    wave.take('rank_0', 4, T0, nowMs);
    wave.take('rank_1', 4, T0 + Math.floor(s / 4) * 4000, nowMs).whole = true;
    if ((await wave.ready('/d/', nowMs, null, GRACE)) !== null) given = s;
  }
  assert.equal(given, 30);
});

test('who keeps the reader busy is read again after five times as long', async () => {
  const wave = new OwnerWave(1000);
  const give = async (nowMs: number) => {
    wave.take('rank_0', 4, nowMs, nowMs);
    wave.take('rank_0', 4, nowMs, nowMs).whole = true;
    return (await wave.ready('/d/', nowMs, 1, GRACE)) !== null;
  };
  assert.ok(await give(T0));
  wave.took(10_000, T0 + 10_000);
  assert.ok(!(await give(T0 + 50_000)));
  assert.ok(await give(T0 + 61_000));
});

test('names that end in the number of a rank come before whatever else a user puts there', async () => {
  const folder = mkdtempSync(join(root, 'n-'));
  for (let i = 0; i < 500; i += 1) writeFileSync(join(folder, `trace_rank_0${i}x`), '');
  for (const name of ['trace_rank_7', 'trace_rank_11', 'trace_rank_node02_3', 'trace_rank_9.log']) {
    writeFileSync(join(folder, name), '');
  }
  const names = await dumpNames(folder, 'trace_rank_*');
  assert.deepEqual(names.slice(0, 3), ['trace_rank_7', 'trace_rank_11', 'trace_rank_node02_3']);
  assert.equal(names.length, 503);
});

test('a sparse dump of a tebibyte is none', async () => {
  const folder = mkdtempSync(join(root, 's-'));
  writeFileSync(join(folder, 'rank_0'), WHOLE);
  truncateSync(join(folder, 'rank_0'), 2 ** 40);
  const dumps = new DumpFolder(folder, 'rank_*');
  for (let s = 0; s < 60; s += 10) assert.equal(await dumps.look(T0 + s * 1000, null, GRACE), null);
  assert.equal(dumps.files, 0);
});

// Only root can make files of two users.
if (process.getuid?.() === 0) {
  test("one user's files, however they are rewritten, delay no other's, and are not among them", async () => {
    const folder = mkdtempSync(join(root, 'o-'));
    const write = (name: string, atMs: number, uid: number) => {
      writeFileSync(join(folder, name), WHOLE);
      chownSync(join(folder, name), uid, uid);
      utimesSync(join(folder, name), atMs / 1000, atMs / 1000);
    };
    const dumps = new DumpFolder(folder, 'rank_*');
    write('rank_0', T0, 0);
    write('rank_1', T0, 0);
    const given: { s: number; names: string[] }[] = [];
    for (let s = 0; s <= 34; s += 2) {
      if (s % 4 === 0) write('rank_666', T0 + s * 1000 + 3_600_000, MALLORY);
      const wave = await dumps.look(T0 + s * 1000, 2, GRACE);
      if (wave !== null) given.push({ s, names: wave.paths.map((path) => basename(path)).sort() });
    }
    assert.deepEqual(given, [
      { s: 2, names: ['rank_0', 'rank_1'] },
      { s: 30, names: ['rank_666'] },
    ]);
  });
}

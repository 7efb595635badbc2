// When dumps are at rest: whole, unchanged, all there or none new for a while; and which of them belong together.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { DumpFolder } from '../../../../src/sources/flight-recorder/dumps/dump-folder.ts';
import { looksWhole } from '../../../../src/sources/flight-recorder/dumps/whole.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-dumps-'));
after(() => rmSync(root, { recursive: true }));
const T0 = 1_790_000_000_000;
const GRACE = 10_000;
const WHOLE = Buffer.from([0x80, 2, 0x7d, 0x2e]);

function folder(): { path: string; write: (name: string, content: Buffer | string, atMs: number) => void } {
  const path = mkdtempSync(join(root, 'f-'));
  const write = (name: string, content: Buffer | string, atMs: number) => {
    writeFileSync(join(path, name), content);
    utimesSync(join(path, name), atMs / 1000, atMs / 1000);
  };
  return { path, write };
}

test('dumps are given once, when as many as expected are whole and the same at two looks', async () => {
  const { path, write } = folder();
  const dumps = new DumpFolder(path, 'rank_*');
  assert.equal(await dumps.look(T0, 2, GRACE), null);
  write('rank_0', WHOLE, T0);
  write('rank_1', WHOLE, T0 + 1);
  assert.equal(await dumps.look(T0 + 2000, 2, GRACE), null, 'seen once');
  const wave = await dumps.look(T0 + 4000, 2, GRACE);
  assert.deepEqual([wave?.paths.toSorted(), wave?.newestMs], [[join(path, 'rank_0'), join(path, 'rank_1')], T0 + 1]);
  assert.equal(await dumps.look(T0 + 6000, 2, GRACE), null);
  write('rank_1', WHOLE, T0 + 7000);
  assert.equal(await dumps.look(T0 + 8000, 2, GRACE), null);
  assert.ok(await dumps.look(T0 + 10_000, 2, GRACE), 'dumped again');
});

test('fewer than expected are given when none came for a while', async () => {
  const { path, write } = folder();
  const dumps = new DumpFolder(path, '*');
  write('rank_0', WHOLE, T0);
  assert.equal(await dumps.look(T0, 8, GRACE), null);
  assert.equal(await dumps.look(T0 + 5000, 8, GRACE), null);
  assert.equal(await dumps.look(T0 + 9999, null, GRACE), null);
  assert.ok(await dumps.look(T0 + 10_000, 8, GRACE));
});

test('a file cut in the middle is waited for, and taken as it is when no more is written', async () => {
  const { path, write } = folder();
  const dumps = new DumpFolder(path, '*');
  write('rank_0', WHOLE, T0);
  write('rank_1', WHOLE.subarray(0, 3), T0);
  for (let s = 0; s < 30; s += 2) assert.equal(await dumps.look(T0 + s * 1000, 2, GRACE), null);
  assert.equal((await dumps.look(T0 + 30_000, 2, GRACE))?.paths.length, 2);
});

test('dumps of an earlier job are not given, and not mixed with new ones', async () => {
  const { path, write } = folder();
  write('rank_0', WHOLE, T0 - 3_600_000);
  write('rank_7', WHOLE, T0 - 3_600_000);
  const dumps = new DumpFolder(path, '*');
  for (let s = 0; s < 40; s += 10) assert.equal(await dumps.look(T0 + s * 1000, null, GRACE), null);
  write('rank_0', WHOLE, T0 + 60_000);
  await dumps.look(T0 + 62_000, 1, GRACE);
  const wave = await dumps.look(T0 + 64_000, 1, GRACE);
  assert.deepEqual(
    wave?.paths.map((each) => basename(each)),
    ['rank_0'],
  );
});

test('dumps that were written shortly before the start are given', async () => {
  const { path, write } = folder();
  write('rank_0', WHOLE, T0 - 60_000);
  const dumps = new DumpFolder(path, '*');
  await dumps.look(T0, 1, GRACE);
  assert.ok(await dumps.look(T0 + 2000, 1, GRACE));
});

test('links, folders, pipes of the recorder, empty and other files are passed over', async () => {
  const { path, write } = folder();
  symlinkSync('/etc/hostname', join(path, 'rank_0'));
  mkdirSync(join(path, 'rank_1'));
  write('rank_2', '', T0);
  write('rank_3.pipe', WHOLE, T0);
  write('.rank_4', WHOLE, T0);
  const dumps = new DumpFolder(path, '*');
  await dumps.look(T0, null, 0);
  assert.equal(await dumps.look(T0 + 2000, null, 0), null);
  assert.equal(dumps.files, 0);
});

test('a folder that goes away says why, and comes back', async () => {
  const { path } = folder();
  const dumps = new DumpFolder(join(path, 'later'), '*');
  assert.equal(await dumps.look(T0, null, 0), null);
  assert.equal(dumps.error, 'ENOENT');
  mkdirSync(join(path, 'later'));
  await dumps.look(T0 + 1, null, 0);
  assert.equal(dumps.error, null);
});

test('a pickle is whole with its STOP, a JSON document with its brace', async () => {
  const cases: readonly (readonly [Buffer | string, boolean])[] = [
    [WHOLE, true],
    [WHOLE.subarray(0, 3), false],
    ['{"version":"2.10"}', true],
    ['{"version":"2.10"}\n\n', true],
    ['{"version":"2.1', false],
    ['', false],
    ['(d.', true], // protocol 0 has no mark of its own
  ];
  for (const [content, whole] of cases) {
    const path = join(root, 'one');
    writeFileSync(path, content);
    assert.equal(await looksWhole(path), whole, String(content));
  }
  assert.equal(await looksWhole(root), false);
  assert.equal(await looksWhole(join(root, 'nothing')), false);
});

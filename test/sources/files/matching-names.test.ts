// Names that a wildcard names, held to what Node lists of the same folder.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { matchesWildcard } from '../../../src/helpers/wildcard.ts';
import { eachMatchingName } from '../../../src/sources/files/matching-names.ts';

const MOST = 1_000_000;

function folderWith(t: TestContext, names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-names-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of names) writeFileSync(join(folder, name), '');
  return folder;
}

async function listed(folder: string, pattern: string, mostSeen = MOST, atOnce?: number): Promise<string[]> {
  const names: string[] = [];
  await eachMatchingName(folder, pattern, mostSeen, (name) => names.push(name), atOnce);
  return names.sort();
}

test('every pattern finds the names that match it, hidden, odd and long ones among them', async (t) => {
  const folder = folderWith(t, ['rank_0', 'rank_1', 'rank_10.tmp', 'Rank_2', '.rank_3', 'rank', 'räng_4', 'a b*c', 'x'.repeat(255)]); // biome-ignore format: one list
  mkdirSync(join(folder, 'rank_folder'));
  symlinkSync('nowhere', join(folder, 'rank_link'));
  for (const pattern of ['rank_*', 'rank_?', '*', '.*', '*_?', 'rank', 'rank_*.tmp', 'rä*', 'a b*', 'none*', `${'x'.repeat(250)}*`]) {
    const right = readdirSync(folder).filter((name) => matchesWildcard(name, pattern));
    assert.deepEqual(await listed(folder, pattern), right.sort(), pattern);
  } // biome-ignore format: one list
});

test('a folder with more of them than are held at once is read all the same', async (t) => {
  const names = Array.from({ length: 40 }, (_, i) => `rank_${i}`);
  const folder = folderWith(t, [...names, 'other']);
  for (const atOnce of [0, 39, 40, 41]) assert.deepEqual(await listed(folder, 'rank_*', MOST, atOnce), names.sort());
  for (const atOnce of [5, 100]) assert.equal((await listed(folder, '*', 10, atOnce)).length, 10, 'of the first ten');
});

test('a folder that cannot be read is an error with the code of the system', async (t) => {
  const folder = folderWith(t, ['file']);
  await assert.rejects(listed(join(folder, 'absent'), '*'), { code: 'ENOENT' });
  await assert.rejects(listed(join(folder, 'file'), '*'), { code: 'ENOTDIR' });
  await assert.rejects(listed(`${folder}\0`, '*'), { code: 'EINVAL' });
});

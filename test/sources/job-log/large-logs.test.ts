// Logs that are larger, or grow faster, than anybody can read: the newest is read, the rest counted, at a bounded pace.

import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { FileFollower } from '../../../src/sources/job-log/file-follower.ts';
import { ReadBudget } from '../../../src/sources/job-log/read-budget.ts';

const MIB = 1024 * 1024;
const TEBIBYTE = 2 ** 40;

let folder = '';
let path = '';
let follower: FileFollower;
let clock = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fl-large-log-'));
  path = join(folder, 'log');
  clock = 0;
  follower = new FileFollower(path, false, new ReadBudget(() => clock));
});
afterEach(async () => {
  await follower.close();
  rmSync(folder, { recursive: true });
});

/** Reads until there is nothing more at once. */
async function readAll(): Promise<{ texts: string[]; reads: number }> {
  const texts: string[] = [];
  for (let reads = 1; ; reads += 1) {
    const { lines, more } = await follower.read();
    texts.push(...[...lines].map(({ text }) => text));
    if (!more) return { texts, reads };
  }
}

test('a hole of a tebibyte is jumped, and what is behind it read', async () => {
  writeFileSync(path, 'first\n');
  assert.deepEqual((await readAll()).texts, ['first']);
  truncateSync(path, TEBIBYTE);
  appendFileSync(path, '\nnewest\n');
  const { texts, reads } = await readAll();
  assert.deepEqual(
    texts.filter((text) => text.replaceAll('\0', '') !== ''),
    ['newest'],
  );
  assert.ok(reads < 20, `${reads} reads`);
  assert.equal(follower.leftOutBytes, 0, 'what was never written is not left out');
  assert.equal(follower.state, 'reading');
});

test('a hole that is small is passed over without lines, as after a truncation under its writer', async () => {
  writeFileSync(path, '');
  truncateSync(path, 2 * MIB);
  appendFileSync(path, '\nafter\n');
  assert.deepEqual(
    (await readAll()).texts.filter((text) => text.replaceAll('\0', '') !== ''),
    ['after'],
  );
  assert.equal(follower.leftOutBytes, 0);
});

test('a huge log that was deleted is let go', async () => {
  writeFileSync(path, 'first\n');
  await readAll();
  truncateSync(path, TEBIBYTE);
  unlinkSync(path);
  await readAll();
  await readAll();
  await readAll();
  assert.equal(follower.state, 'absent');
});

test('a log that grows without end is read at a bounded pace, from its newest', async () => {
  const line = `${'x'.repeat(1023)}\n`;
  writeFileSync(path, '');
  let bytes = 0;
  let newest: string | undefined;
  const seconds = 10;
  for (let second = 0; second < seconds; second += 1) {
    appendFileSync(path, `${line.repeat(8 * 1024)}second ${second}\n`);
    const { texts } = await readAll();
    bytes += texts.reduce((sum, { length }) => sum + length + 1, 0);
    newest = texts.at(-1) ?? newest;
    clock += 1000;
  }
  assert.ok(bytes <= (16 + 4 * seconds) * MIB, `${bytes / MIB} MiB`);
  assert.ok(bytes + follower.leftOutBytes > 60 * MIB);
  clock += 60_000;
  assert.equal((await readAll()).texts.at(-1) ?? newest, `second ${seconds - 1}`);
});

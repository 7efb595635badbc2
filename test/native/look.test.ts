// One look at a growing file: what was added, whether it is still the same, and whether its name is still its own.

import assert from 'node:assert/strict';
import { appendFileSync, closeSync, mkdtempSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { native } from '../../src/native.ts';

const look = (fd: number, path: string, offset: number, most: number, head: string) =>
  new Promise((resolve) => {
    native().lookAt(fd, path, offset, most, Buffer.from(head), (error, size, links, isNamed, begins, added) => {
      resolve({ error, size, links, isNamed, begins, added: added?.toString() ?? null });
    });
  });

/** An open file of that text, with its descriptor. */
function opened(t: TestContext, text: string): { path: string; fd: number } {
  const folder = mkdtempSync(join(tmpdir(), 'look-'));
  const path = join(folder, 'log');
  writeFileSync(path, text);
  const fd = openSync(path, 'r');
  t.after(() => {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  });
  return { path, fd };
}

test('a look gives what was added behind the offset, and nothing where that is more than was asked for', async (t) => {
  const { path, fd } = opened(t, 'step 1\n');
  const same = { error: 0, links: 1, isNamed: true };
  assert.deepEqual(await look(fd, path, 7, 100, 'step'), { ...same, size: 7, begins: false, added: null });
  appendFileSync(path, 'step 2\n');
  assert.deepEqual(await look(fd, path, 7, 100, 'step'), { ...same, size: 14, begins: true, added: 'step 2\n' });
  assert.deepEqual(await look(fd, path, 7, 6, 'step'), { ...same, size: 14, begins: true, added: null });
  writeFileSync(path, 'another text\n and more');
  const other = await look(fd, path, 14, 100, 'step 1\n');
  assert.deepEqual(other, { ...same, size: 22, begins: false, added: 'and more' });
});

test('a look says whether the name is another file by now, or nothing', async (t) => {
  const { path, fd } = opened(t, 'old');
  const unread = { error: 0, size: 3, begins: false, added: null };
  renameSync(path, `${path}.1`);
  assert.deepEqual(await look(fd, path, 3, 100, 'old'), { ...unread, links: 1, isNamed: null });
  writeFileSync(path, 'new');
  assert.deepEqual(await look(fd, path, 3, 100, 'old'), { ...unread, links: 1, isNamed: false });
  rmSync(`${path}.1`);
  rmSync(path);
  assert.deepEqual(await look(fd, path, 3, 100, 'old'), { ...unread, links: 0, isNamed: null });
});

test('what cannot be looked at is an error of the system, and what is not asked rightly one of ours', async () => {
  assert.deepEqual(await look(-1, '/', 0, 1, ''), { error: 9, size: 0, links: 0, isNamed: null, begins: false, added: null }); // biome-ignore format: one line
  assert.throws(() => native().lookAt('1' as never, '/', 0, 1, Buffer.of(), () => undefined), /lookAt\(fd/);
});

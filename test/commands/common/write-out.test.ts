// --out makes a new file or writes over one of our own; what others may have put there instead is left as it is.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeOut } from '../../../src/commands/common/write-out.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-out-'));
after(() => rmSync(root, { recursive: true }));

test('a new file, a longer one of our own, a link in a folder of our own and /dev/null are written', async () => {
  const path = join(root, 'out');
  await writeOut(path, 'something long\n');
  await writeOut(path, 'short\n');
  assert.equal(readFileSync(path, 'utf8'), 'short\n');
  symlinkSync('out', join(root, 'link'));
  await writeOut(join(root, 'link'), 'through\n');
  assert.equal(readFileSync(path, 'utf8'), 'through\n');
  await writeOut('/dev/null', 'gone\n');
});

test('in a folder that everybody writes no link, hard link, FIFO or folder is written to, and nothing hangs', async () => {
  const shared = join(root, 'tmp');
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  const victim = join(root, 'victim');
  writeFileSync(victim, 'victim\n');
  symlinkSync(victim, join(shared, 'link'));
  symlinkSync(`${victim}.new`, join(shared, 'dangling'));
  linkSync(victim, join(shared, 'hard'));
  execFileSync('mkfifo', [join(shared, 'fifo')]);
  mkdirSync(join(shared, 'folder'));
  for (const name of ['link', 'dangling', 'hard', 'fifo', 'folder']) {
    await assert.rejects(writeOut(join(shared, name), 'ours\n'), new RegExp(`${name} is `));
  }
  assert.equal(readFileSync(victim, 'utf8'), 'victim\n');
  assert.ok(!existsSync(`${victim}.new`));
  await writeOut(join(shared, 'new'), 'ours\n');
  await writeOut(join(shared, 'new'), 'again\n');
  assert.equal(readFileSync(join(shared, 'new'), 'utf8'), 'again\n');
});

// --out makes a new file or writes over one of our own; what others may have put there instead is left as it is.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
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

test('a process that may write no more than a part leaves what was there, and its rights', () => {
  const path = join(root, 'kept');
  writeFileSync(path, 'whole\n', { mode: 0o600 });
  const program = `
    process.on('SIGXFSZ', () => {});
    const { writeOut } = await import(${JSON.stringify(new URL('../../../src/commands/common/write-out.ts', import.meta.url).href)});
    await writeOut(${JSON.stringify(path)}, 'x'.repeat(100_000)).then(() => process.exit(0), () => process.exit(3));`;
  const limited = `ulimit -f 8; exec "$0" --input-type=module --eval "$1"`;
  const { status } = spawnSync('bash', ['-c', limited, process.execPath, program], { stdio: 'ignore' });
  assert.equal(status, 3);
  assert.equal(readFileSync(path, 'utf8'), 'whole\n');
  assert.deepEqual(readdirSync(root).filter((name) => name.startsWith('.kept')), []); // biome-ignore format: one line
});

test('what is written over keeps its rights and its owner', async () => {
  const path = join(root, 'rights');
  writeFileSync(path, 'a');
  chmodSync(path, 0o604);
  await writeOut(path, 'b');
  assert.equal(statSync(path).mode & 0o777, 0o604);
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

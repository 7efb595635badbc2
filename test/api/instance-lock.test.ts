// One instance per state directory, whatever happens to the first one.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockInstance, refuseWhereHeld } from '../../src/api/instance-lock.ts';
import { temporaryFolder } from './helpers.ts';

const module = new URL('../../src/api/instance-lock.ts', import.meta.url).href;
const holderCode = (folder: string) =>
  `const { lockInstance } = await import(${JSON.stringify(module)});
   lockInstance(${JSON.stringify(folder)}); console.log('held'); setInterval(() => {}, 1000);`;

test('a second instance is refused with the pid of the first, until the first is killed', async (t) => {
  const folder = join(temporaryFolder(), 'state');
  const holder = spawn(process.execPath, ['--input-type=module', '-e', holderCode(folder)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  assert.throws(() => lockInstance(folder), new RegExp(`FL1201 .*, pid ${holder.pid}\\.`));
  assert.throws(() => refuseWhereHeld(folder), new RegExp(`FL1201 .*, pid ${holder.pid}\\.`));
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  refuseWhereHeld(folder);
  refuseWhereHeld(join(folder, 'none'));
  const lock = lockInstance(folder);
  assert.throws(() => lockInstance(folder), new RegExp(`pid ${process.pid}\\.`));
  lock.release();
  lock.release();
  lockInstance(folder).release();
});

test('a lock whose handle is dropped is held all the same', async (t) => {
  const folder = join(temporaryFolder(), 'state');
  const code = holderCode(folder).replace("console.log('held')", "setImmediate(() => { gc(); console.log('held'); })");
  const holder = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  assert.throws(() => lockInstance(folder), new RegExp(`pid ${holder.pid}\\.`));
});

test('two directories are two instances', () => {
  const first = lockInstance(temporaryFolder());
  const second = lockInstance(temporaryFolder());
  first.release();
  second.release();
});

test('a link, a FIFO or a folder in the place of the lock is refused at once, and what a link leads to stays as it is', () => {
  const victim = join(temporaryFolder(), 'victim');
  writeFileSync(victim, 'victim');
  const placed: readonly (readonly [(path: string) => void, RegExp])[] = [
    [(path) => symlinkSync(victim, path), /is a symbolic link, which is not followed/],
    [(path) => symlinkSync(`${victim}.new`, path), /is a symbolic link, which is not followed/],
    [(path) => mkdirSync(path), /EISDIR/],
    [(path) => execFileSync('mkfifo', [path]), /is not a regular file/],
  ];
  for (const [put, why] of placed) {
    const folder = temporaryFolder();
    put(join(folder, 'instance.lock'));
    assert.throws(
      () => lockInstance(folder),
      ({ message }: Error) =>
        why.test(message) && /FL1202 .*Remove .*instance\.lock: the daemon makes it again$/.test(message),
    );
  }
  assert.equal(readFileSync(victim, 'utf8'), 'victim');
  assert.ok(!existsSync(`${victim}.new`));
});

test('a folder that everybody may write holds no state', () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o777);
  assert.throws(() => lockInstance(folder), /FL1202 .*chmod o-w/);
});

test('the lock of a removed file holds nothing up', () => {
  const folder = temporaryFolder();
  const first = lockInstance(folder);
  first.remove();
  assert.ok(!existsSync(join(folder, 'instance.lock')));
  const second = lockInstance(folder);
  first.release();
  assert.throws(() => lockInstance(folder), /FL1201/);
  second.release();
});

test('a directory that cannot be made says so', () => {
  assert.throws(
    () => lockInstance('/proc/none/state'),
    /FL1202 \/proc\/none\/state .*writable for uid \d+, .*directories\.state/,
  );
});

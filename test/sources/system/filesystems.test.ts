// Full file systems: what counts as full, when it is over, and that a mount that hangs holds up only itself.

import assert from 'node:assert/strict';
import type { StatsFs } from 'node:fs';
import { test } from 'node:test';
import { type Filesystem, Filesystems } from '../../../src/sources/system/filesystems.ts';
import { diskFull, Fullness, shmFilling, shmFull } from '../../../src/sources/system/fullness.ts';

const GIB = 1024 ** 3;

function filesystem(sizeBytes: number, availableBytes: number, inodeUtilization: number | null = null): Filesystem {
  const utilization = 1 - availableBytes / sizeBytes;
  return { path: '/', sizeBytes, availableBytes, utilization, inodeUtilization };
}

function stats(blocks: number, bavail: number, files = 0, ffree = 0): StatsFs {
  return { type: 1, bsize: 4096, frsize: 4096, blocks, bfree: bavail, bavail, files, ffree };
}

test('a disk is full at 2 % left, a large one at 4 GiB left, any when its inodes are gone', () => {
  assert.equal(diskFull(filesystem(100 * GIB, 1.9 * GIB), false), true);
  assert.equal(diskFull(filesystem(100 * GIB, 2.1 * GIB), false), false);
  assert.equal(diskFull(filesystem(100 * GIB, 2.1 * GIB), true), true, 'over only with some room');
  assert.equal(diskFull(filesystem(100 * GIB, 3.1 * GIB), true), false);
  assert.equal(diskFull(filesystem(30_000 * GIB, 5 * GIB), false), false);
  assert.equal(diskFull(filesystem(30_000 * GIB, 3 * GIB), false), true);
  assert.equal(diskFull(filesystem(100 * GIB, 50 * GIB, 0.995), false), true);
  assert.equal(diskFull(filesystem(100 * GIB, 50 * GIB, 0.985), true), true);
  assert.equal(diskFull(filesystem(100 * GIB, 50 * GIB, 0.97), true), false);
});

test('shared memory fills at 85 % and is full at 97 %', () => {
  const at = (used: number) => filesystem(1000, 1000 * (1 - used));
  assert.deepEqual(
    [shmFilling(at(0.84), false), shmFilling(at(0.86), false), shmFilling(at(0.82), true)],
    [false, true, true],
  );
  assert.equal(shmFilling(at(0.79), true), false);
  assert.deepEqual([shmFull(at(0.96), false), shmFull(at(0.98), false), shmFull(at(0.96), true)], [false, true, true]);
  assert.equal(shmFull(at(0.94), true), false);
});

test('the condition of the host begins with each file system that fills up and ends with the last', () => {
  const fullness = new Fullness('host.disk_full', diskFull);
  const full = filesystem(100 * GIB, 0);
  const roomy = filesystem(100 * GIB, 50 * GIB);
  assert.equal(fullness.update('/', roomy), null);
  assert.equal(fullness.update('/', full)?.state, 'onset');
  assert.equal(fullness.update('/', full), null);
  assert.equal(fullness.update('/scratch', full)?.path, '/scratch');
  assert.equal(fullness.update('/', roomy), null, '/scratch is still full');
  assert.equal(fullness.update('/scratch', 'unknown'), null, 'silence is not free space');
  assert.deepEqual(fullness.update('/scratch', 'gone'), {
    kind: 'host.disk_full',
    state: 'clear',
    filesystem: null,
    path: '/scratch',
  });
});

test('counts as df does: what root alone may still take is not available', async () => {
  const read = async () => ({ ...stats(1000, 50, 100, 40), bfree: 100 });
  const state = (await new Filesystems(['/'], read).read()).get('/');
  assert.ok(typeof state === 'object');
  assert.equal(state.utilization, 900 / 950);
  assert.equal(state.availableBytes, 50 * 4096);
  assert.equal(state.inodeUtilization, 0.6);
});

test('a file system without a size is unknown, one that is not there is gone', async () => {
  const read = async (path: string) => {
    if (path === '/none') throw Object.assign(new Error('no'), { code: 'ENOENT' });
    if (path === '/odd') return stats(10, 20);
    return stats(0, 0);
  };
  const found = await new Filesystems(['/proc', '/none', '/odd', '/none'], read).read();
  assert.deepEqual(
    [...found],
    [
      ['/proc', 'unknown'],
      ['/none', 'gone'],
      ['/odd', 'unknown'],
    ],
  );
});

test('a mount that hangs is asked once and named; the others are still read; a second one ends the asking', async () => {
  const asked: string[] = [];
  const wake: (() => void)[] = [];
  let alive = false;
  const read = (path: string) => {
    asked.push(path);
    if (!path.startsWith('/dead') || alive) return Promise.resolve(stats(1000, 500));
    return new Promise<StatsFs>((resolve) => wake.push(() => resolve(stats(1000, 500))));
  };
  const filesystems = new Filesystems(['/dead1', '/', '/dead2', '/late'], read, 20);
  const first = await filesystems.read();
  assert.equal(first.get('/dead1'), 'unknown');
  assert.equal(typeof first.get('/'), 'object');
  assert.equal(
    first.get('/late'),
    'unknown',
    'two threads of the pool are taken, the others are left to the rest of us',
  );
  assert.deepEqual(filesystems.stuck, ['/dead1', '/dead2']);
  await filesystems.read();
  assert.deepEqual(asked, ['/dead1', '/', '/dead2']);
  alive = true;
  for (const one of wake) one();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(filesystems.stuck, []);
  assert.equal(typeof (await filesystems.read()).get('/late'), 'object');
});

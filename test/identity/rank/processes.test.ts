// Ranks among the processes of a host: found, followed through their exec, forgotten, and never more than may be read.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { JobProcesses } from '../../../src/identity/rank/processes.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-proc-'));
after(() => rmSync(root, { recursive: true }));

function process(proc: string, pid: number | 'self', environ: string, namespace = 'mnt:[1]'): void {
  mkdirSync(join(proc, `${pid}`, 'ns'), { recursive: true });
  writeFileSync(join(proc, `${pid}`, 'environ'), environ);
  rmSync(join(proc, `${pid}`, 'ns', 'mnt'), { force: true });
  symlinkSync(namespace, join(proc, `${pid}`, 'ns', 'mnt'));
}

test('ranks are found, and paths of another mount namespace go through their root', async () => {
  const proc = mkdtempSync(join(root, 'p-'));
  process(proc, 'self', '');
  process(proc, 10, 'PATH=/bin\0');
  process(proc, 11, 'RANK=0\0WORLD_SIZE=2\0');
  process(proc, 12, 'RANK=1\0WORLD_SIZE=2\0', 'mnt:[2]');
  writeFileSync(join(proc, 'uptime'), '1');
  const processes = new JobProcesses(proc);
  await processes.scan();
  assert.deepEqual(
    processes.ranks.map(({ pid, rank, root: at }) => [pid, rank, at]),
    [
      [11, 0, ''],
      [12, 1, join(proc, '12', 'root')],
    ],
  );
  rmSync(join(proc, '12'), { recursive: true });
  await processes.scan();
  assert.deepEqual(
    processes.ranks.map(({ pid }) => pid),
    [11],
  );
});

test('a process that becomes a rank with its exec is found at the next look', async () => {
  const proc = mkdtempSync(join(root, 'p-'));
  process(proc, 20, 'PATH=/bin\0');
  const processes = new JobProcesses(proc);
  await processes.scan();
  assert.deepEqual(processes.ranks, []);
  process(proc, 20, 'RANK=5\0');
  await processes.scan();
  assert.deepEqual(
    processes.ranks.map(({ rank }) => rank),
    [5],
  );
});

test('a link in the place of an environment is not followed, and a folder that is not there is empty', async () => {
  const proc = mkdtempSync(join(root, 'p-'));
  mkdirSync(join(proc, '30'));
  writeFileSync(join(proc, 'other'), 'RANK=1\0');
  symlinkSync(join(proc, 'other'), join(proc, '30', 'environ'));
  for (const path of [proc, join(proc, 'nothing')]) {
    const processes = new JobProcesses(path);
    await processes.scan();
    assert.deepEqual(processes.ranks, []);
  }
});

// Ranks among the processes of a host: found, followed through their exec, forgotten, and never more than may be read.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { RankProcesses } from '../../../src/identity/rank/processes.ts';
import type { ProcessRow } from '../../../src/native.ts';
import { processScanner } from '../../../src/sources/scan-processes.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-proc-'));
after(() => rmSync(root, { recursive: true }));

function process(proc: string, pid: number | 'self', environ: string, namespace = 'mnt:[1]'): void {
  mkdirSync(join(proc, `${pid}`, 'ns'), { recursive: true });
  writeFileSync(join(proc, `${pid}`, 'environ'), environ);
  rmSync(join(proc, `${pid}`, 'ns', 'mnt'), { force: true });
  symlinkSync(namespace, join(proc, `${pid}`, 'ns', 'mnt'));
}

function row(pid: number, variables: Readonly<Record<string, string>>): ProcessRow {
  return { pid, startTicks: 1, startedMs: null, parent: 1, innerPid: pid, readable: true, group: '', ownMounts: false, owner: [1000], variables, command: [] }; // biome-ignore format: one row
}

test('ranks are found, and paths of another mount namespace go through their root', async () => {
  const proc = mkdtempSync(join(root, 'p-'));
  process(proc, 'self', '');
  process(proc, 10, 'PATH=/bin\0');
  process(proc, 11, 'RANK=0\0WORLD_SIZE=2\0');
  process(proc, 12, 'RANK=1\0WORLD_SIZE=2\0', 'mnt:[2]');
  writeFileSync(join(proc, 'uptime'), '1');
  const processes = new RankProcesses(proc, processScanner(proc));
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
  const processes = new RankProcesses(proc, processScanner(proc));
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
    const processes = new RankProcesses(path, processScanner(path));
    await processes.scan();
    assert.deepEqual(processes.ranks, []);
  }
});

test('a value that is too long and an environment without zero bytes are left out, and the others are found', async () => {
  const proc = mkdtempSync(join(root, 'p-'));
  process(proc, 40, `RANK=3\0TORCH_FR_DUMP_TEMP_FILE=/${'x'.repeat(5000)}\0`);
  process(proc, 41, 'A='.repeat(200_000));
  process(proc, 42, '');
  const processes = new RankProcesses(proc, processScanner(proc));
  await processes.scan();
  assert.deepEqual(
    processes.ranks.map(({ pid, dumpPrefixes }) => [pid, dumpPrefixes]),
    [[40, ['/tmp/nccl_trace_rank_']]],
  );
});

test('FIFOs and folders in the place of its files hold up neither the thread nor the other processes', async () => {
  const proc = mkdtempSync(join(root, 'p-'));
  process(proc, 50, 'RANK=0\0');
  for (const pid of [51, 52, 53]) mkdirSync(join(proc, `${pid}`));
  execFileSync('mkfifo', [join(proc, '51', 'environ'), join(proc, '50', 'status'), join(proc, '50', 'cmdline')]);
  mkdirSync(join(proc, '52', 'environ'));
  const processes = new RankProcesses(proc, processScanner(proc));
  await processes.scan();
  assert.deepEqual(
    processes.ranks.map(({ pid }) => pid),
    [50],
  );
  assert.deepEqual(processes.hanging, []);
});

test('a pid that another process has by now is another rank', async () => {
  const proc = mkdtempSync(join(root, 'p-'));
  const stat = (ticks: number) => `60 (a) b) S ${'0 '.repeat(18)}${ticks} 0`;
  process(proc, 60, 'RANK=0\0SLURM_JOB_ID=1\0');
  writeFileSync(join(proc, '60', 'stat'), stat(100));
  const processes = new RankProcesses(proc, processScanner(proc));
  await processes.scan();
  await processes.scan();
  process(proc, 60, 'RANK=7\0SLURM_JOB_ID=2\0');
  writeFileSync(join(proc, '60', 'stat'), stat(200));
  await processes.scan();
  assert.deepEqual(
    processes.ranks.map(({ rank, job }) => [rank, job]),
    [[7, '2']],
  );
});

test('while a look has not ended the ranks stay as they are known', async () => {
  const scans = [
    {
      present: Uint32Array.of(1),
      changed: [row(1, { RANK: '0' })],
      writes: [],
      refused: 2,
      hanging: [],
      reader: null,
      cpuMs: 0,
    },
    null,
    { present: Uint32Array.of(1), changed: [], writes: [], refused: 2, hanging: ['/proc/9'], reader: null, cpuMs: 0 },
  ];
  const processes = new RankProcesses('/proc', async () => scans.shift() ?? null);
  for (const hanging of [[], [], ['/proc/9']]) {
    await processes.scan();
    assert.deepEqual([processes.ranks.length, processes.refused, processes.hanging], [1, 2, hanging]);
  }
});

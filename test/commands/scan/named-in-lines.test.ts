// What lines name is in the first step: where ranks were to meet, a disk of GPFS, what a node is short of, the path of a file.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { faultline } from '../run-cli.ts';

async function scanned(t: TestContext, name: string, lines: readonly string[]): Promise<string> {
  const path = mkdtempSync(join(tmpdir(), 'faultline-named-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  writeFileSync(join(path, name), `${lines.join('\n')}\n`);
  const { stdout, status, stderr } = await faultline(['scan', path]);
  assert.equal(status, 0, stderr);
  return stdout.replace(/\n +/g, ' ');
}

test('ranks that did not meet: the host and port of the line', async (t) => {
  const text = await scanned(t, 'job.out', [
    '2026-11-30T08:40:00Z step=10 loss=2.2',
    'torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to (gx-21, 29500).',
  ]);
  assert.match(text, /Now +see whether rank 0 runs on gx-21 and listens: ssh gx-21 ss -ltnp \| grep :29500/);
});

test('a disk of GPFS that failed, and the server whose lease is overdue', async (t) => {
  const text = await scanned(t, 'gpfs.log', [
    '2026-11-30_08:52:01.123+0000: [E] Disk failure. Volume gpfs01. rc = 5. Physical volume nsd_07.',
    '2026-11-30_08:52:02.123+0000: [N] Node 10.12.4.212 (nsd-03) lease renewal is overdue. Pinging to check if it is alive',
  ]);
  assert.match(text, /Do +bring back disk nsd_07 of GPFS gpfs01/);
  assert.match(text, /mmlsdisk gpfs01 -e .*whether its server nsd-03 is up.*mmchdisk gpfs01 start -d nsd_07/);
});

test('a pod that was evicted for memory: nothing is said of disks', async (t) => {
  const text = await scanned(t, 'events.txt', [
    'LAST SEEN   TYPE      REASON      OBJECT            MESSAGE',
    '9m          Warning   Evicted     pod/trainer-9     The node was low on resource: memory. Threshold quantity: 100Mi, available: 81204Ki.',
  ]);
  assert.match(text, /Do +find what uses up the memory of/);
  assert.doesNotMatch(text, /free space|process numbers/);
});

test("a node whose memory ran out as a whole is looked at itself, whatever the kernel's line says of a group", async (t) => {
  const text = await scanned(t, 'events.txt', [
    'LAST SEEN   TYPE      REASON      OBJECT            MESSAGE',
    '8m          Warning   SystemOOM   node/gx-66        System OOM encountered, victim process: python3, pid: 88121',
  ]);
  assert.match(text, /Do +see what filled the memory of gx-66/);
});

test('a file that could not be read: its path and the error of its line', async (t) => {
  const text = await scanned(t, 'accelerate.log', [
    "{'loss': 2.31, 'grad_norm': 1.2, 'learning_rate': 1e-05, 'epoch': 0.1}",
    "[rank2]: OSError: [Errno 5] Input/output error: '/mnt/data/shard-0011.tar'",
  ]);
  assert.match(text, /findmnt -T \/mnt\/data\/shard-0011\.tar names the server or disk: its disk or server failed\./);
  assert.doesNotMatch(text, /read-only/);
});

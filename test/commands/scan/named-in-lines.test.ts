// What lines name is in the first step: where ranks were to meet, a disk of GPFS, what a node is short of, the path of a file.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const scanned = (t: TestContext, name: string, lines: readonly string[]): Promise<string> =>
  scannedLogs(t, { [name]: lines });

test('ranks that did not meet: the host and port of the line', async (t) => {
  const text = await scanned(t, 'job.out', [
    '2026-11-30T08:40:00Z step=10 loss=2.2',
    'torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to (gx-21, 29500).',
  ]);
  assert.match(text, /Now +see whether rank 0 runs on gx-21 and listens: ssh gx-21 ss -ltnp \| grep :29500/);
  const nccl = await scanned(t, 'run.out', [
    '2026-11-29T08:40:34Z node-3:441:502 [0] misc/socket.cc:485 NCCL WARN socketStartConnect: Connect to 192.0.2.1<45117> failed : Connection refused',
  ]);
  assert.match(nccl, /ssh 192\.0\.2\.1 ss -ltnp \| grep :45117/);
});

test('a disk of GPFS that failed, and the server whose lease is overdue', async (t) => {
  const text = await scanned(t, 'gpfs.log', [
    '2026-11-30_08:52:01.123+0000: [E] Disk failure. Volume gpfs01. rc = 5. Physical volume nsd_07.',
    '2026-11-30_08:52:02.123+0000: [N] Node 10.12.4.212 (nsd-03) lease renewal is overdue. Pinging to check if it is alive',
  ]);
  assert.match(text, /Root cause +storage I\/O error on the host of gpfs\.log: gpfs gpfs01 lost disk nsd_07/);
  assert.match(text, /Do +bring back disk nsd_07 of GPFS gpfs01/);
  assert.match(text, /mmlsdisk gpfs01 -e .*whether its server nsd-03 is up.*mmchdisk gpfs01 start -d nsd_07/);
});

test('what a file server did is called that, and not a refusal', async (t) => {
  const unmounted = await scanned(t, 'mmfs.log', [
    '2026-11-30_08:52:01.123+0000: [X] File System fs1 unmounted by the system with return code 5 reason code 669',
  ]);
  assert.match(unmounted, /Root cause .*gpfs fs1 was unmounted/);
  const evicted = await scanned(t, 'kern.log', [
    '2026-11-30T04:00:01.100000+00:00 gx-04 kernel: LustreError: 167-0: scratch-OST0003-osc-ffff8e1b: This client was evicted by scratch-OST0003; in progress operations using this service will fail.',
  ]);
  assert.match(evicted, /Root cause .*scratch-OST0003 evicted this host/);
});

test('a target of Lustre that answers again: since when, and the address of its server', async (t) => {
  const of = (time: string, words: string): string =>
    `2026-11-30T${time}.100000+00:00 gx-57 kernel: Lustre: scratch-OST0003-osc-ffff9a8b: ${words}`;
  const lost = of(
    '05:10:00',
    'Connection to scratch-OST0003 (at 10.12.4.203@o2ib) was lost; in progress operations using this service will wait for recovery to complete',
  );
  const open = await scanned(t, 'messages', [lost]);
  assert.match(open, /Do +look after the file server of scratch-OST0003, 10\.12\.4\.203 on o2ib: /);
  assert.match(open, /Now +ask whether scratch-OST0003 answers others \(sudo lctl ping 10\.12\.4\.203@o2ib\)/);
  const over = await scanned(t, 'messages', [
    lost,
    of('05:14:05', 'Connection restored to 10.12.4.203@o2ib (at 10.12.4.203@o2ib)'),
  ]);
  assert.match(over, /Do +nothing now, it is over since 05:14:05 UTC; where it comes back: look after the file server/);
});

test('the server of a full target of Lustre: one incident with its df, nothing deleted there, no stall for a client it gave up', async (t) => {
  const of = (second: string, words: string): string =>
    `2026-11-30T04:00:${second}.100000+00:00 oss-04 kernel: ${words}`;
  const lines = [
    of('01', 'LustreError: 18211:0:(ofd_io.c:900:ofd_preprw_write()) scratch-OST0007: grant/reserve failed: rc = -28'),
    of('03', 'LDISKFS-fs warning (device dm-7): ldiskfs_mb_new_blocks: no space left'),
    of(
      '09',
      "Lustre: scratch-OST0007: haven't heard from client 8a12 (at 10.12.4.9@o2ib) in 227 seconds. I think it's dead, and I am evicting it.",
    ),
  ];
  const text = await scanned(t, 'oss-04.log', lines);
  assert.match(text, /Root cause +storage cluster full on oss-04: scratch-OST0007 has no space/);
  assert.match(text, /osp\.scratch-OST0007-\*\.max_create_count=0.*--ost scratch-OST0007_UUID/);
  assert.match(text, /Now +delete nothing on oss-04 itself;.*Call +who runs the file system/s);
  assert.match(text, /1 incident out of/);
  assert.match(await scanned(t, 'oss-04.log', lines.slice(2)), /No incident/);
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

test('a node that GPFS expels is the one to look at, not the manager that says so', async (t) => {
  const text = await scanned(t, 'mmfs-mgr-07.log.latest', [
    '2026-11-26_04:11:40.010+0000: [N] Node 10.8.1.7 (ai-207) lease renewal is overdue. Pinging to check if it is alive',
    '2026-11-26_04:12:10.010+0000: [E] Node 10.8.1.7 (ai-207) is being expelled because of an expired lease. Pings sent: 60. Replies received: 0.',
    '2026-11-26_04:12:11.010+0000: [N] Recovering nodes: 10.8.1.7',
    '2026-11-26_04:12:19.010+0000: [N] Recovered 1 nodes for file system scratch.',
  ]);
  assert.match(text, /Do +see why GPFS expelled ai-207: is it up/);
  assert.match(text, /Now +ping -c 3 ai-207; ssh ai-207 uptime; there, sudo mmgetstate/);
  assert.match(text, /1 incident out of/);
});

test('a host that cannot mount GPFS is the one of the file, and takes no new work', async (t) => {
  const text = await scanned(t, 'ai-209-mmfs.log.previous', [
    '2026-11-26_04:11:40.010+0000: [E] Failed to mount file system work2: Stale file handle',
  ]);
  assert.match(text, /Do +see why ai-209 cannot mount GPFS work2/);
  assert.match(text, /nodename=ai-209 state=drain.*mmlsdisk work2 -e/s);
  assert.match(text, /Call +who runs the file system/);
});

test('in a long log of GPFS the one line that counts is not passed over', async (t) => {
  const day = Array.from({ length: 1200 }, () => '2026-11-26_03:11:40.010+0000: [I] Accepted and connected to 10.8.1.9 ai-209 <c0n12>'); // biome-ignore format: one line
  const line = '2026-11-26_04:12:10.010+0000: [N] Expelling: 10.8.1.7 (ai-207)';
  assert.match(await scanned(t, 'mmfs.log.latest', [...day, line, ...day]), /Do +see why GPFS expelled ai-207/);
});

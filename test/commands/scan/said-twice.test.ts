// What a log says of one fault under two names, or again within the day, is one incident.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Logs, scannedLogs } from './scanned.ts';

async function rootsOf(t: TestContext, logs: Logs): Promise<string[]> {
  const text = await scannedLogs(t, logs);
  return [...text.matchAll(/^(?:Root cause +|No root cause)(.*)$/gm)].map(([, root = '']) => root);
}

const down = (time: string, disk: string): string =>
  `Jan 28 ${time} node-1 kernel: nvme ${disk}: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10`;

test('a disk that fails again an hour later is one incident; another disk is another', async (t) => {
  const one = await rootsOf(t, { 'kern.log': [down('14:54:37', 'nvme0'), down('16:15:20', 'nvme0'), down('17:19:47', 'nvme0')] });
  assert.equal(one.length, 1, one.join());
  const two = await rootsOf(t, { 'kern.log': [down('14:54:37', 'nvme0'), down('17:19:47', 'nvme1')] });
  assert.equal(two.length, 2, two.join());
}); // biome-ignore format: short enough

test('a GPU by its number, and what the driver asks for, are of the only GPU that the log names then', async (t) => {
  const xid = (address: string): string =>
    `[  812.100000] NVRM: Xid (PCI:${address}): 62, 323f0f30 0000c3d8 00000000 206dae68`;
  const halted = '[  812.200000] NVRM: GPU0 _kgspRpcGspEventPmuHalted: Received signal from GSP that PMU has halted.';
  const asked =
    '[  812.300000] NVRM: Xid (PCI:0000:01:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)';
  const one = await rootsOf(t, { 'dmesg.txt': [xid('0000:01:00'), halted, asked] });
  assert.equal(one.length, 1, one.join());
  assert.match(one.join(), /gpu 0000:01:00\.0/);
  const several = await rootsOf(t, { 'dmesg.txt': [xid('0000:01:00'), xid('0000:81:00'), halted] });
  assert.ok(several.length > 1, several.join());
});

test('a SCSI address that is offline is the only disk that failed in that minute', async (t) => {
  const roots = await rootsOf(t, {
    'dmesg.txt': [
      '[19732.853494] sd 0:1:0:0: rejecting I/O to offline device',
      '[19733.948194] sd 0:1:0:0: [sdb] tag#5 FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_OK cmd_age=61s',
      '[19733.957349] sd 0:1:0:0: [sdb] tag#5 Sense Key : Medium Error [current]',
      '[19733.980182] I/O error, dev sdb, sector 14010528 op 0x0:(READ) flags 0x0 phys_seg 64 prio class 2',
    ],
  });
  assert.equal(roots.length, 1, roots.join());
  assert.match(roots.join(), /disk sdb/);
});

test('that a scheduler of a job ended is of the connection that its own lines name', async (t) => {
  const roots = await rootsOf(t, {
    'server.log': [
      'node5:240:240 [6] misc/socket.cc:533 NCCL WARN socketPollConnect: Connect to 10.0.0.4<56849> returned 113(No route to host) errno 115(Operation now in progress)',
      '[2025-02-24 14:09:34 TP14] Scheduler hit an exception: Traceback (most recent call last):',
      '  File "/srt/managers/scheduler.py", line 1816, in run_scheduler_process',
      '    scheduler = Scheduler(server_args, port_args, gpu_id, tp_rank, dp_rank)',
      'torch.distributed.DistBackendError: NCCL error in: NCCLUtils.hpp:268, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5',
    ],
  });
  assert.equal(roots.length, 1, roots.join());
});

// What a report says of ends, effects and doubts: that a thing was over, that a job is what failed, and who confirms it.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const scanned = (t: TestContext, name: string, lines: readonly string[]): Promise<string> =>
  scannedLogs(t, { [name]: lines });

test('a reset of AMD’s driver that worked is shown in the chain, though a later one failed', async (t) => {
  const amd = (clock: string, words: string): string =>
    `[Sun Nov 29 ${clock} 2026] amdgpu 0000:c1:00.0: amdgpu: ${words}`;
  const text = await scanned(t, 'dmesg-mi-03.txt', [
    amd('05:11:40', '1 uncorrectable hardware errors detected in umc block'),
    amd('05:11:40', 'GPU reset begin!'),
    amd('05:11:52', 'GPU reset(2) succeeded!'),
    amd('05:14:40', 'ring gfx_0.0.0 timeout, signaled seq=1181, emitted seq=1183'),
    amd('05:14:40', 'GPU reset begin!'),
    amd('05:14:52', 'GPU reset end with ret = -110'),
  ]);
  assert.match(text, /reset begin!".*05:11:52 .* over "[^"]*GPU reset\(2\) succeeded!".*05:14:52 .* reset failed/);
  assert.match(text, /1 incident out of 5 events/);
});

test('once the mains are back no step asks whether the UPS still runs on its batteries', async (t) => {
  const lines = [
    'Nov 29 02:10:02 stor-01 apcupsd[811]: Power failure.',
    'Nov 29 02:10:08 stor-01 apcupsd[811]: Running on UPS batteries.',
  ];
  const before = await scanned(t, 'syslog', lines);
  assert.match(before, /Now +ask the UPS of stor-01 whether it runs on battery still/);
  const back = 'Nov 29 02:12:08 stor-01 apcupsd[811]: Mains returned. No longer on UPS batteries.';
  const after = await scanned(t, 'syslog', [...lines, back]);
  assert.match(after, /Do +nothing at once: the mains are back; ask why the UPS of stor-01 ran on its batteries/);
  assert.match(after, /Now +the mains are back since 02:12:08 UTC: .* ask what was logged at 02:10:02 UTC/);
  assert.match(after, /02:12:08 .*, over +apcupsd "apcupsd\[811\]: Mains returned/);
  assert.doesNotMatch(after, /runs on battery still/);
});

test('the failure of a job is not named as its effect, and its own log is not held against it', async (t) => {
  const text = await scanned(t, 'slurm-90900.out', [
    '[2026-11-29 02:30:50] iteration 120 | lm loss: 2.311E+00 |',
    '[rank4]: RuntimeError: CUDA error: device-side assert triggered',
  ]);
  assert.match(text, /Effect +on job 90900(?: rank 4)? itself/);
  assert.match(text, /Confirm +by the exit status/);
  assert.doesNotMatch(text, /Confirm[^"]*a user of the host could have written all of it; would/);
});

const hung = (clock: string): string[] => [
  `2026-11-28T${clock}.100000+00:00 gx-70 kernel: INFO: task python3:33121 blocked for more than 122 seconds.`,
  `2026-11-28T${clock}.100300+00:00 gx-70 kernel: task:python3         state:D stack:    0 pid:33121 ppid: 33001 flags:0x00000000`,
];

test('a report of a hung task has two lines that name it and is one; two reports are two', async (t) => {
  assert.match(await scanned(t, 'kern.log', hung('07:12:10')), /task blocked in the kernel {3}kernel log/);
  const both = await scanned(t, 'kern.log', [...hung('07:12:10'), ...hung('07:14:12')]);
  assert.match(both, /task blocked in the kernel, 2 times {3}kernel log/);
});

test('a node that does not respond, is set down for it and loses its job, is down once, and the job is said', async (t) => {
  const text = await scanned(t, 'slurmctld.log', [
    '[2026-11-28T05:12:01.120] error: Nodes gx-27 not responding',
    '[2026-11-28T05:13:41.120] error: Nodes gx-27 not responding, setting DOWN',
    '[2026-11-28T05:13:41.121] Killing JobId=48500 on failed node gx-27',
  ]);
  assert.match(text, /05:12:01 +gx-27 +host down +program-log/);
  assert.match(text, /Effect +gx-27 does not answer, and job 48500 ended there/);
});

test('a rank that raised for what the network did is the effect, and not the network’s own word', async (t) => {
  const text = await scanned(t, 'slurm-48400.out', [
    '2026-11-28T07:01:44Z gx-17:55121:55402 [4] transport/net_ib.cc:1295 NCCL WARN NET/IB : mlx5_4:1 Got async event : port error',
    '2026-11-28T07:01:58Z gx-17:55121:55398 [4] transport/net_ib.cc:1698 NCCL WARN NET/IB: Got completion from peer 10.12.4.18<51234> with status=12 opcode=32708 len=0 vendor err 129 (Recv) hca mlx5_4',
    '[rank12]: torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:2248, remote process exited or there was a network error, NCCL version 2.21.5',
  ]);
  assert.match(text, /Effect +job 48400 rank 12 raised DistBackendError/);
});

test('a process whose channels the driver removed ended, and the pattern asks for no other', async (t) => {
  const xid = (rest: string) => `2026-11-28T22:05:13.448120+00:00 gx-33 kernel: NVRM: Xid (PCI:0000:5d:00): ${rest}`;
  const text = await scanned(t, 'messages', [
    xid(
      "48, pid='<unknown>', name=<unknown>, DBE (double bit error) ECC Error at partition 7, subpartition 1. Valid pid",
    ),
    xid('45, pid=31337, name=python3, Ch 00000008'),
  ]);
  assert.match(text, /Effect +process python3 \(31337\) ended/);
  assert.doesNotMatch(text, /not seen: the process or job on the GPU ended/);
});

// What a scan says of a part that is to be reseated, swapped or asked for: which one it is, and what its vendor wants to have.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const COUNTERS = ['NIC statistics:', '     rx_packets: 5511', '     rx_symbol_err_phy: 77121', '     tx_packets: 12'];

test('counters of a port without a name first ask which port of the host it is', async (t) => {
  const text = await scannedLogs(t, { 'gx-19-ethtool.txt': COUNTERS });
  assert.match(text, /Root cause +NIC link degraded on a port that the source does not name \(gx-19\)\n/);
  assert.match(text, /Do +find which port of gx-19 it is, then check its cable/);
  assert.match(text, /Now +on gx-19, for d in \/sys\/class\/net\/\*; do echo \$d; sudo ethtool -S \$\{d##\*\/\} 2>&1 \| grep -w rx_symbol_err_phy; done;/); // biome-ignore format: one line
  assert.doesNotMatch(text, /transceiver of gx-19/);
});

test('the command above the counters names the port', async (t) => {
  const text = await scannedLogs(t, { 'gx-19-terminal.txt': ['ops@gx-19:~$ sudo ethtool -S ens7f1np1', ...COUNTERS] });
  assert.match(text, /Root cause +NIC link degraded on ens7f1np1/);
  assert.match(text, /Do +check cable, optics and connector of ens7f1np1 of /);
});

const ENTRY = (id: string, message: string, fqdd: string): string[] => [
  'SeqNumber       = 712',
  `Message ID      = ${id}`,
  'Severity        = Critical',
  'Timestamp       = 2026-11-29 07:12:33',
  `Message         = ${message}`,
  `FQDD            = ${fqdd}`,
  '-'.repeat(80),
];

test('a fan that fails is swapped on the host that the name of the log has', async (t) => {
  const text = await scannedLogs(t, {
    'gx-23-lclog.txt': ENTRY('FAN0000', 'Fan 2B RPM is less than the lower warning threshold.', 'Fan.Embedded.2B'),
  });
  assert.match(text, /INCIDENT \w+ +warning /);
  assert.match(text, /Root cause +fan failed on gx-23 fan 2B\n/);
  assert.match(text, /Do +have gx-23 fan 2B swapped/);
  assert.match(text, /Call +who may touch the hardware of gx-23\n/);
  assert.doesNotMatch(text, /cooling of gx-23|the host of/);
});

test('an entry of the BMC by any name of its number is its own, no word of a job', async (t) => {
  for (const first of ['SeqNumber       = 88', 'SequenceNumber  = 88', 'Sequence Number = 88']) {
    const [, ...rest] = ENTRY(
      'PCI1320',
      'A bus fatal error was detected on a component at bus 93 device 0 function 0.',
      '',
    );
    const text = await scannedLogs(t, { 'lclog-gx-25.txt': [first, ...rest] });
    assert.match(text, /Root cause +fatal PCIe error on gx-25: 0000:5d:00\.0\n/);
    assert.match(text, /Call +who may touch the hardware of gx-25\n/);
    assert.doesNotMatch(text, /crashed|can stay in service|the disk of/);
  }
});

test('several fans at once are not swapped one by one unseen', async (t) => {
  const text = await scannedLogs(t, {
    'gx-24-sel.txt': [3, 4].map(
      (fan) => ` ${fan} | 11/29/2026 | 07:12:3${fan} | Fan #0x3${fan} | Lower Critical going low  | Asserted`,
    ),
  });
  assert.match(text, /\n1 incident out of 2 events/);
  assert.match(text, /Do +see why several fans of gx-24 failed together/);
});

test('what only a BMC tells of a machine check is looked for in its log, on the host that the log is of', async (t) => {
  const text = await scannedLogs(t, {
    'gx-25-idrac-lclog.txt': ENTRY('CPU0000', 'CPU 2 has an internal error (IERR).', 'CPU.Socket.2'),
  });
  assert.match(
    text,
    /Now +let no new work onto gx-25 [\s\S]*save what its BMC kept, .*Dell: racadm techsupreport collect/,
  );
  assert.doesNotMatch(text, /dmesg|the host of/);
});

test('a warm inlet is on the host that the name of the log has', async (t) => {
  const text = await scannedLogs(t, {
    'gx-26-lclog.txt': ENTRY(
      'TMP0121',
      'The system inlet temperature is greater than the upper critical threshold.',
      'x',
    ),
  });
  assert.match(text, /Root cause +inlet too warm on gx-26\n/);
  assert.match(text, /blocks the air of gx-26; take work off gx-26/);
});

test('a GPU that failed a test of dcgmi diag is called so, and reseated where that is what the test says', async (t) => {
  const text = await scannedLogs(t, {
    'gx-27-dcgmi-diag.txt': [
      '| Diagnostic                | Result                                         |',
      '+===========================+================================================+',
      '| PCIe                      | Fail - GPU: 2                                  |',
      '| Warning                   | GPU 2 Detected 96 PCIe replays per minute for  |',
      '|                           | GPU 2 : 8 DCGM expects < 80. Reconnect PCIe ca |',
      '|                           | rd.                                            |',
      '+---------------------------+------------------------------------------------+',
    ],
  });
  assert.match(
    text,
    /Root cause +corrected PCIe error on GPU 2: dcgmi diag: Fail, PCIe test: GPU 2 Detected 96 PCIe replays per minute for \(gx-27\)\n/,
  );
  assert.match(text, /Do +reseat GPU 2 of gx-27 and its riser/);
  assert.match(text, /have it and its riser or cables reseated, then run sudo dcgmi diag -r 3 -i 2;/);
});

test('before a GPU is asked for, what its driver knows is saved', async (t) => {
  const text = await scannedLogs(t, {
    'kern.log': [
      "Nov 29 05:00:00 gx-28 kernel: NVRM: Xid (PCI:0000:9b:00): 64, pid='<unknown>', name=<unknown>, Row Remapper Error",
    ],
  });
  assert.match(text, /sudo nvidia-bug-report\.sh\), then open a case for gx-28 gpu 0000:9b:00\.0 with that and /);
});

const LOCKUP = (at: string, s: number): string =>
  `Nov 29 08:00:${at} gx-31 kernel: watchdog: BUG: soft lockup - CPU#7 stuck for ${s}s! [dataloader:5512]`;

test('a CPU that was held for half a minute is looked at first, and one that does not let go is rebooted', async (t) => {
  const short = await scannedLogs(t, { 'kern.log': [LOCKUP('00', 22)] });
  assert.match(short, /Do +see whether a CPU of gx-31 still hangs, and reboot it where it does/);
  assert.match(short, /grep -A30 'soft lockup' shows which CPU/);
  const long = await scannedLogs(t, { 'kern.log': [22, 48, 74, 100, 126].map((s, i) => LOCKUP(`${10 * i + 10}`, s)) });
  assert.match(long, /Do +reboot gx-31/);
});

test('of several kills of a host the title names the one that held most, with what it shared', async (t) => {
  const kill = (at: string, pid: number, name: string, own: number, shared: number): string =>
    `Nov 29 08:10:${at} gx-32 kernel: Out of memory: Killed process ${pid} (${name}) total-vm:900000000kB, anon-rss:${own}kB, file-rss:4kB, shmem-rss:${shared}kB, UID:1200 pgtables:900kB oom_score_adj:0`;
  const text = await scannedLogs(t, {
    'kern.log': [
      kill('00', 411, 'node_exporter', 2100, 0),
      kill('07', 9120, 'pt_data_worker', 83886080, 314572800),
      kill('09', 9121, 'pt_data_worker', 209715200, 0),
    ],
  });
  assert.match(
    text,
    /Root cause +killed by the out-of-memory killer on gx-32 process 9120: pt_data_worker, which held 380 GiB\n/,
  );
  assert.match(text, /Do +see what filled the memory of gx-32: pt_data_worker \(9120\), which was killed, 380 GiB/);
});

const RAS = (at: string, words: string): string =>
  `[Sun Nov 29 09:00:${at} 2026] amdgpu 0000:83:00.0: amdgpu: ${words}`;

test('a memory error without a module asks which one it was, and one with its module is replaced', async (t) => {
  const bare = await scannedLogs(t, {
    'gx-33-sel.txt': [' 9 | 11/29/2026 | 01:02:03 | Memory | Uncorrectable ECC | Asserted'],
  });
  assert.match(bare, /Do +find the memory module of gx-33 that failed, and replace it/);
  assert.match(bare, /sudo ras-mc-ctl --errors/);
});

test('GPUs of AMD that pods cannot have are looked for with tools of AMD', async (t) => {
  const text = await scannedLogs(t, {
    'describe.txt': [
      'Name:               mi-34',
      'Capacity:',
      '  amd.com/gpu:        8',
      'Allocatable:',
      '  amd.com/gpu:        5',
    ],
  });
  assert.match(text, /mi-34 only 5 of 8 GPUs for pods/);
  assert.match(text, /Now +on mi-34, sudo amd-smi list, and sudo dmesg -T \| grep -iE 'amdgpu/);
  assert.doesNotMatch(text, /nvidia|xid/);
});

test('a partition that its md array has thrown out is taken out of it, and nothing is copied off its disk', async (t) => {
  const text = await scannedLogs(t, {
    'kern.log': [
      'Nov 29 04:00:01 st-35 kernel: I/O error, dev nvme5n1, sector 7712 op 0x1:(WRITE) flags 0x800 phys_seg 1 prio class 2',
      'Nov 29 04:00:01 st-35 kernel: md/raid10:md127: Disk failure on nvme5n1p3, disabling device.',
      'Nov 29 04:00:01 st-35 kernel: md/raid10:md127: Operation continuing on 3 devices.',
    ],
  });
  assert.match(text, /Do +swap st-35 disk nvme5, which the array md127 has thrown out/);
  assert.match(text, /sudo mdadm \/dev\/md127 --remove \/dev\/nvme5n1p3/);
  assert.doesNotMatch(text, /copy off/);
});

test('a GPU of AMD that its driver reset after a memory error is looked at, and not reset once more', async (t) => {
  const lines = [
    RAS('00', '{7}Hardware error from UMC block:'),
    RAS('00', 'socket: 1, die: 0, 2 uncorrectable hardware errors detected in umc block'),
    RAS('01', 'GPU reset begin!'),
  ];
  const reset = await scannedLogs(t, { 'mi-3-dmesg.log': [...lines, RAS('05', 'GPU reset(4) succeeded!')] });
  assert.match(reset, /\n1 incident out of /);
  assert.match(reset, /Do +see whether mi-3 gpu 0000:83:00\.0 is whole again: its driver reset it by itself/);
  assert.match(reset, /the reset succeeded at 09:00:05 UTC/);
  assert.match(reset, /the driver resets it +kernel log "amdgpu 0000:83:00\.0: amdgpu: GPU reset begin!"/);
  assert.doesNotMatch(reset, /amd-smi reset/);
  assert.match(
    await scannedLogs(t, { 'mi-3-dmesg.log': lines }),
    /Do +drain the jobs from mi-3 gpu 0000:83:00\.0, then reset it/,
  );
});

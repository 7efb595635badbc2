// What can no longer be done on a host: nothing where its kernel stopped, little where its file system is read-only, and no tool asks a disk that is gone.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const scanned = (t: TestContext, lines: readonly string[]): Promise<string> => scannedLogs(t, { 'kern.log': lines });

const at = (second: string, text: string): string => `2026-11-30T09:${second}.100000+00:00 gx-28 kernel: ${text}`;

test('after a panic the power is asked and cycled, nothing is run on the host, and it is said that it stopped', async (t) => {
  const text = await scanned(t, [
    at('06:44', 'BUG: unable to handle page fault for address: ffffb2c0c1a00000'),
    at('07:12', 'watchdog: BUG: soft lockup - CPU#12 stuck for 26s! [kworker/12:1:4411]'),
    at('07:14', 'Kernel panic - not syncing: softlockup: hung tasks'),
  ]);
  assert.match(text, /Effect +gx-28 stopped\n/);
  assert.match(text, /Do +bring gx-28 up through its BMC: its kernel stopped/);
  const now = /\nNow +(.*\nCall.*(?:\nThen.*)?)\n/.exec(text)?.[1] ?? '';
  assert.match(
    now,
    /^ipmi='ipmitool .* chassis power status; .*chassis power cycle.*[Oo]nce it is up, .*\/sys\/fs\/pstore/s,
  );
  assert.doesNotMatch(now, /sudo (?:dmesg|systemctl)/);
});

test('a panic alone, and one behind a disk, come up first as well', async (t) => {
  const alone = await scanned(t, [at('07:14', 'Kernel panic - not syncing: Fatal exception in interrupt')]);
  assert.match(alone, /Now +ipmi='ipmitool .* chassis power status; /);
  const disk = await scanned(t, [
    at('06:44', 'EXT4-fs (sda2): Remounting filesystem read-only'),
    at('07:14', 'Kernel panic - not syncing: EXT4-fs (device sda2): panic forced after error'),
  ]);
  assert.match(disk, /Now +gx-28 stopped: ipmitool .* chassis power status, .*once it is up, /s);
});

test('a file system that became read-only takes its host out of service, and is said', async (t) => {
  const text = await scanned(t, [
    at(
      '06:44',
      'blk_update_request: I/O error, dev sda, sector 1182211 op 0x1:(WRITE) flags 0x800 phys_seg 1 prio class 0',
    ),
    at('06:45', 'EXT4-fs (sda2): Remounting filesystem read-only'),
  ]);
  assert.match(text, /Effect +file system sda2 of gx-28 is read-only\n/);
  assert.match(text, /Root cause +storage I\/O error on gx-28 disk sda, file system sda2 became read-only\n/);
  assert.match(text, /Do +take gx-28 out of service, whose file system is read-only; then check gx-28 disk sda /);
  assert.match(text, /Now +let no new work onto gx-28 [\s\S]*Then +on gx-28, copy off .*smartctl -a \/dev\/sda\)/);
});

test('a disk that the kernel removed is asked by no smartctl, and is read before the fault of a program', async (t) => {
  const text = await scanned(t, [
    at('01:11', 'NVRM: Xid (PCI:0000:4c:00): 31, pid=71102, name=python3, Ch 00000018, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_3 faulted @ 0x7f2c_11200000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ'),
    at('44:20', 'nvme nvme2: I/O 121 QID 4 timeout, aborting'),
    at('45:50', 'nvme nvme2: Device not ready; aborting reset, CSTS=0x1'),
    at('45:50', 'nvme nvme2: Removing after probe failure status: -19'),
  ]); // biome-ignore format: a line a line
  assert.match(text, /Do +bring back or replace gx-28 disk nvme2, which the kernel gave up/);
  assert.doesNotMatch(text, /sudo smartctl/);
  assert.match(
    text,
    /(?:The first to read|The gravest of them): \w{6}, error: storage I\/O error on gx-28 disk nvme2\./,
  );
});

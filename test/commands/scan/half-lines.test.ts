// What a scan makes of lines that mail and forums fold or cut, and of those that say less than others of their kind do.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

async function roots(t: TestContext, lines: readonly string[]): Promise<string[]> {
  const { incidents } = JSON.parse(await scannedLogs(t, { 'node-7.log': lines }, '--json')) as {
    incidents: { root: { kind: string; component: { type: string; id: string } | null } }[];
  };
  return incidents.map(({ root }) => `${root.kind} ${root.component?.type}`);
}

const CASES: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
  'a soft lockup whose process is on the next line': [
    ['[  893.262506] watchdog: BUG: soft lockup - CPU#5 stuck for 26s!', '[mdX_raid5:24608]'],
    ['host.soft_lockup host'],
  ],
  'a task abort that megaraid_sas could not do': [
    ['Feb 06 19:44:07 node-7 kernel: sd 0:2:4:0: [sdc] tag#4752 task abort FAILED!! scmd(0x00000000d51beacc)'],
    ['storage.stall disk'],
  ],
  'aborts and resets that worked': [
    [
      'Feb 06 19:45:06 node-7 kernel: sd 0:2:4:0: attempting task abort! scmd(0x00000000d9406c9c) tm_dev_handle 0x4',
      'Feb 06 19:45:06 node-7 kernel: sd 0:2:4:0: [sdc] tag#8292 task abort SUCCESS!! scmd(0x00000000d9406c9c)',
      'Feb 06 19:45:06 node-7 kernel: sd 0:2:4:0: [sdc] tag#4752 target reset SUCCESS!!',
    ],
    [],
  ],
  'an OSD that went down and stayed out': [
    [
      'Jan 09 01:28:55 node-7 kernel: libceph: osd9 down',
      'Jan 09 01:39:20 node-7 kernel: libceph: osd9 weight 0x0 (out)',
    ],
    ['storage.stall host'],
  ],
  'an OSD that was taken out while it was up': [
    [
      'Jan 09 01:27:13 node-7 kernel: libceph: osd6 down',
      'Jan 09 01:27:43 node-7 kernel: libceph: osd6 up',
      'Jan 09 01:32:35 node-7 kernel: libceph: osd6 weight 0x0 (out)',
      'Jan 09 01:52:35 node-7 kernel: libceph: osd6 weight 0x10000 (in)',
    ],
    [],
  ],
  'a btrfs without room, which makes itself read-only': [
    [
      'Oct 26 15:25:39 node-7 kernel: BTRFS: error (device sdf state A) in __btrfs_free_extent:3211: errno=-28 No space left',
      'Oct 26 15:25:39 node-7 kernel: BTRFS info (device sdf state EA): forced readonly',
    ],
    ['host.disk_full disk'],
  ],
  'the sound of a GPU that was not reset': [
    [
      'Dec 28 04:26:40 node-7 kernel: amdgpu 0000:03:00.0: amdgpu: GPU reset(2) failed',
      'Dec 28 04:26:40 node-7 kernel: snd_hda_intel 0000:03:00.1: Unable to change power state from D3cold to D0, device inaccessible',
    ],
    ['gpu.reset_failed gpu'],
  ],
  'what AMD says of the reset before this boot': [
    [
      '[    0.412001] x86/amd: Previous system reset reason [0x08000800]: an uncorrected error caused a data fabric sync flood event',
    ],
    ['cpu.machine_check host'],
  ],
  'a reset that was asked for': [
    [
      '[    0.412001] x86/amd: Previous system reset reason [0x00080800]: software wrote 0x6 to reset control register 0xCF9',
    ],
    [],
  ],
  'a self-test of a disk that failed': [
    [
      'Self-test execution status:      ( 121)\tThe previous self-test completed having',
      '\t\t\t\t\tthe read element of the test failed.',
    ],
    ['storage.io_error host'],
  ],
  'self-tests that ended well, were ended by a user, or run': [
    [
      'Self-test execution status:      (   0)\tThe previous self-test routine completed',
      'Self-test execution status:      (  25)\tThe self-test routine was aborted by the host.',
      'Self-test execution status:      ( 249)\tSelf-test routine in progress...',
    ],
    [],
  ],
  'a queue of IPoIB, which has no driver by its name': [
    ['[  12.300000] NETDEV WATCHDOG: ib0.beef (): transmit queue 26 timed out'],
    ['nic.command_timeout nic'],
  ],
  'memory of which Slurm says only that it is low': [
    ['NodeName=node-7 State=IDLE+DRAIN ThreadsPerCore=1', '   Reason=Low RealMemory [root@2022-05-18T17:20:20]'],
    ['host.degraded host'],
  ],
  'a driver of ROCm that is not loaded': [
    [
      'ROCk module is NOT loaded, possibly no GPU devices',
      'Unable to open /dev/kfd read-write: No such file or directory',
    ],
    ['gpu.driver_unsupported host'],
  ],
  'an Xid 74 in capitals': [
    ['NVRM: Xid (PCI:0000:03:00): 74, pid=1234, NVLink: Fatal error detected on link 4'],
    ['nvlink.fatal nvlink'],
  ],
  'a table of nvidia-smi folded at 80 columns': [
    [
      '|   0  NVIDIA H100 80GB HBM3          On  |   00000000:03:00.0 Off |',
      'ERR! |',
      '|ERR!   36C    P0            145W / ERR!  |       1MiB /  81559MiB |    100%',
      'Default |',
      '|   1  NVIDIA H100 80GB HBM3          On  |   00000000:04:00.0 Off |',
      '0 |',
      '| N/A   31C    P0             68W /  700W |       1MiB /  81559MiB |      0%',
      'Default |',
    ],
    ['gpu.fault gpu'],
  ],
  'the same of GPUs that answer': [
    [
      '|   0  NVIDIA H100 80GB HBM3          On  |   00000000:03:00.0 Off |',
      '0 |',
      '| N/A   36C    P0            145W /  700W |       1MiB /  81559MiB |    100%',
      'Default |',
      '|                                         |                        |',
      'Disabled |',
    ],
    [],
  ],
  'a row of dcgmi diag that is called Error': [
    [
      '| Diagnostic                | Result                                         |',
      '+===========================+================================================+',
      '|-----  Deployment  --------+------------------------------------------------|',
      '| Error                     | GPU 3 has uncorrectable memory errors and row  |',
      '|                           |  remappings are pending                        |',
    ],
    ['gpu.memory.row_remap_pending undefined'],
  ],
};

for (const [name, [lines, expected]] of Object.entries(CASES))
  test(name, async (t) => assert.deepEqual(await roots(t, lines), expected));

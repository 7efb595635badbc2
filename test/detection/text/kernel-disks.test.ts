// Disks below the block layer, journals, controllers and accelerators that are not NVIDIA's own driver's: words of their sources, made-up devices.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeLines } from './lines.ts';

function reported(line: string): string[] {
  return decodeLines([line]).map(
    ({ kind, component }) => `${kind} ${component === null ? '?' : `${component.type}/${component.id}`}`,
  );
}

const LINES: readonly (readonly [line: string, reported: string])[] = [
  ['sd 0:2:0:0: [sda] tag#12 Sense Key : Medium Error [current]', 'storage.io_error disk/sda'],
  ['sd 0:2:0:0: [sda] tag#12 Sense Key : Hardware Error [deferred]', 'storage.io_error disk/sda'],
  ['sd 4:0:0:0: [sdc] tag#0 FAILED Result: hostbyte=DID_NO_CONNECT driverbyte=DRIVER_OK cmd_age=0s', 'storage.io_error disk/sdc'],
  ['ata3: COMRESET failed (errno=-16)', 'storage.io_error host/node-1'],
  ['ata3.00: disabled', 'storage.io_error host/node-1'],
  ['ata3.00: exception Emask 0x10 SAct 0x0 SErr 0x400000 action 0x6 frozen', 'storage.io_error host/node-1'],
  ['megaraid_sas 0000:18:00.0: FW in FAULT state!!', 'storage.io_error host/node-1'],
  ['mpt3sas_cm0: fault_state(0x2667)!', 'storage.io_error host/node-1'],
  ['Aborting journal on device sdb1-8.', 'storage.readonly disk/sdb'],
  ['JBD2: Detected IO errors while flushing file data on dm-0-8', 'storage.readonly host/node-1'],
  ['loop: Write error at byte offset 81264640, length 4096.', 'storage.io_error host/node-1'],
  ['XFS (sdb1): metadata I/O error in "xfs_imap_to_bp+0x61/0xb0 [xfs]" at daddr 0x40 len 32 error 5', 'storage.io_error disk/sdb'],
  ['BTRFS error (device sdb1: state EA): bdev /dev/sdb1 errs: wr 5, rd 0, flush 0, corrupt 0, gen 0', 'storage.io_error disk/sdb'],
  ["WARNING: Pool 'tank' has encountered an uncorrectable I/O failure and has been suspended.", 'storage.io_error host/node-1'],
  ["Solaris: WARNING: Pool 'tank' has encountered an uncorrectable I/O failure and has been suspended", 'storage.io_error host/node-1'],
  ["WARNING: MMP writes to pool 'tank' have not succeeded in over 5s; suspending pool", 'storage.io_error host/node-1'],
  ["WARNING: MMP writes to pool 'tank' have not succeeded in over 10175 ms; suspending pool. Hrtime 4411", 'storage.io_error host/node-1'],
  ['zio pool=tank vdev=/dev/sdc1 error=5 type=1 offset=270336 size=8192 flags=721601', 'storage.io_error disk/sdc'],
  ['zio pool=tank vdev=/dev/disk/by-id/wwn-0x5000cca200000000-part1 error=5 type=2 offset=270336 size=8192 flags=721601', 'storage.io_error host/node-1'],
  ['XFS: Internal error XFS_WANT_CORRUPTED_RETURN at line 342 of file fs/xfs/xfs_alloc.c.  Caller 0xffffffffa01e76c2', 'storage.io_error host/node-1'],
  ['XFS internal error XFS_WANT_CORRUPTED_GOTO at line 1546 of file fs/xfs/xfs_alloc.c.  Caller 0xffffffff8819ae10', 'storage.io_error host/node-1'],
  ['Filesystem "sdb1": XFS internal error xfs_trans_cancel at line 1138 of file fs/xfs/xfs_trans.c.  Caller 0xffffffff881a7d7a', 'storage.io_error disk/sdb'],
  ['I/O error in filesystem ("sdb1") meta-data dev sdb1 block 0x3a3c8a9       ("xlog_iodone") error 5 buf count 1024', 'storage.io_error disk/sdb'],
  ['xfs_force_shutdown(sdb1,0x2) called from line 956 of file fs/xfs/xfs_log.c.  Return address = 0xffffffff8817b9c4', 'storage.readonly disk/sdb'],
  ['i915 0000:00:02.0: [drm] GPU HANG: ecode 12:1:85dffdfb, in python3 [1234]', 'gpu.fault gpu/0000:00:02.0'],
  ['habanalabs 0000:19:00.0 accel0: Device heartbeat failed!', 'gpu.fault gpu/0000:19:00.0'],
  ['[drm:nv_drm_load [nvidia_drm]] *ERROR* [nvidia-drm] [GPU ID 0x00000100] Failed to allocate NvKmsKapiDevice', 'gpu.init_failure gpu/0000:01:00.0'],
  ['amdgpu 0000:03:00.0: amdgpu: ASIC reset failed with error, -121 for drm dev, 0000:03:00.0', 'gpu.reset_failed gpu/0000:03:00.0'],
  ['amdgpu 0000:03:00.0: amdgpu: GPU mode1 reset failed', 'gpu.reset_failed gpu/0000:03:00.0'],
  ['amdgpu 0000:03:00.0: amdgpu: Fatal error during GPU init', 'gpu.init_failure gpu/0000:03:00.0'],
  ['[drm ERROR :amdgpu_job_timedout] ring gfx_0.0.0 timeout, signaled seq=12174921, emitted seq=12174923', 'gpu.fault ?'],
  ['[drm:amdgpu_device_ip_init [amdgpu]] *ERROR* hw_init of IP block <gfx_v9_0> failed -110', 'gpu.init_failure ?'],
  ['NVRM: kfspPollForResponse_IMPL: FSP command timed out', 'gpu.init_failure ?'],
  ['NVRM: GPU0 _kgspBootGspRm: unexpected WPR2 already up, cannot proceed with booting GSP', 'gpu.init_failure ?'],
  ['NVRM: RmInitAdapter failed! (0x26:0xffff:1096)', 'gpu.init_failure ?'],
  ['mlx5_core 0000:01:00.0: mlx5_load_one failed with error code -22', 'nic.firmware_fault nic/0000:01:00.0'],
  ['pcieport 0000:80:01.1: AER: Uncorrected (Fatal) error received: 0000:81:00.0', 'pcie.uncorrected_fatal pcie/0000:81:00.0'],
  ['pcieport 0000:00:01.2: AER: Uncorrectable (Non-Fatal) error message received from 0000:63:00.0', 'pcie.uncorrected pcie/0000:63:00.0'],
  ['LNet: 2431:0:(o2iblnd_cb.c:3174:kiblnd_check_conns()) Timed out tx for 192.0.2.87@o2ib: 403 seconds', 'storage.stall host/node-1'],
  ['LustreError: 11-0: work-MDT0000-mdc-ffff88203810d800: operation obd_ping to node 192.0.2.88@o2ib failed: rc = -107', 'storage.stall host/node-1'],
  ['XFS (sdb1): Corruption detected. Unmount and run xfs_repair', 'storage.io_error disk/sdb'],
  ['XFS (nvme0n1): Metadata CRC error detected at xfs_agf_read_verify+0x5e/0x110 [xfs], xfs_agf block 0x1 ', 'storage.io_error disk/nvme0'],
  ['XFS (dm-3): Internal error !ino_ok at line 205 of file fs/xfs/libxfs/xfs_dir2.c.  Caller xfs_dir_ino_validate+0x2e/0x50 [xfs]', 'storage.io_error host/node-1'],
  ['XFS (nvme2n1): log I/O error -5', 'storage.io_error disk/nvme2'],
  ['XFS (sdb1): Failing async write on buffer block 0x7a120. Retrying async write.', 'storage.io_error disk/sdb'],
  ['XFS (sdb1): writeback error on inode 131, offset 0, sector 8842', 'storage.io_error disk/sdb'],
  ['XFS (sdb1): xfs_do_force_shutdown(0x2) called from line 1211 of file fs/xfs/xfs_log.c.  Return address = 00000000d3d2aa3c', 'storage.readonly disk/sdb'],
  ['EXT4-fs warning (device sdb1): ext4_end_bio:344: I/O error 10 writing to inode 393 starting block 9216)', 'storage.io_error disk/sdb'],
  ['EXT4-fs warning (device sdb1): ext4_end_bio:258: I/O error writing to inode 393 (offset 0 size 4096 starting block 9216)', 'storage.io_error disk/sdb'],
  ['EXT4-fs (sdb1): Delayed block allocation failed for inode 393 at logical offset 8 with max blocks 4 with error 5', 'storage.io_error disk/sdb'],
  ['EXT4-fs (sdb1): failed to convert unwritten extents to written extents -- potential data loss!  (inode 393, error -5)', 'storage.io_error disk/sdb'],
  ['md/raid1:md0: nvme3n1p2: unrecoverable I/O read error for block 41216', 'storage.io_error disk/nvme3'],
  ['md/raid10:md0: sdc1: unrecoverable I/O read error for block 41216', 'storage.io_error disk/sdc'],
  ['md/raid:md5: read error not correctable (sector 41216 on sdc1).', 'storage.io_error disk/sdc'],
  ['md/raid:md5: Cannot continue operation (2/4 failed).', 'storage.io_error host/node-1'],
  ['md/raid1:md0: Disk failure on sdc1, this is the last device.', 'storage.io_error disk/sdc'],
  ['nvme nvme3: frozen state error detected, reset controller', 'storage.io_error disk/nvme3'],
  ['nvme nvme3: resetting controller due to AER', 'storage.io_error disk/nvme3'],
  ['i915 0000:4d:00.0: [drm] *ERROR* GuC engine reset request failed on 0:0 (rcs0) because 0x00000000', 'gpu.reset_failed gpu/0000:4d:00.0'],
  ['i915 0000:4d:00.0: [drm] *ERROR* GT0: GUC: Engine reset failed on 0:0 (rcs0) because 0x00000000', 'gpu.reset_failed gpu/0000:4d:00.0'],
  ['habanalabs hl0: 0000:33:00.0 Failed to reset! Device is NOT usable', 'gpu.fault gpu/0000:33:00.0'],
  ['habanalabs hl0: failed to initialize the H/W', 'gpu.fault ?'],
  ['habanalabs 0000:33:00.0 hl0: HBM0 ECC: ECC error detected. address: 0x1f80. Syndrom: 0x3. block id 2. critical 1.', 'gpu.fault gpu/0000:33:00.0'],
  ['mlx5_core 0000:01:00.0: mlx5_health_try_recover:335:(pid 321): health recovery failed', 'nic.firmware_fault nic/0000:01:00.0'],
  ['ena 0000:00:06.0 eth1: Keep alive watchdog timeout.', 'nic.command_timeout nic/0000:00:06.0'],
  ['ena 0000:00:06.0 eth1: The number of lost tx completions is above the threshold (129 > 128). Reset the device', 'nic.command_timeout nic/0000:00:06.0'],
  ['ice 0000:31:00.0 ens1f0: tx_timeout: VSI_num: 10, Q 3, NTC: 0x1, HW_HEAD: 0x0, NTU: 0x2, INT: 0x0', 'nic.command_timeout nic/0000:31:00.0'],
  ['MCE: Killing python3:40117 due to hardware memory corruption fault at 7f12a0', 'memory.ue host/node-1'],
  ['[Hardware Error]: Uncorrected, software containable error.', 'cpu.machine_check host/node-1'],
  ['[Hardware Error]: Deferred error, no action required.', 'cpu.machine_check host/node-1'],
  ['ixgbe: probe of 0000:65:00.0 failed with error -5', 'nic.lost nic/0000:65:00.0'],
  ['nvidia: disagrees about version of symbol module_layout', 'gpu.driver_unsupported host/node-1'],
  ["nvidia_drm: version magic '6.5.0-28-generic SMP preempt mod_unload' should be '6.8.0-40-generic SMP preempt mod_unload'", 'gpu.driver_unsupported host/node-1'],
]; // biome-ignore format: one line each

for (const [line, expected] of LINES)
  test(`${line.slice(0, 80)}: ${expected}`, () => {
    assert.deepEqual(reported(line), [expected]);
    // A name that a user chose, and a program's own words before them, make it none of the kernel's.
    for (const quoted of [`job: ${line}`, `python3[812]: ${line}`, `looking for "${line}"`])
      assert.deepEqual(reported(quoted), [], quoted);
  });

/** The same subsystems on an ordinary day. */
const ORDINARY = [
  'sd 0:2:0:0: [sda] Attached SCSI disk',
  'sd 0:2:0:0: [sda] tag#12 Sense Key : Illegal Request [current]',
  'sd 0:2:0:0: [sda] tag#12 FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_SENSE cmd_age=2s',
  'ata3: SATA link up 6.0 Gbps (SStatus 133 SControl 300)',
  'ata4: SATA link down (SStatus 0 SControl 300)',
  'ata3.00: configured for UDMA/133',
  'megaraid_sas 0000:18:00.0: FW now in Ready state',
  'EXT4-fs (sdb1): mounted filesystem with ordered data mode',
  'BTRFS info (device sdb1): bdev /dev/sdb1 errs: wr 0, rd 0, flush 0, corrupt 0, gen 0',
  'amdgpu 0000:03:00.0: amdgpu: GPU reset succeeded, trying to resume',
  '[drm] PSP is resuming...',
  'i915 0000:00:02.0: [drm] GuC firmware i915/adlp_guc_70.bin version 70.36.0',
  'mlx5_core 0000:01:00.0: firmware version: 16.35.2000',
  'mlx5_core 0000:01:00.0: Port module event: module 1, Cable unplugged',
  'pcieport 0000:80:01.1: AER: Corrected error received: 0000:81:00.0',
  'pcieport 0000:80:01.1: AER: enabled with IRQ 40',
  'LNet: Added LI 192.0.2.4@o2ib [8/256/0/180]',
  '[Hardware Error]: Corrected error, no action required.',
];
test('on an ordinary day they report nothing', () => {
  for (const line of ORDINARY) assert.deepEqual(reported(line), [], line);
});

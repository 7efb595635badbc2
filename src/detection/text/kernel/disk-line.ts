// Lines about disks below the block layer, and of file systems before they give up: SATA, SCSI, controllers, journals, ZFS.

import type { Component } from '../../../model/component.ts';
import type { Severity } from '../../../model/severity.ts';
import { evidenceText } from '../evidence.ts';
import { hostOf, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';
import { diskOf } from './storage-line.ts';

const DEVICE = '[A-Za-z0-9][\\w!.-]{0,31}';

interface Form {
  readonly form: RegExp;
  readonly what: string;
  readonly severity?: Severity;
}

/** The group is the device, where the line names it. */
const FORMS: readonly Form[] = [
  // drivers/scsi/scsi_logging.c and sd.c: what the disk says of its medium, and a host adapter that has lost it.
  { what: 'medium', form: /^sd \d{1,5}(?::\d{1,20}){3}: \[(sd[a-z]{1,4})\] (?:tag#\d{1,6} )?Sense Key : (?:Medium|Hardware) Error\b/ },
  { what: 'connection', form: /^sd \d{1,5}(?::\d{1,20}){3}: \[(sd[a-z]{1,4})\] (?:tag#\d{1,6} )?FAILED Result: hostbyte=DID_(?:NO_CONNECT|BAD_TARGET|TRANSPORT_FAILFAST|TIME_OUT)\b/ },
  // drivers/ata/libata-eh.c, libata-core.c: the link is reset in vain, or the disk is given up.
  { what: 'link', form: /^(ata\d{1,3})(?:\.\d\d)?: (?:COMRESET failed \(errno=-\d{1,3}\)|disabled|reset failed, giving up|exception Emask 0x[0-9a-f]{1,8} SAct 0x[0-9a-f]{1,8} SErr 0x[0-9a-f]{1,8} action 0x[0-9a-f]{1,3} frozen)\s*$/, severity: 'warning' },
  // drivers/scsi/megaraid, mpt3sas, aacraid: the controller's firmware has stopped.
  { what: 'controller', form: /^(megaraid_sas) [0-9a-f:.]{7,16}: (?:\[ ?\d{1,3}\])?.{0,40}FW in FAULT state/ },
  { what: 'controller', form: /^(mpt[23]sas(?:_cm)?\d{1,3}): (?:_base_fault_info ?: ?)?fault_state\(0x[0-9a-f]{4,8}\)/ },
  { what: 'controller', form: /^(aacraid): Host adapter (?:reset request|is dead|BLINK LED 0x[0-9a-f]{1,4})/ },
  // fs/jbd2: the file system that the journal is of takes no more writes.
  { what: 'journal', form: new RegExp(`^Aborting journal on device (${DEVICE}?)(?:-\\d{1,6})?\\.?\\s*$`) },
  { what: 'journal', form: new RegExp(`^JBD2: (?:Detected IO errors while flushing file data on|I/O error when updating journal superblock for|Error -\\d{1,3} detected when updating journal superblock for) (${DEVICE}?)(?:-\\d{1,6})?\\.?\\s*$`) },
  // fs/xfs/xfs_buf.c, fs/btrfs/volumes.c and disk-io.c
  { what: 'metadata', form: new RegExp(`^XFS \\((${DEVICE})\\): metadata I/O error(?: in "[^"\\n]{1,80}")?(?: at daddr |: block )0x[0-9a-f]{1,16}`) },
  { what: 'writes', form: new RegExp(`^BTRFS:? error \\(device (?:${DEVICE})(?::? state \\w{1,8})?\\): bdev /dev/(${DEVICE})(?: label \\S{1,64})? errs: (?:wr [1-9]|wr 0, rd [1-9]|wr 0, rd 0, flush [1-9])`) },
  // fs/xfs/xfs_error.c, xfs_message.c, xfs_buf.c, xfs_aops.c, xfs_log.c
  { what: 'metadata', form: new RegExp(`^XFS \\((${DEVICE})\\): (?:Corruption detected\\. Unmount and run xfs_repair|Metadata (?:corruption|CRC error) detected at |Internal error [^\\n]{1,120} at line \\d{1,6} of file )`) },
  { what: 'writes', form: new RegExp(`^XFS \\((${DEVICE})\\): (?:log I/O error -?\\d|Failing async write on buffer block 0x|writeback error on inode \\d)`) },
  // fs/ext4/page-io.c, inode.c, super.c; error 28 is a full disk.
  { what: 'writes', form: new RegExp(`^EXT4-fs warning \\(device (${DEVICE})\\): ext4_end_bio:\\d{1,6}: I/O error (?:-?\\d{1,4} )?writing to inode \\d`) },
  { what: 'writes', form: new RegExp(`^EXT4-fs \\((${DEVICE})\\): (?:Delayed block allocation failed for inode \\d{1,20} [\\w ]{1,80} with error (?!28\\b)\\d|failed to convert unwritten extents to written extents|I/O error while writing superblock|previous I/O error to superblock detected)`) },
  // drivers/block/loop.c: the file behind the device could not be written, for its disk is full or fails.
  { what: 'backing file', form: /^loop\d{0,4}: Write error at byte offset \d{1,20}, length \d{1,10}\.?\s*$/, severity: 'warning' },
  // drivers/md/raid1.c, raid10.c, raid5.c, md.c: what the other disks of the array cannot make good.
  { what: 'array', form: new RegExp(`^md/raid10?1?:${DEVICE}: (${DEVICE}): unrecoverable I/O read error for block \\d`) },
  { what: 'array', form: new RegExp(`^md/raid:${DEVICE}: read error (?:not correctable|NOT corrected!!) \\(sector \\d{1,20} on (${DEVICE})\\)`) },
  { what: 'array failed', form: new RegExp(`^md/raid\\w{0,4}:(${DEVICE}): Cannot continue operation \\(\\d{1,5}/\\d{1,5} failed\\)`) },
  { what: 'array failed', form: new RegExp(`^md/raid\\w{0,4}:(${DEVICE}): not enough operational (?:devices \\(\\d{1,5}/\\d{1,5} failed\\)|mirrors)`) },
  // The same before Linux 3.0 and in RHEL 6: the file system is named otherwise, or not at all.
  { what: 'metadata', form: new RegExp(`^(?:Filesystem "(${DEVICE})": )?XFS:? [Ii]nternal error [^\\n]{1,120} at line \\d{1,6} of file `) },
  { what: 'metadata', form: new RegExp(`^I/O error in filesystem \\("(${DEVICE})"\\) meta-data dev ${DEVICE} block 0x[0-9a-f]{1,16} `) },
  { what: 'shutdown', form: new RegExp(`^xfs_force_shutdown\\((${DEVICE}),0x(?!1\\))[0-9a-f]{1,8}\\) called from line \\d`) },
  // openzfs: module/zfs/zio.c, zio_suspend(), mmp.c, mmp_thread(), os/linux/zfs/vdev_disk.c: reads and writes of a disk that failed
  { what: 'pool', form: /^(?:Solaris: )?WARNING: Pool '([\w.:-]{1,128})' has encountered an uncorrectable I\/O failure and has been suspended/ },
  { what: 'pool', form: /^(?:Solaris: )?WARNING: MMP writes to pool '([\w.:-]{1,128})' have not succeeded in over \d{1,12} ?m?s; suspending pool/ },
  { what: 'vdev', form: new RegExp(`^zio pool=[\\w.:-]{1,128} vdev=/dev/(?:[\\w.-]{1,32}/){0,4}(${DEVICE}|[\\w.:+-]{1,128}) error=(?:5|6|52|61|84|121) type=[12] offset=\\d`), severity: 'warning' },
]; // biome-ignore format: one form a line

/** Drives without a medium report errors all day. */
const REMOVABLE = /^(?:sr|fd|loop)\d/;

export function diskLine(text: string, context: KernelContext): Finding | null {
  for (const { form, what, severity } of FORMS) {
    const found = form.exec(text);
    const device = found?.[1];
    if (found === null || (device !== undefined && REMOVABLE.test(device))) continue;
    const component: Component = diskOf(device, context) ?? hostOf(context);
    return {
      kind: what === 'journal' || what === 'shutdown' ? 'storage.readonly' : 'storage.io_error',
      component,
      ...(severity === undefined ? {} : { severity }),
      attributes: {
        ...(device === undefined ? {} : { device: evidenceText(device) }),
        ...(what === 'array failed' && device !== undefined ? { array: evidenceText(device), state: 'FAILED' } : {}),
        what,
      },
    };
  }
  return null;
}

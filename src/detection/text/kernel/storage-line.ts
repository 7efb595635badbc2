// Lines about disks and file systems: requests that time out or fail, file systems that become read-only.

import type { Component } from '../../../model/component.ts';
import type { AttributeValue } from '../../../model/event.ts';
import type { Kind } from '../../../model/kind.ts';
import { hostOf, type KernelContext } from './context.ts';
import { serverFinding } from './file-server-line.ts';
import type { Finding, StateFinding } from './finding.ts';

/** What the kernel calls a block device: "nvme0n1p2", "dm-4", "cciss!c0d0". */
const DEVICE = '[A-Za-z0-9][\\w!.-]{0,31}';
/** Drives without a medium report errors all day; what a loop device holds is an image that a user may have made. */
const REMOVABLE = /^(?:sr|fd|loop)\d/;

export function storageLine(text: string, context: KernelContext): StateFinding | null {
  return (
    nvme(text, context) ??
    blockError(text, context) ??
    raid(text, context) ??
    fileSystem(text, context) ??
    scsi(text, context)
  );
}

/**
 * "nvme nvme0: I/O 214 QID 12 timeout, aborting", "nvme nvme0: I/O tag 415 (10d6) opcode 0x1 (Write) QID 7 timeout, ...". A
 * completion that was only missed is not an error of the device.
 */
const TIMEOUT = /^nvme (nvme\d{1,5}): I\/O (?:tag )?\d{1,6} [\w ()/-]{0,64}QID \d{1,6} timeout, (?!completion polled)/;
/** "nvme nvme0: controller is down; will reset: CSTS=0xffffffff, ..." (drivers/nvme/host/pci.c, core.c). */
const CONTROLLER =
  /^nvme (nvme\d{1,5}): (?:controller is down; will reset|Device not ready|Device shutdown incomplete|Removing after probe failure|Disabling device after|Identify Controller failed|failed to mark controller|Failed to get ANA log|Abort status: 0x37|resetting controller due to AER|(?:frozen|failure) state error detected, re)/;
/** The kernel takes it out of its list, and no tool finds it any more (drivers/nvme/host/pci.c, nvme_remove_dead_ctrl(); core.c, nvme_wait_ready()). */
const REMOVED = /: (?:Removing after probe failure|Disabling device after|Device not ready; aborting)/;
/**
 * "nvme0n1: Read(0x2) @ LBA 32545872, 8 blocks, Unrecovered Read Error (sct 0x2 / sc 0x81) DNR", "nvme0n1: I/O Cmd(0x2) @ LBA ...",
 * "nvme0c1n1: ..." of a path (nvme_log_error()).
 */
const COMMAND =
  /^(nvme\d{1,5}(?:c\d{1,5})?n\d{1,5}): [\w /-]{1,32}\(0x[0-9a-f]{1,2}\) @ LBA \d{1,20}, \d{1,10} blocks, ([\w /:,.-]{1,64}) \(sct 0x([0-9a-f]) \/ sc 0x([0-9a-f]{1,2})\)(?: MORE)?(?: DNR)?\s*$/;
/** Over a network: "nvme nvme4: starting error recovery", "nvme nvme4: Successfully reconnected (1 attempt)" (tcp.c, rdma.c). */
const FABRIC =
  /^nvme (nvme\d{1,5}): (?:(starting error recovery|Reconnecting in \d{1,6} seconds\.\.\.|Failed reconnect attempt \d{1,9}(?:\/-?\d{1,9})?|failed nvme_keep_alive_end_io error=-?\d{1,6})|Successfully reconnected(?: \(\d{1,9} attempts?\)|))\s*$/;

function nvme(text: string, context: KernelContext): StateFinding | null {
  const slow = TIMEOUT.exec(text)?.[1];
  if (slow !== undefined) return found('storage.stall', context, { device: slow });
  const device = CONTROLLER.exec(text)?.[1];
  if (device !== undefined)
    return found('storage.io_error', context, {
      device,
      controller: true,
      ...(REMOVED.test(text) ? { gone: true } : {}),
    });
  const [, disk, status, type, code] = COMMAND.exec(text) ?? [];
  if (disk !== undefined)
    return found('storage.io_error', context, { device: disk, status: status ?? null, status_code: `${type}/${code}` });
  const [remote, controller = '', lost] = FABRIC.exec(text) ?? [];
  if (remote === undefined) return null;
  return serverFinding(
    { system: 'nvme over fabrics', state: lost === undefined ? 'clear' : 'onset', server: controller },
    context,
  );
}

/** "sd 0:0:1:0: Device offlined - not ready after error recovery", "device-mapper: multipath: 253:3: Failing path 8:16." */
const OFFLINE =
  /^sd (\d{1,5}(?::\d{1,20}){3}): (?:\[\w{1,16}\] )?(?:Device offlined - not ready after error recovery|rejecting I\/O to offline device)\s*$/;
const PATH = /^device-mapper: multipath: (?:(?:dm-)?\d{1,5}:\d{1,7}: )?Failing path (\d{1,5}:\d{1,7})\.?\s*$/;

function scsi(text: string, context: KernelContext): StateFinding | null {
  const device = OFFLINE.exec(text)?.[1];
  if (device !== undefined) return found('storage.io_error', context, { device, offline: true });
  const path = PATH.exec(text)?.[1];
  // The other paths carry on.
  return path === undefined
    ? null
    : { ...found('storage.io_error', context, { device: path, path: true }), severity: 'warning' };
}

/** "blk_update_request: I/O error, dev nvme0n1, sector 412 op 0x1:(WRITE)", "critical medium error, dev sda, sector 7", "Buffer I/O error on dev sda1, logical block 5" */
const BLOCK_ERROR = new RegExp(
  `^(?:(?:(?:blk_update_request|print_req_error|end_request): )?(?:I/O|critical medium|protection) error, dev (${DEVICE}), sector \\d|Buffer I/O error on dev(?:ice)? (${DEVICE}), logical block \\d)`,
);

/** Of a device that appears, the kernel reads the first block itself, to find partitions: one that a RAID card keeps to itself refuses, and nothing is lost. */
const FIRST_READ = /, (?:sector 0(?: op 0x0:\(READ\).*)?|logical block 0, async page read)\s*$/;

function blockError(text: string, context: KernelContext): Finding | null {
  const [, request, buffer] = BLOCK_ERROR.exec(text) ?? [];
  const device = request ?? buffer;
  if (device === undefined || REMOVABLE.test(device)) return null;
  const finding = found('storage.io_error', context, { device });
  return FIRST_READ.test(text) ? { ...finding, severity: 'warning' } : finding;
}

/** "md/raid1:md0: Disk failure on nvme0n1p2, disabling device." */
const RAID = new RegExp(
  `^md/raid\\w{0,4}:(${DEVICE}): Disk failure on (${DEVICE}), (disabling device|this is the last device)`,
);

function raid(text: string, context: KernelContext): Finding | null {
  const [, array = '', device, end] = RAID.exec(text) ?? [];
  if (device === undefined) return null;
  const thrownOut = end === 'disabling device' ? { array } : {};
  return found('storage.io_error', context, { device, raid: true, ...thrownOut });
}

/**
 * "EXT4-fs (nvme0n1p2): Remounting filesystem read-only", "XFS (dm-0): ... Shutting down filesystem", "BTRFS info (device
 * sda1: state E): forced readonly". Labels, options and names of files are in other lines of the same file systems.
 */
const READ_ONLY: readonly RegExp[] = [
  new RegExp(`^(?:EXT4|LDISKFS)-fs \\((${DEVICE})\\): Remounting filesystem read-only\\s*$`),
  new RegExp(
    `^XFS \\((${DEVICE})\\): (?:Filesystem has been shut down due to |xfs_do_force_shutdown\\(0x[0-9a-f]{1,8}\\) called from line )`,
  ),
  new RegExp(
    `^XFS \\((${DEVICE})\\): (?:Corruption |(?:Log |Metadata )?I/O |User )[^\\n]{0,200}?\\.?\\s{1,4}Shutting down filesystem\\.?\\s*$`,
  ),
  new RegExp(
    `^BTRFS:? \\w{4,9} \\(device (${DEVICE})(?::? state \\w{1,8})?\\)(?: in \\w{1,64}:\\d{1,6})?: forced readonly\\s*$`,
  ),
];
/** "EXT4-fs error (device nvme0n1p2): ext4_find_entry:1455: inode #2: comm ls: ..."; what follows may be a user's. */
const EXT4_ERROR = new RegExp(`^(?:EXT4|LDISKFS)-fs error \\(device (${DEVICE})\\)(?:: | in \\w{1,64}:\\d{1,6}: )`);

function fileSystem(text: string, context: KernelContext): Finding | null {
  for (const form of READ_ONLY) {
    const device = form.exec(text)?.[1];
    if (device === undefined) continue;
    return REMOVABLE.test(device)
      ? null
      : found('storage.readonly', context, {
          device,
          ...(text.startsWith('XFS ') ? { what: 'shutdown' } : {}),
          ...ofLustre(text),
        });
  }
  const device = EXT4_ERROR.exec(text)?.[1];
  if (device === undefined || REMOVABLE.test(device)) return null;
  return found('storage.io_error', context, { device, file_system: true, ...ofLustre(text) });
}

/** A target of Lustre, which its servers alone have. */
function ofLustre(text: string): Finding['attributes'] {
  return text.startsWith('LDISKFS') ? { lustre_target: true } : {};
}

/** The disk behind a name space, a path to it or a partition: "nvme0" of "nvme0c1n1p2", "sda" of "sda1". */
const DISK =
  /^(?:(nvme\d{1,5})(?:(?:c\d{1,5})?n\d{1,5}(?:p\d{1,4})?)?|((?:s|v|xv|h)d[a-z]{1,4})\d{0,4}|(mmcblk\d{1,3})(?:p\d{1,4})?)$/;

function found(kind: Kind, context: KernelContext, attributes: Finding['attributes']): Finding {
  return { kind, component: diskOf(attributes.device, context) ?? hostOf(context), attributes };
}

/** Null for what may be on several disks, such as "dm-4" and "md0", and for the address of a path. */
export function diskOf(device: AttributeValue | undefined, { host }: KernelContext): Component | null {
  const [, nvme, letters, card] = typeof device === 'string' ? (DISK.exec(device) ?? []) : [];
  const id = nvme ?? letters ?? card;
  return id === undefined ? null : { type: 'disk', id, host, parent: `host/${host}` };
}

// Lines about disks and file systems: requests that time out or fail, file systems that become read-only, servers that do not answer.

import type { Kind } from '../../../model/kind.ts';
import { hostOf, type KernelContext } from './context.ts';
import type { Finding } from './driver-line.ts';

/** What the kernel calls a block device: "nvme0n1p2", "dm-4", "cciss!c0d0". */
const DEVICE = '[A-Za-z0-9][\\w!.-]{0,31}';
/** Drives without a medium report errors all day; what a loop device holds is an image that a user may have made. */
const REMOVABLE = /^(?:sr|fd|loop)\d/;

export interface StorageFinding extends Finding {
  readonly state?: 'onset' | 'clear';
  readonly discriminator?: string;
}

export function storageLine(text: string, context: KernelContext): StorageFinding | null {
  return (
    nvme(text, context) ??
    blockError(text, context) ??
    raid(text, context) ??
    fileSystem(text, context) ??
    nfs(text, context)
  );
}

/**
 * "nvme nvme0: I/O 214 QID 12 timeout, aborting", "nvme nvme0: I/O tag 415 (10d6) opcode 0x1 (Write) QID 7 timeout, ...". A
 * completion that was only missed is not an error of the device.
 */
const TIMEOUT = /^nvme (nvme\d{1,5}): I\/O (?:tag )?\d{1,6} [\w ()/-]{0,64}QID \d{1,6} timeout, (?!completion polled)/;
/** "nvme nvme0: controller is down; will reset: CSTS=0xffffffff, ..." */
const CONTROLLER =
  /^nvme (nvme\d{1,5}): (?:controller is down; will reset|Device not ready|Removing after probe failure|Disabling device after)/;

function nvme(text: string, context: KernelContext): Finding | null {
  const slow = TIMEOUT.exec(text)?.[1];
  if (slow !== undefined) return found('storage.stall', context, { device: slow });
  const device = CONTROLLER.exec(text)?.[1];
  return device === undefined ? null : found('storage.io_error', context, { device, controller: true });
}

/** "blk_update_request: I/O error, dev nvme0n1, sector 412 op 0x1:(WRITE)", "critical medium error, dev sda, sector 7", "Buffer I/O error on dev sda1, logical block 5" */
const BLOCK_ERROR = new RegExp(
  `^(?:(?:(?:blk_update_request|print_req_error): )?(?:I/O|critical medium|protection) error, dev (${DEVICE}), sector \\d|Buffer I/O error on dev(?:ice)? (${DEVICE}), logical block \\d)`,
);

function blockError(text: string, context: KernelContext): Finding | null {
  const [, request, buffer] = BLOCK_ERROR.exec(text) ?? [];
  const device = request ?? buffer;
  return device === undefined || REMOVABLE.test(device) ? null : found('storage.io_error', context, { device });
}

/** "md/raid1:md0: Disk failure on nvme0n1p2, disabling device." */
const RAID = new RegExp(`^md/raid\\w{0,4}:${DEVICE}: Disk failure on (${DEVICE}), disabling device`);

function raid(text: string, context: KernelContext): Finding | null {
  const device = RAID.exec(text)?.[1];
  return device === undefined ? null : found('storage.io_error', context, { device, raid: true });
}

/**
 * "EXT4-fs (nvme0n1p2): Remounting filesystem read-only", "XFS (dm-0): ... Shutting down filesystem", "BTRFS info (device
 * sda1: state E): forced readonly". Labels, options and names of files are in other lines of the same file systems.
 */
const READ_ONLY: readonly RegExp[] = [
  new RegExp(`^EXT4-fs \\((${DEVICE})\\): Remounting filesystem read-only\\s*$`),
  new RegExp(`^XFS \\((${DEVICE})\\): Filesystem has been shut down due to `),
  new RegExp(
    `^XFS \\((${DEVICE})\\): (?:Corruption |(?:Log |Metadata )?I/O |User )[^\\n]{0,200}?\\.?\\s{1,4}Shutting down filesystem\\.?\\s*$`,
  ),
  new RegExp(
    `^BTRFS:? \\w{4,9} \\(device (${DEVICE})(?::? state \\w{1,8})?\\)(?: in \\w{1,64}:\\d{1,6})?: forced readonly\\s*$`,
  ),
];
/** "EXT4-fs error (device nvme0n1p2): ext4_find_entry:1455: inode #2: comm ls: ..."; what follows may be a user's. */
const EXT4_ERROR = new RegExp(`^EXT4-fs error \\(device (${DEVICE})\\)(?:: | in \\w{1,64}:\\d{1,6}: )`);

function fileSystem(text: string, context: KernelContext): Finding | null {
  for (const form of READ_ONLY) {
    const device = form.exec(text)?.[1];
    if (device !== undefined) return REMOVABLE.test(device) ? null : found('storage.readonly', context, { device });
  }
  const device = EXT4_ERROR.exec(text)?.[1];
  if (device === undefined || REMOVABLE.test(device)) return null;
  return found('storage.io_error', context, { device, file_system: true });
}

/** "nfs: server 10.0.0.4 not responding, still trying", until "nfs: server 10.0.0.4 OK" */
const NFS = /^nfs: server ([\w.:%[\]-]{1,128}) (?:(not responding, (?:still trying|timed out))|OK)\s*$/;

function nfs(text: string, context: KernelContext): StorageFinding | null {
  const [, server, lost] = NFS.exec(text) ?? [];
  if (server === undefined) return null;
  const state = lost === undefined ? 'clear' : 'onset';
  return { ...found('storage.stall', context, { server }), state, discriminator: `nfs ${server}` };
}

function found(kind: Kind, context: KernelContext, attributes: Finding['attributes']): Finding {
  return { kind, component: hostOf(context), attributes };
}

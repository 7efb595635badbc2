// Lines about disks and file systems: requests that time out or fail, file systems that become read-only, servers that do not answer.

import type { Kind } from '../../../model/kind.ts';
import { Cursor } from '../cursor.ts';
import { type KernelContext, messageStart } from './context.ts';
import type { Finding } from './driver-line.ts';

const MAX_DEVICE = 32;
const MAX_SERVER = 128;
/** Drives without a medium report errors all day. */
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

/** "nvme nvme0: I/O 214 QID 12 timeout, aborting", "nvme nvme0: controller is down; will reset: CSTS=0xffffffff, ..." */
function nvme(text: string, context: KernelContext): Finding | null {
  const start = messageStart(text, 'nvme nvme', context);
  if (start < 0) return null;
  const cursor = new Cursor(text, start + 'nvme '.length);
  const device = cursor.until(': ', MAX_DEVICE);
  if (device === null) return null;
  if (cursor.take('I/O ')) {
    // A completion that was only missed is no error of the device.
    const slow = cursor.skipPast(' timeout, ') && !cursor.take('completion polled');
    return slow ? found('storage.stall', context, { device }) : null;
  }
  const down = [
    'controller is down; will reset',
    'Device not ready',
    'Removing after probe failure',
    'Disabling device after',
  ];
  return down.some((words) => cursor.take(words))
    ? found('storage.io_error', context, { device, controller: true })
    : null;
}

/** "blk_update_request: I/O error, dev nvme0n1, sector 412 op 0x1:(WRITE)", "Buffer I/O error on dev sda1, logical block 5" */
function blockError(text: string, context: KernelContext): Finding | null {
  for (const words of ['blk_update_request: I/O error, dev ', 'I/O error, dev ', 'Buffer I/O error on dev ']) {
    const start = messageStart(text, words, context);
    const device = start < 0 ? null : new Cursor(text, start + words.length).until(',', MAX_DEVICE);
    if (device !== null) return REMOVABLE.test(device) ? null : found('storage.io_error', context, { device });
  }
  return null;
}

/** "md/raid1:md0: Disk failure on nvme0n1p2, disabling device." */
function raid(text: string, context: KernelContext): Finding | null {
  const start = messageStart(text, 'md/raid', context);
  if (start < 0) return null;
  const cursor = new Cursor(text, start);
  const device = cursor.skipPast(': Disk failure on ') ? cursor.until(',', MAX_DEVICE) : null;
  return device === null ? null : found('storage.io_error', context, { device, raid: true });
}

/** "EXT4-fs (nvme0n1p2): Remounting filesystem read-only", "XFS (dm-0): ... Shutting down filesystem", "BTRFS: error (device sda1) ...: forced readonly" */
function fileSystem(text: string, context: KernelContext): Finding | null {
  for (const words of ['EXT4-fs (', 'XFS (', 'EXT4-fs error (device ', 'BTRFS']) {
    const start = messageStart(text, words, context);
    if (start < 0) continue;
    const cursor = new Cursor(text, start + words.length);
    if (words === 'BTRFS' && !cursor.skipPast('(device ')) return null;
    const device = cursor.until(')', MAX_DEVICE);
    if (device === null) return null;
    const told = cursor.rest();
    const readonly = [
      'Remounting filesystem read-only',
      'hutting down filesystem',
      'ilesystem has been shut down',
      'forced readonly',
    ];
    if (readonly.some((end) => told.includes(end))) return found('storage.readonly', context, { device });
    return words.startsWith('EXT4-fs error') ? found('storage.io_error', context, { device, file_system: true }) : null;
  }
  return null;
}

/** "nfs: server 10.0.0.4 not responding, still trying", until "nfs: server 10.0.0.4 OK" */
function nfs(text: string, context: KernelContext): StorageFinding | null {
  const start = messageStart(text, 'nfs: server ', context);
  if (start < 0) return null;
  const cursor = new Cursor(text, start + 'nfs: server '.length);
  const server = cursor.until(' ', MAX_SERVER);
  const state = cursor.take('not responding') ? 'onset' : cursor.take('OK') ? 'clear' : null;
  if (server === null || state === null) return null;
  return { ...found('storage.stall', context, { server }), state, discriminator: `nfs ${server}` };
}

function found(kind: Kind, { host }: KernelContext, attributes: Finding['attributes']): Finding {
  return { kind, component: { type: 'host', id: host }, attributes };
}

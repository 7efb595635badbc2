// File form: whether a file that is given as the kernel log is written as the kernel writes it; a syslog file is not.

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Enough for some lines of the longest kind. */
const TAIL_BYTES = 64 * 1024;
/** `prio,seq,usec,flags;text` (Documentation/ABI/testing/dev-kmsg of the Linux kernel). */
const KMSG = /^\d{1,4},\d+,\d+,[^;]*;/;

/**
 * False where the file's last lines are there and none of them is the kernel's; true for devices, for files without lines, and
 * where it cannot be lines. Never throws and never waits for a device.
 */
export async function isKernelForm(path: string): Promise<boolean> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const { size } = await file.stat();
    if (!(await file.stat()).isFile() || size === 0) return true;
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length);
    const lines = bytes.toString('latin1', 0, bytesRead).split('\n').slice(0, -1);
    // The first one may be the end of a longer line.
    const whole = size > bytes.length ? lines.slice(1) : lines;
    const records = whole.filter((line) => line !== '' && !line.startsWith(' '));
    return records.length === 0 || records.some((line) => KMSG.test(line));
  } catch {
    return true;
  }
}

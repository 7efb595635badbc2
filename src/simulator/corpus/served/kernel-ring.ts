// The kernel's log as /dev/kmsg gives it: `prio,seq,usec,flags;text` with its escapes, parsed by the code that reads the device.

import { type KernelRecord, native } from '../../../native.ts';

/** LOG_LINE_MAX of printk: what a message may have. */
const MOST_BYTES = 1024 - 48;

export class KernelRing {
  #sequence = 1000;

  /** One message; null where the reader would leave it out. `timeMs`: epoch ms of the steady clock, `bootMs` when it booted. */
  append(text: string, priority: number, facility: number, timeMs: number, bootMs: number): KernelRecord | null {
    this.#sequence += 1;
    const usec = Math.round((timeMs - bootMs) * 1000);
    const record = `${(facility << 3) | priority},${this.#sequence},${usec},-;${escaped(text)}\n`;
    const parsed = native().parseKernelRecord(record);
    if (parsed === null || parsed.fragment) return null;
    const { sequence, priority: level, facility: by, text: read } = parsed;
    return { sequence, priority: level, facility: by, text: read, timeMs, observedMs: timeMs };
  }
}

/** As `msg_add_ext_text` of printk.c writes it. */
function escaped(text: string): string {
  let out = '';
  for (const byte of Buffer.from(text).subarray(0, MOST_BYTES)) {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x5c;
    out += plain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return out;
}

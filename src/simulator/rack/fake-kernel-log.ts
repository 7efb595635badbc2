// A kernel log in the form of /dev/kmsg: `prio,seq,usec,-;text`, growing.

import { closeSync, openSync, writeSync } from 'node:fs';

export class FakeKernelLog {
  readonly #file: number;
  readonly #monotonicUs: () => number;
  #sequence = 1000;

  /** `monotonicUs` is CLOCK_MONOTONIC in µs, the clock of the kernel's stamps. */
  constructor(path: string, monotonicUs: () => number = () => Math.floor(Number(process.hrtime.bigint() / 1000n))) {
    this.#file = openSync(path, 'a', 0o600);
    this.#monotonicUs = monotonicUs;
    this.write('Linux version 6.8.0-48-generic (simulated rack)', 5);
  }

  /** Facility 0 is the kernel itself. Control characters are escaped as the kernel does. */
  write(text: string, priority = 6, facility = 0): void {
    let escaped = '';
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0;
      escaped += code < 0x20 || character === '\\' ? `\\x${code.toString(16).padStart(2, '0')}` : character;
    }
    const head = `${facility * 8 + priority},${this.#sequence},${this.#monotonicUs()},-`;
    this.#sequence += 1;
    writeSync(this.#file, `${head};${escaped}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** What the NVIDIA kernel module writes for an XID; `address` is canonical, the module leaves the function out. */
export function xidLine(address: string, number: number, text: string): string {
  return `NVRM: Xid (PCI:${address.replace(/\.\d$/, '')}): ${number}, pid='<unknown>', name=<unknown>, ${text}`;
}

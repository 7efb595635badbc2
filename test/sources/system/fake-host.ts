// A host made of files: procfs and sysfs trees that tests fill and change.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export class FakeHost {
  readonly folder = mkdtempSync(join(tmpdir(), 'fl system '));
  readonly roots = { proc: join(this.folder, 'proc'), sys: join(this.folder, 'sys') };
  readonly state = join(this.folder, 'state');

  constructor() {
    for (const path of [this.roots.proc, this.roots.sys, this.state]) mkdirSync(path);
  }

  proc(path: string, text: string): void {
    const file = join(this.roots.proc, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, 'latin1');
  }

  /** A disk or interface ("block/sda", "class/net/eth0") whose device lies at `device` under /sys/devices. */
  device(name: string, device: string): void {
    const target = join(this.roots.sys, 'devices', device);
    mkdirSync(target, { recursive: true });
    mkdirSync(join(this.roots.sys, name), { recursive: true });
    symlinkSync(target, join(this.roots.sys, name, 'device'));
  }

  /** A disk or interface without a device behind it. */
  virtual(name: string): void {
    mkdirSync(join(this.roots.sys, name), { recursive: true });
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function stat(ticks: readonly number[], bootTimeS = 1_764_000_000): string {
  return `cpu  ${ticks.join(' ')}\ncpu0 ${ticks.join(' ')}\nintr 5 0 0\nctxt 9\nbtime ${bootTimeS}\nprocesses 7\nprocs_running 2\nprocs_blocked 3\n`;
}

export const MEMINFO = `MemTotal:       1000 kB
MemFree:         100 kB
MemAvailable:    400 kB
SwapTotal:        50 kB
SwapFree:         20 kB
Shmem:             8 kB
`;

export function pressure(someUs: number, fullUs: number): string {
  const line = (name: string, us: number) => `${name} avg10=0.00 avg60=0.00 avg300=0.00 total=${us}\n`;
  return line('some', someUs) + line('full', fullUs);
}

/** One line of diskstats: sectors read and written, and the milliseconds that the disk was busy. */
export function disk(name: string, read: number, written: number, busyMs: number): string {
  return `   8       0 ${name} 1 0 ${read} 3 4 0 ${written} 5 0 ${busyMs} 7 0 0 0 0 0 0\n`;
}

/** One line of net/dev: bytes received and sent, errors and drops received. */
export function network(name: string, received: number, sent: number, errors = 0, drops = 0): string {
  return `${name}: ${received} 1 ${errors} ${drops} 0 0 0 0 ${sent} 1 0 0 0 0 0 0\n`;
}

export const NET_HEAD = 'Inter-|   Receive  |  Transmit\n face |bytes    packets errs drop|bytes\n';

// A vendor child on the stand-in library in its own folder, driven by its control file, for the tests next to it.

import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  type NativeCore,
  type NativeVendor,
  type Notice,
  type NoticeName,
  type NoticeOf,
  native,
  nativePath,
  noticesOf,
} from '../../src/native.ts';

/** Only a machine that makes no progress at all gets here. */
const LIMIT_MS = 60_000;
const LOOK_MS = 10;

export interface RackOptions {
  readonly control?: Record<string, string | number>;
  readonly withLibrary?: boolean;
  readonly executable?: string;
  readonly intervalMs?: number;
  readonly callDeadlineMs?: number;
  readonly retryMs?: number;
}

export class Rack {
  readonly folder = mkdtempSync(join(tmpdir(), 'faultline-rack-'));
  readonly library = join(this.folder, 'libnvidia-ml.so.1');
  readonly notices: Notice[] = [];
  readonly core: NativeCore;
  readonly vendor: NativeVendor;
  #control: Record<string, string | number> = {};
  #writes = 0;

  constructor(context: TestContext, options: RackOptions = {}) {
    this.set(options.control ?? {});
    if (options.withLibrary !== false) this.install();
    const { Core, Vendor } = native();
    this.core = new Core({ historySeconds: 60, maxSeries: 4096 });
    this.vendor = new Vendor(this.core, {
      executable: options.executable ?? nativePath('faultline-vendor'),
      library: this.library,
      intervalMs: options.intervalMs ?? 50,
      burstIntervalMs: 20,
      callDeadlineMs: options.callDeadlineMs ?? 300,
      retryMs: options.retryMs ?? 60_000,
    });
    context.after(async () => {
      this.vendor.stop();
      this.core.close();
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  /** Puts the stand-in where the child looks for it. */
  install(): void {
    copyFileSync(nativePath('libnvidia-ml.so.1'), `${this.library}.new`);
    renameSync(`${this.library}.new`, this.library);
  }

  /** Changes lines of the control file; null takes one out. */
  set(lines: Record<string, string | number | null>): void {
    for (const [key, value] of Object.entries(lines)) {
      if (value === null) delete this.#control[key];
      else this.#control[key] = value;
    }
    const text = Object.entries(this.#control).map(([key, value]) => `${key} ${value}\n`);
    const path = join(this.folder, 'nvml.control');
    writeFileSync(`${path}.${this.#writes}`, text.join(''));
    renameSync(`${path}.${this.#writes++}`, path);
  }

  /** Waits until `look` gives something. */
  async until<T>(what: string, look: () => T | undefined | null | false): Promise<T> {
    const end = Date.now() + LIMIT_MS;
    for (;;) {
      this.notices.push(...this.core.drain().notices);
      const found = look();
      if (found !== undefined && found !== null && found !== false) return found;
      if (Date.now() > end) throw new Error(`waited in vain until ${what}; reported: ${JSON.stringify(this.notices)}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  notice<Name extends NoticeName>(name: Name, what?: string): Promise<NoticeOf<Name>> {
    return this.until(`notice ${name} ${what ?? ''}`, () => this.reported(name, what)[0]);
  }

  /** `what`: the state, the part or the way an end came about. */
  reported<Name extends NoticeName>(name: Name, what?: string): NoticeOf<Name>[] {
    return noticesOf(this.notices, name).filter((notice) => what === undefined || whatOf(notice) === what);
  }

  last(key: string): number | undefined {
    return this.core.history(key, 0, Number.MAX_SAFE_INTEGER).values.at(-1);
  }

  /** Waits for a sample of `key` that is read after this call. */
  async fresh(key: string, accept: (value: number) => boolean = () => true): Promise<void> {
    const from = this.core.now();
    await this.until(`a fresh sample of ${key}`, () => {
      const value = this.core.history(key, from, Number.MAX_SAFE_INTEGER).values.at(-1);
      return value !== undefined && accept(value);
    });
  }
}

function whatOf(notice: object): unknown {
  for (const key of ['state', 'part', 'how', 'presence']) if (key in notice) return Reflect.get(notice, key);
  return undefined;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** PCI addresses that the stand-in gives its first eight devices. */
export const ADDRESSES = [0x1b, 0x43, 0x52, 0x61, 0x9d, 0xc3, 0xd1, 0xdf].map(
  (bus) => `0000:${bus.toString(16).padStart(2, '0')}:00.0`,
);

export function series(index: number, quantity: string): string {
  return `gpu/${ADDRESSES[index]}#${quantity}`;
}

// Appender: the one file that is written to — opened, synced, rotated, replaced when another program moves it away.

import { lstat, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOrText } from '../../helpers/error-code.ts';
import { CURRENT, listLogFiles, openForAppending, rotatedAtMs, rotatedName, syncDirectory } from './files.ts';

/** What the appender needs of an open file; node's FileHandle has it. */
export interface LogHandle {
  write(bytes: Buffer, offset: number): Promise<{ bytesWritten: number }>;
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
  stat(): Promise<{ ino: number; dev: number; size: number; birthtimeMs: number; mtimeMs: number }>;
  close(): Promise<void>;
}

export interface AppenderOptions {
  readonly directory: string;
  /** A file is rotated before it grows over this. */
  readonly maxBytes: number;
  /** Rotated files kept. */
  readonly maxFiles: number;
  /** No line is kept longer than this; every line is kept for at least half of it, unless bytes or files run out. */
  readonly maxAgeMs: number;
  readonly open?: (path: string) => Promise<LogHandle>;
  readonly now?: () => number;
  /** Lines that every new file begins with, so that what is open never rotates away. */
  readonly carry: () => Buffer;
  readonly onNote: (code: string, detail: string) => void;
}

interface Opened {
  readonly handle: LogHandle;
  readonly ino: number;
  readonly dev: number;
  readonly begunMs: number;
  size: number;
  /** True while the last byte is known to be a newline of ours. */
  clean: boolean;
}

/** One call at a time: the owner waits for each before the next. */
export class Appender {
  readonly #options: AppenderOptions;
  readonly #path: string;
  readonly #now: () => number;
  #file: Opened | null = null;
  #reopen = false;
  #prune = true;

  constructor(options: AppenderOptions) {
    this.#options = options;
    this.#path = join(options.directory, CURRENT);
    this.#now = options.now ?? Date.now;
  }

  /** Lets go of the file at the next append. */
  reopen(): void {
    this.#reopen = true;
  }

  /** Resolves once the bytes are on disk. On failure nothing of them is left in the file, as far as the disk lets us. */
  async append(bytes: Buffer): Promise<void> {
    let file = await this.#ready();
    const old = this.#now() - file.begunMs > this.#options.maxAgeMs / 2;
    if (file.size > 0 && bytes.length > 0 && (old || file.size + bytes.length > this.#options.maxBytes)) {
      file = await this.#rotate(file);
    }
    if (this.#prune) await this.#removeOld();
    if (bytes.length === 0) return;
    const carried = file.size === 0 ? this.#options.carry() : Buffer.alloc(0);
    const fix = await this.#fix(file);
    await this.#write(file, Buffer.concat([fix, carried, bytes]));
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.handle.close();
  }

  async #write(file: Opened, bytes: Buffer): Promise<void> {
    let written = 0;
    try {
      while (written < bytes.length) {
        const { bytesWritten } = await file.handle.write(bytes, written);
        if (bytesWritten === 0) throw Object.assign(new Error('nothing was written'), { code: 'EIO' });
        written += bytesWritten;
      }
      await file.handle.datasync();
      file.size += written;
      file.clean = true;
    } catch (error) {
      // After a failed sync the kernel may have dropped the pages: the whole batch counts as unwritten.
      await this.#undo(file, bytes).catch(() => undefined);
      throw error;
    }
  }

  /** Cuts off what a failed write left, where it is the beginning of what we wrote and no one else's. */
  async #undo(file: Opened, bytes: Buffer): Promise<void> {
    this.#file = null;
    try {
      const left = (await file.handle.stat()).size - file.size;
      if (left <= 0 || left > bytes.length) return;
      const tail = Buffer.alloc(left);
      const { bytesRead } = await file.handle.read(tail, 0, left, file.size);
      if (bytesRead === left && tail.equals(bytes.subarray(0, left))) await file.handle.truncate(file.size);
    } finally {
      await file.handle.close();
    }
  }

  /** The current file, opened again where it is not the one that the path names any more. */
  async #ready(): Promise<Opened> {
    const file = this.#file;
    if (file === null) return await this.#open();
    const named = await lstat(this.#path).catch(() => null);
    const same = named !== null && named.ino === file.ino && named.dev === file.dev;
    if (same && !this.#reopen) {
      if (named.size !== file.size) file.clean = false;
      file.size = named.size;
      return file;
    }
    if (!same && !this.#reopen) {
      this.#options.onNote('FL3108', `${this.#path} was moved or deleted by another program: a new file was begun`);
    }
    await this.close().catch(() => undefined);
    return await this.#open();
  }

  async #open(): Promise<Opened> {
    const handle = await (this.#options.open ?? openForAppending)(this.#path);
    try {
      const { ino, dev, size, birthtimeMs, mtimeMs } = await handle.stat();
      if (size === 0) await syncDirectory(this.#options.directory);
      this.#reopen = false;
      const begunMs = size === 0 ? this.#now() : birthtimeMs || mtimeMs;
      this.#file = { handle, ino, dev, size, begunMs, clean: size === 0 };
      return this.#file;
    } catch (error) {
      await handle.close().catch(() => undefined);
      throw error;
    }
  }

  /** A newline where another program left the last line torn, so that it spoils no line of ours. */
  async #fix(file: Opened): Promise<Buffer> {
    if (file.clean || file.size === 0) return Buffer.alloc(0);
    const last = Buffer.alloc(1);
    const { bytesRead } = await file.handle.read(last, 0, 1, file.size - 1);
    return Buffer.from(bytesRead === 0 || last[0] === 10 ? '' : '\n');
  }

  async #rotate(file: Opened): Promise<Opened> {
    const { directory } = this.#options;
    try {
      const { rotated } = await listLogFiles(directory);
      await rename(this.#path, join(directory, rotatedName(this.#now(), rotated.at(-1))));
    } catch (error) {
      this.#options.onNote('FL3109', `${this.#path} could not be rotated (${codeOrText(error)}) and keeps growing`);
      return file;
    }
    await this.close().catch(() => undefined);
    this.#prune = true;
    return await this.#open();
  }

  async #removeOld(): Promise<void> {
    const { directory, maxFiles, maxAgeMs } = this.#options;
    this.#prune = false;
    try {
      const { rotated, torn } = await listLogFiles(directory);
      const oldestMs = this.#now() - maxAgeMs / 2;
      const surplus = rotated.length - maxFiles;
      const rotatedAway = rotated.filter((name, index) => index < surplus || rotatedAtMs(name) < oldestMs);
      const written = await Promise.all(torn.map(async (name) => (await stat(join(directory, name))).mtimeMs));
      const tornAway = torn.filter((_, index) => (written[index] ?? 0) < this.#now() - maxAgeMs);
      for (const name of [...rotatedAway, ...tornAway]) await unlink(join(directory, name));
    } catch (error) {
      this.#options.onNote('FL3109', `old files of ${directory} could not be removed (${codeOrText(error)})`);
    }
  }
}

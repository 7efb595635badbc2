// Reads whole small files of procfs and sysfs into one buffer that is kept, and remembers why one could not be read.

import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** /proc/stat of 512 processors has 60 KiB, /proc/net/dev of a thousand interfaces 120 KiB; what is longer is cut. */
const MAX_BYTES = 256 * 1024;

export class ProcReader {
  readonly root: string;
  /** Outlives the reads: a fresh buffer each round would be garbage for ever. Pages that no file reaches cost nothing. */
  readonly #buffer = Buffer.allocUnsafeSlow(MAX_BYTES);
  /** Relative path → error name of the last failed read. */
  readonly failures = new Map<string, string>();

  constructor(root: string) {
    this.root = root;
  }

  /** The file's bytes as one character each, without a last line that was cut; null when it cannot be read or is empty. */
  read(path: string): string | null {
    let file: number;
    try {
      // A fifo or terminal in the place of the file must not hold up the line.
      file = openSync(join(this.root, path), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch (error) {
      return this.#failed(path, error);
    }
    try {
      let length = 0;
      for (;;) {
        const count = readSync(file, this.#buffer, length, MAX_BYTES - length, null);
        length += count;
        if (count === 0 || length === MAX_BYTES) break;
      }
      this.failures.delete(path);
      if (length === MAX_BYTES) length = this.#buffer.lastIndexOf(0x0a, length - 1) + 1;
      return length === 0 ? null : this.#buffer.toString('latin1', 0, length);
    } catch (error) {
      return this.#failed(path, error);
    } finally {
      closeSync(file);
    }
  }

  #failed(path: string, error: unknown): null {
    this.failures.set(path, error instanceof Error && 'code' in error ? String(error.code) : String(error));
    return null;
  }
}

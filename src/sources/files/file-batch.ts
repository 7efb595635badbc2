// Many small files read in one job of the pool, where each of them would wake one of its threads and then this one.

import { getSystemErrorName } from 'node:util';
import { native } from '../../native.ts';

/** Counters and states are a few characters; what is longer is read on its own. */
const SHARE_BYTES = 64;
/** In the place of a size: the read has not come back. */
const WAITING = -(2 ** 31);

/** Reads files into shares of `into`, telling the size of each (or -errno) as it comes; see `readFiles` of the addon. */
export type ReadMany = (files: Int32Array, sizes: Int32Array, into: Uint8Array) => Promise<void>;

export const readMany: ReadMany = (files, sizes, into) =>
  new Promise((resolve) => native().readFiles(files, sizes, into, resolve));

export class FileBatch {
  readonly #paths: readonly string[];
  readonly #sizes: Int32Array;
  readonly #into: Buffer;
  /** Settles when every read came back, or the job ended after `cancel`. */
  readonly done: Promise<void>;

  /** `files`: descriptors by path. */
  constructor(files: ReadonlyMap<string, number>, read: ReadMany) {
    this.#paths = [...files.keys()];
    this.#sizes = new Int32Array(files.size + 1).fill(WAITING, 0, files.size);
    this.#into = Buffer.allocUnsafeSlow(files.size * SHARE_BYTES);
    this.done = read(Int32Array.from(files.values()), this.#sizes, this.#into);
  }

  /** The file whose read has not come back. */
  get waitsFor(): string | undefined {
    return this.#paths[this.#sizes.indexOf(WAITING)];
  }

  /** What comes after the read that hangs is not read any more. */
  cancel(): void {
    Atomics.store(this.#sizes, this.#paths.length, 1);
  }

  /** Text of each file without the newline at its end, or why it could not be read; what is too long is left out. */
  results(): Map<string, string | Error> {
    const found = new Map<string, string | Error>();
    for (const [i, path] of this.#paths.entries()) {
      const size = this.#sizes[i] ?? WAITING;
      if (size === WAITING || size >= SHARE_BYTES) continue;
      if (size < 0) {
        const code = getSystemErrorName(size);
        found.set(path, Object.assign(new Error(code), { code }));
        continue;
      }
      const start = i * SHARE_BYTES;
      const end = start + size;
      found.set(path, this.#into.toString('latin1', start, this.#into[end - 1] === 0x0a && size > 0 ? end - 1 : end));
    }
    return found;
  }
}

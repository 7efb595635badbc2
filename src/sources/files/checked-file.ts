// Files by paths that their job's user may have a hand in: opened natively without links of others, read by descriptor.

import { close, fstat, read, type Stats } from 'node:fs';
import { getSystemErrorName, promisify } from 'node:util';
import type { NamedBy, Purpose, Refusal } from '../../model/native-files.ts';
import { native } from '../../native.ts';

const fstatOf = promisify(fstat);
const readOf = promisify(read);
const closeOf = promisify(close);

/** A path that is not opened whoever we are: what is wrong with which part of it, and what to do. */
export class RefusedPath extends Error {
  readonly remedy: string;
  /** It is only of the wrong kind, whoever put it there. */
  readonly kind: boolean;

  /** Others, or whoever named it, could not read it or go there. */
  readonly reader: boolean;

  constructor(reason: string, remedy: string, { kind = false, reader = false } = {}) {
    super(reason);
    this.reader = reader;
    this.remedy = remedy;
    this.kind = kind;
  }
}

/** Opens it; rejects with `RefusedPath`, or with an error whose `code` names the system's. */
export function descriptorOf(path: string, purpose: Purpose, namedBy?: NamedBy): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (why: Refusal | '', text: string, where: string, fd: number): void => {
      if (why === '') resolve(fd);
      else if (why === 'system') reject(Object.assign(new Error(text), { code: getSystemErrorName(fd) }));
      else reject(new RefusedPath(text, remedyOf(why, where), { kind: why === 'kind', reader: why === 'reader' }));
    };
    native().openChecked(path, purpose, done, namedBy);
  });
}

/** Rejects as `descriptorOf` does where the folder may not be entered. */
export async function checkFolder(path: string, namedBy?: NamedBy): Promise<void> {
  await descriptorOf(path, 'folder', namedBy);
}

/** What one look found of a file that is open. */
export interface FileLook {
  readonly size: number;
  readonly links: number;
  /** Whether the path is still this file's; null where it leads to nothing. */
  readonly isNamed: boolean | null;
  /** Whether it begins with the bytes that were given; known where something was added. */
  readonly begins: boolean;
  /** What is behind the offset; null where that is nothing, or more than was asked for. */
  readonly added: Buffer | null;
}

/** A regular file that is open for reading. */
export class CheckedFile {
  readonly #fd: number;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Rejects as `descriptorOf` does. */
  static async open(path: string, namedBy?: NamedBy): Promise<CheckedFile> {
    return new CheckedFile(await descriptorOf(path, 'read', namedBy));
  }

  /** What a process has open, handed over by whoever may. */
  static lent(fd: number): CheckedFile {
    return new CheckedFile(fd);
  }

  stat(): Promise<Stats> {
    return fstatOf(this.#fd);
  }

  /** All that a growing file is asked each time, in one job of another thread; rejects with an error whose `code` names the system's. */
  look(path: string, offset: number, most: number, head: Buffer): Promise<FileLook> {
    return new Promise((resolve, reject) => {
      native().lookAt(this.#fd, path, offset, most, head, (error, size, links, isNamed, begins, added) => {
        if (error === 0) resolve({ size, links, isNamed, begins, added });
        else reject(Object.assign(new Error('cannot be looked at'), { code: getSystemErrorName(-error) }));
      });
    });
  }

  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number; buffer: Buffer }> {
    return readOf(this.#fd, buffer, offset, length, position);
  }

  /** Where the next byte is, from `offset` on, that was ever written; null where only a hole follows. */
  nextData(offset: number): Promise<number | null> {
    return new Promise((resolve) => native().nextData(this.#fd, offset, resolve));
  }

  async close(): Promise<void> {
    await closeOf(this.#fd);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function remedyOf(why: Exclude<Refusal, 'system'>, where: string): string {
  switch (why) {
    case 'link':
      return `give the path that it leads to (readlink -f ${where}), or a wildcard that matches the file itself`;
    case 'reader':
      return `chmod o+rX ${where}, or have it written in a folder that only its owner may write`;
    case 'kind':
      return `remove ${where}, or give the path of a regular file`;
    case 'owner':
      return 'give the name of a file that does not exist yet';
  }
}

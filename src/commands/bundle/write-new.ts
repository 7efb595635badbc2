// Write new: a file that did not exist, whole or not at all; whatever has its name stays as it is.

import { constants } from 'node:fs';
import { type FileHandle, link, lstat, open, readlink, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOrText, errorCode } from '../../helpers/error-code.ts';
import { checkFolder, RefusedPath } from '../../sources/files/checked-file.ts';
import { CommandError } from '../common/incident-context.ts';

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const MODE = 0o600;
const NO_LINKS: readonly (string | null)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'];
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free space there, or name a file on another disk with --out',
  EDQUOT: 'the disk quota is used up: free space there, or name a file on another disk with --out',
  EROFS: 'the file system is read-only: name a file elsewhere with --out',
  EACCES: 'this user may not write there: name a file elsewhere with --out',
  ENOENT: 'the folder does not exist: make it, or name another file with --out',
  ENOTDIR: 'a part of that path is not a folder: name another file with --out',
};

/** `writeAll`: tests fill the disk with it. */
export type WriteAll = (file: FileHandle, bytes: Buffer) => Promise<void>;

const toDisk: WriteAll = async (file, bytes) => {
  await file.writeFile(bytes);
  await file.sync();
};

/** A folder that is open: what its path leads to later does not matter any more. */
export class NewFile {
  readonly path: string;
  readonly #folder: FileHandle;
  readonly #name: string;

  private constructor(path: string, folder: FileHandle) {
    this.path = path;
    this.#folder = folder;
    this.#name = basename(path);
  }

  /** `given`: a file, or a folder that it goes into as `name`. Throws FL3132 where it cannot be made, FL3133 where it is there. */
  static async at(given: string | undefined, name: string): Promise<NewFile> {
    const into = given === undefined || (await stat(given).catch(() => null))?.isDirectory() === true;
    const path = resolve(into ? join(given ?? '.', name) : given);
    try {
      const folder = await open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
      const file = new NewFile(path, folder);
      await checkFolder(await readlink(file.#at('')));
      if (await file.#isThere()) {
        await folder.close();
        throw exists(path);
      }
      return file;
    } catch (error) {
      throw error instanceof CommandError ? error : cannot(path, error);
    }
  }

  async write(bytes: Buffer, writeAll: WriteAll = toDisk): Promise<void> {
    const part = this.#at(`.${this.#name}.${process.pid}.part`);
    try {
      await this.#fill(part, bytes, writeAll);
      try {
        await link(part, this.#at(this.#name)); // never in the place of another
      } catch (error) {
        if (errorCode(error) === 'EEXIST') throw exists(this.path);
        if (!NO_LINKS.includes(errorCode(error))) throw error;
        await this.#fill(this.#at(this.#name), bytes, writeAll);
      } finally {
        await unlink(part).catch(() => undefined);
      }
    } catch (error) {
      throw error instanceof CommandError
        ? error
        : errorCode(error) === 'EEXIST'
          ? exists(this.path)
          : cannot(this.path, error);
    }
  }

  async close(): Promise<void> {
    await this.#folder.close();
  }

  async #fill(path: string, bytes: Buffer, writeAll: WriteAll): Promise<void> {
    const file = await open(path, NEW, MODE);
    try {
      await writeAll(file, bytes);
    } catch (error) {
      await unlink(path).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
  }

  async #isThere(): Promise<boolean> {
    try {
      await lstat(this.#at(this.#name));
      return true;
    } catch (error) {
      return errorCode(error) !== 'ENOENT';
    }
  }

  #at(name: string): string {
    return name === '' ? `/proc/self/fd/${this.#folder.fd}` : `/proc/self/fd/${this.#folder.fd}/${name}`;
  }
}

function exists(path: string): CommandError {
  return new CommandError(1, `FL3133 ${path} exists, and nothing is written over: name another file with --out`);
}

function cannot(path: string, error: unknown): CommandError {
  if (error instanceof RefusedPath)
    return new CommandError(1, `FL3132 ${path} is not written: ${error.message}. ${error.remedy}`);
  const code = codeOrText(error);
  const remedy = REMEDIES[code] ?? 'name another file with --out';
  return new CommandError(
    1,
    `FL3132 the bundle ${path} could not be written (${code}): ${remedy}. Nothing of it is left there`,
  );
}

// DumpFolder: the dumps of one job in one folder, and when they have come to rest so that they can be analysed.

import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { checkFolder, RefusedPath } from '../../checked-file.ts';
import { matchesWildcard } from '../../wildcard.ts';
import { inTurns } from './in-turns.ts';
import { looksWhole } from './whole.ts';

const MAX_NAMES = 65_536;
/** Looked at in one turn of the loop: some tenths of a millisecond. */
const A_TURN = 512;
/** Entries of a folder that come at once, each of which costs a few microseconds. */
const ENTRIES_READ = 64;
export const MAX_DUMPS = 16_384;
const MAX_BYTES = 64 * 1024 * 1024;
/** Dumps further apart than this are not of one stall. */
const WAVE_MS = 15 * 60_000;
/** A file that ends in the middle and does not grow for so long stays so: its writer hung or died. */
const CUT_MS = 30_000;
/** No dump, whatever stands in it; the recorder's own pipe among them. */
const OTHER = /\.(?:pipe|log|txt|md|py|ya?ml|html|out|err|part|tmp)$/;

interface Seen {
  size: number;
  mtimeMs: number;
  /** Looks in a row at which size and time were the same. */
  steady: number;
  sinceMs: number;
  whole: boolean;
}

export interface Wave {
  readonly paths: readonly string[];
  readonly newestMs: number;
}

export class DumpFolder {
  readonly path: string;
  readonly #pattern: string;
  /** To join thousands of paths step by step takes longer than a turn may. */
  readonly #prefix: string;
  readonly #files = new Map<string, Seen>();
  /** Grows with every file that comes, changes or goes: comparing thousands of names would hold up the loop. */
  #generation = 0;
  #analysed = -1;
  /** When something last changed. */
  #changedMs = 0;
  #firstLook = true;
  error: string | null = null;
  /** Why the folder, or a file of it, is not read: what others may have put there. Null where all is. */
  refused: RefusedPath | null = null;
  /** Names that were refused, with what the file was then. */
  readonly #left = new Map<string, string>();

  constructor(path: string, pattern: string) {
    this.path = path;
    this.#pattern = pattern;
    this.#prefix = join(path, '/');
  }

  get files(): number {
    return this.#files.size;
  }

  /**
   * Looks once. Gives the files of the newest wave when there are new ones and all of them have come to rest: each whole
   * and the same at two looks, and `expected` of them there or none new for `graceMs`. What was there before the first
   * look for longer than a wave lasts is of an earlier job. Never throws.
   */
  async look(nowMs: number, expected: number | null, graceMs: number): Promise<Wave | null> {
    await this.#list(nowMs);
    const newestMs = await this.#newest();
    if (this.#firstLook) {
      this.#firstLook = false;
      if (newestMs > 0 && nowMs - newestMs > WAVE_MS) this.#analysed = this.#generation;
    }
    if (this.#files.size === 0 || this.#generation === this.#analysed) return null;
    const paths: string[] = [];
    let resting = true;
    for await (const portion of inTurns(this.#files, A_TURN)) {
      for (const [name, seen] of portion) {
        if (newestMs - seen.mtimeMs > WAVE_MS) continue;
        resting &&= seen.steady >= 2 && (seen.whole || nowMs - seen.sinceMs >= CUT_MS);
        paths.push(`${this.#prefix}${name}`);
      }
    }
    const complete = expected !== null && paths.length >= expected;
    if (!resting || (!complete && nowMs - this.#changedMs < graceMs)) return null;
    this.#analysed = this.#generation;
    return { paths, newestMs };
  }

  async #newest(): Promise<number> {
    let newestMs = 0;
    for await (const portion of inTurns(this.#files.values(), A_TURN)) {
      for (const { mtimeMs } of portion) newestMs = Math.max(newestMs, mtimeMs);
    }
    return newestMs;
  }

  async #list(nowMs: number): Promise<void> {
    let names: readonly string[];
    try {
      await checkFolder(this.path);
      names = await this.#names();
      this.error = null;
      if (this.#left.size === 0) this.refused = null;
    } catch (error) {
      if (error instanceof RefusedPath) this.refused = error;
      this.error =
        error instanceof RefusedPath
          ? 'refused'
          : error instanceof Error && 'code' in error
            ? String(error.code)
            : String(error);
      if (this.#files.size > 0) this.#generation += 1;
      this.#files.clear();
      return;
    }
    const found = new Set<string>();
    for (const name of names) {
      if (found.size >= MAX_DUMPS) break;
      const info = await lstat(`${this.#prefix}${name}`).catch(() => null);
      const link = info?.isSymbolicLink() === true;
      if (info === null || !(info.isFile() || link) || info.size === 0 || info.size > MAX_BYTES) continue;
      const as = `${info.ino}:${info.ctimeMs}`;
      if (this.#left.get(name) === as) continue;
      if (link) this.#leave(name, as, linkRefused(`${this.#prefix}${name}`));
      else if (await this.#take(name, info.size, info.mtimeMs, nowMs, as)) found.add(name);
    }
    if (this.#left.size > 0) this.#forget(new Set(names));
    for await (const portion of inTurns(this.#files.keys(), A_TURN)) {
      for (const name of portion) {
        if (found.has(name)) continue;
        this.#files.delete(name);
        this.#generation += 1;
      }
    }
  }

  /** Of what may be dumps. Read part by part: a folder of temporary files has more names than one turn can take. */
  async #names(): Promise<readonly string[]> {
    const names: string[] = [];
    let seen = 0;
    for await (const { name } of await opendir(this.path, { bufferSize: ENTRIES_READ })) {
      seen += 1;
      if (seen > MAX_NAMES) break;
      if (matchesWildcard(name, this.#pattern) && !OTHER.test(name)) names.push(name);
    }
    return names;
  }

  /** False for what must not be read. */
  async #take(name: string, size: number, mtimeMs: number, nowMs: number, as: string): Promise<boolean> {
    const known = this.#files.get(name);
    if (known === undefined || known.size !== size || known.mtimeMs !== mtimeMs) {
      this.#files.set(name, { size, mtimeMs, steady: 1, sinceMs: nowMs, whole: false });
      this.#changedMs = nowMs;
      this.#generation += 1;
      return true;
    }
    known.steady += 1;
    if (known.whole) return true;
    try {
      known.whole = await looksWhole(`${this.#prefix}${name}`);
      return true;
    } catch (error) {
      if (error instanceof RefusedPath) this.#leave(name, as, error);
      return false;
    }
  }

  /** Of names that are gone nothing is known any more. */
  #forget(present: ReadonlySet<string>): void {
    for (const name of this.#left.keys()) if (!present.has(name)) this.#left.delete(name);
  }

  #leave(name: string, as: string, why: RefusedPath): void {
    if (this.#left.size < MAX_DUMPS) this.#left.set(name, as);
    this.refused = why;
  }
}

function linkRefused(path: string): RefusedPath {
  return new RefusedPath(
    `${path} is a symbolic link`,
    `put the dump itself there, or name its folder: readlink -f ${path}`,
  );
}

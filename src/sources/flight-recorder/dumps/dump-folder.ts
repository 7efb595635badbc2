// DumpFolder: the dumps of one job in one folder, and when they have come to rest so that they can be analysed.

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { NamedBy } from '../../../model/native-files.ts';
import { checkFolder, RefusedPath } from '../../files/checked-file.ts';
import { dumpNames } from './dump-names.ts';
import { OwnerWave, type Seen, type Wave } from './owner-wave.ts';
import { looksWhole } from './whole.ts';

/** Of one user. */
export const MAX_DUMPS = 16_384;
const MAX_OWNERS = 256;
const MAX_BYTES = 64 * 1024 * 1024;
/** A look that took so much of the thread is not made again for this many times as long. */
const PAUSE_SHARE = 10;
/** A look that took less costs nothing. */
const CHEAP_MS = 250;

export class DumpFolder {
  readonly path: string;
  readonly #pattern: string;
  /** To join thousands of paths step by step takes longer than a turn may. */
  readonly #prefix: string;
  readonly #owners = new Map<number, OwnerWave>();
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #firstLook = true;
  error: string | null = null;
  /** Why the folder, or a file of it, is not read: what others may have put there. Null where all is. */
  refused: RefusedPath | null = null;
  /** Names that were refused, with what the file was then. */
  readonly #left = new Map<string, string>();

  /** Who named the folder in its environment; undefined where the configuration did. */
  readonly namedBy: NamedBy | undefined;

  constructor(path: string, pattern: string, namedBy?: NamedBy) {
    this.namedBy = namedBy;
    this.path = path;
    this.#pattern = pattern;
    this.#prefix = join(path, '/');
  }

  get files(): number {
    return [...this.#owners.values()].reduce((sum, { files }) => sum + files, 0);
  }

  /**
   * Looks once, and gives the wave that has waited longest of those that are ready: the dumps of one user, when they have
   * come to rest (`OwnerWave.ready`). Never throws.
   */
  async look(nowMs: number, expected: number | null, graceMs: number): Promise<Wave | null> {
    if (nowMs >= this.#notBeforeMs) {
      const before = process.threadCpuUsage();
      await this.#list(nowMs);
      const { user, system } = process.threadCpuUsage(before);
      const usedMs = (user + system) / 1000;
      this.#notBeforeMs = usedMs < CHEAP_MS ? nowMs : nowMs + PAUSE_SHARE * usedMs;
    }
    const owners = [...this.#owners.values()];
    if (this.#firstLook) {
      this.#firstLook = false;
      for (const owner of owners) await owner.forgetOld(nowMs);
    }
    for (const owner of owners.sort((a, b) => a.waitingMs - b.waitingMs)) {
      const wave = await owner.ready(this.#prefix, nowMs, expected, graceMs);
      if (wave !== null) return wave;
    }
    return null;
  }

  /** Reading a wave of this user took so long. */
  took({ owner }: Wave, ms: number, nowMs: number): void {
    this.#owners.get(owner)?.took(ms, nowMs);
  }

  async #list(nowMs: number): Promise<void> {
    let names: readonly string[];
    try {
      await checkFolder(this.path, this.namedBy);
      names = await dumpNames(this.path, this.#pattern);
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
      for (const owner of this.#owners.values()) await owner.keep(new Set(), nowMs);
      return;
    }
    const found = new Map<number, Set<string>>();
    for (const name of names) {
      const info = await lstat(`${this.#prefix}${name}`).catch(() => null);
      const link = info?.isSymbolicLink() === true;
      if (info === null || !(info.isFile() || link) || info.size === 0 || info.size > MAX_BYTES) continue;
      const as = `${info.ino}:${info.ctimeMs}`;
      if (this.#left.get(name) === as) continue;
      if (link) this.#leave(name, as, linkRefused(`${this.#prefix}${name}`));
      else {
        const owner = this.#ownerOf(info.uid);
        const own = found.get(info.uid) ?? new Set();
        found.set(info.uid, own);
        if (owner === null || own.size >= MAX_DUMPS) continue;
        if (await this.#mayStay(name, owner.take(name, info.size, info.mtimeMs, nowMs), as)) own.add(name);
      }
    }
    if (this.#left.size > 0) this.#forget(new Set(names));
    for (const [uid, owner] of this.#owners) {
      await owner.keep(found.get(uid) ?? new Set(), nowMs);
      if (owner.isOver(nowMs)) this.#owners.delete(uid);
    }
  }

  #ownerOf(uid: number): OwnerWave | null {
    const known = this.#owners.get(uid);
    if (known !== undefined || this.#owners.size >= MAX_OWNERS) return known ?? null;
    const made = new OwnerWave(uid);
    this.#owners.set(uid, made);
    return made;
  }

  /** False for what must not be read. */
  async #mayStay(name: string, seen: Seen, as: string): Promise<boolean> {
    if (seen.whole || seen.steady < 2) return true;
    try {
      seen.whole = await looksWhole(`${this.#prefix}${name}`, this.namedBy);
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

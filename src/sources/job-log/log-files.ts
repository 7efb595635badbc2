// LogFiles: the files that one configured path names now; with a wildcard in its last part they come and go.

import { lstat, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasWildcard, matchesWildcard } from '../../helpers/wildcard.ts';
import type { NamedBy } from '../../model/native-files.ts';
import { eachMatchingName } from '../files/matching-names.ts';
import { FileFollower, type LendFile, NOTHING_READ, type ReadBefore } from './file-follower.ts';
import { ReadBudget } from './read-budget.ts';
import { type FoundFile, sharePlaces } from './share-places.ts';

const MAX_FILES = 256;
const MAX_SEEN = 4096;
/** Matching names whose files are looked at, and all names; of a folder with more some are not seen. */
const MAX_MATCHING = 131_072;
const MAX_NAMES = 1_048_576;
const LIST_EVERY_MS = 5000;
/** A look at the folder is not made again for this many times as long as it kept the thread. */
const PAUSE_SHARE = 20;

export class LogFiles {
  readonly directory: string;
  readonly #pattern: string;
  readonly #path: string;
  readonly #followers = new Map<string, FileFollower>();
  /** Files already read under some name, by device, inode and birth: a rotated one keeps them under its new name. */
  readonly #seen = new Set<string>();
  /** Names that are rotated files. */
  #rotated = new Set<string>();
  /** Files that were there and got no place; whoever gets one later is read from its end, as at the start. */
  #waiting: ReadonlySet<string> = new Set();
  #listedMs = Number.NEGATIVE_INFINITY;
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #changed = false;
  #first = true;
  readonly #budget = new ReadBudget();
  readonly #namedBy: NamedBy | null;
  readonly #before: ReadBefore;

  /** `namedBy`: whose rights are needed besides; null where the configuration names the path. `lend`: as FileFollower has it. */
  constructor(
    path: string,
    namedBy: NamedBy | null = null,
    lend: LendFile | null = null,
    before: ReadBefore = NOTHING_READ,
  ) {
    this.#before = before;
    this.#path = path;
    this.#namedBy = namedBy;
    this.directory = dirname(path);
    this.#pattern = basename(path);
    if (hasWildcard(this.#pattern)) return;
    this.#followers.set(path, new FileFollower(path, true, this.#budget, namedBy, lend, before));
  }

  get followers(): readonly FileFollower[] {
    return [...this.#followers.values()];
  }

  get path(): string {
    return this.#path;
  }

  /** Whether a change of this name in the folder may matter; null is a change that was not named. */
  concerns(name: string | null): boolean {
    return name === null || matchesWildcard(name, this.#pattern);
  }

  /**
   * Looks for new names, at most every five seconds or when the folder announced a change (`changed`), and never for more than
   * a small part of the time, however many names a user puts there. Never throws.
   */
  async refresh(nowMs: number, changed: boolean): Promise<void> {
    this.#changed ||= changed;
    if (!hasWildcard(this.#pattern) || nowMs < this.#notBeforeMs) return;
    if (!this.#changed && nowMs - this.#listedMs < LIST_EVERY_MS) return;
    this.#changed = false;
    this.#listedMs = nowMs;
    const before = process.threadCpuUsage();
    await this.#list();
    const { user, system } = process.threadCpuUsage(before);
    this.#notBeforeMs = nowMs + (PAUSE_SHARE * (user + system)) / 1000;
  }

  async close(): Promise<void> {
    await Promise.all(this.followers.map((follower) => follower.close()));
  }

  async #list(): Promise<void> {
    const found = await this.#found();
    this.#rotated = new Set(found.filter(({ path }) => this.#rotated.has(path)).map(({ path }) => path));
    const wanting: FoundFile[] = [];
    const identities = new Set<string>();
    for (const file of found) {
      const reads = this.#followers.has(file.path);
      if (!reads && this.#seen.has(file.identity)) this.#rotated.add(file.path);
      if (this.#rotated.has(file.path) || identities.has(file.identity)) continue;
      identities.add(file.identity);
      wanting.push(file);
    }
    const chosen = sharePlaces(wanting, MAX_FILES, (path) => this.#followers.has(path));
    await this.#giveUp(new Set(found.map(({ path }) => path)), chosen);
    for (const file of wanting.filter(({ path }) => chosen.has(path)).sort(byPath)) this.#take(file);
    const waiting = wanting.filter(({ path }) => !chosen.has(path)).map(({ identity }) => identity);
    for (const identity of waiting) this.#seen.delete(identity);
    this.#waiting = new Set(waiting);
    this.#first = false;
  }

  async #found(): Promise<FoundFile[]> {
    const found: FoundFile[] = [];
    for (const name of await this.#names()) {
      const path = join(this.directory, name);
      const own = await lstat(path).catch(() => null);
      const info = own?.isSymbolicLink() ? await stat(path).catch(() => null) : own;
      if (own === null || info === null || !info.isFile()) continue;
      const { dev, ino, birthtimeMs, mtimeMs } = info;
      found.push({ path, identity: `${dev}:${ino}:${birthtimeMs}`, uid: own.uid, mtimeMs });
    }
    return found;
  }

  async #names(): Promise<readonly string[]> {
    const names: string[] = [];
    try {
      await eachMatchingName(this.directory, this.#pattern, MAX_NAMES, (name) => {
        if (names.length < MAX_MATCHING) names.push(name);
      });
    } catch {} // there is no such folder yet, or it is gone
    return names;
  }

  /** Those that are gone, once they are read to their end, and those that lost their place. */
  async #giveUp(present: ReadonlySet<string>, chosen: ReadonlySet<string>): Promise<void> {
    for (const [path, follower] of this.#followers) {
      if (present.has(path) ? chosen.has(path) || this.#rotated.has(path) : follower.state === 'reading') continue;
      this.#followers.delete(path);
      await follower.close();
    }
  }

  #take({ path, identity }: FoundFile): void {
    if (!this.#followers.has(path)) {
      const known = this.#first || this.#waiting.has(identity);
      this.#followers.set(path, new FileFollower(path, known, this.#budget, this.#namedBy, null, this.#before));
    }
    this.#seen.delete(identity);
    this.#seen.add(identity);
    for (const oldest of this.#seen) {
      if (this.#seen.size <= MAX_SEEN) break;
      this.#seen.delete(oldest);
    }
  }
}

function byPath(a: FoundFile, b: FoundFile): number {
  return a.path < b.path ? -1 : 1;
}

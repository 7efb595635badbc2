// LogFiles: the files that one configured path names now; with a wildcard in its last part they come and go.

import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasWildcard, matchesWildcard } from '../wildcard.ts';
import { FileFollower } from './file-follower.ts';
import { ReadBudget } from './read-budget.ts';

const MAX_FILES = 256;
const MAX_SEEN = 4096;
const LIST_EVERY_MS = 5000;

export class LogFiles {
  readonly directory: string;
  readonly #pattern: string;
  readonly #path: string;
  readonly #followers = new Map<string, FileFollower>();
  /** Files already read under some name, by device, inode and birth: a rotated one keeps them under its new name. */
  readonly #seen = new Set<string>();
  /** Names that are rotated files. */
  #rotated = new Set<string>();
  #listedMs = Number.NEGATIVE_INFINITY;
  #first = true;
  readonly #budget = new ReadBudget();

  constructor(path: string) {
    this.#path = path;
    this.directory = dirname(path);
    this.#pattern = basename(path);
    if (!hasWildcard(this.#pattern)) this.#followers.set(path, new FileFollower(path, true, this.#budget));
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

  /** Looks for new names, at most every five seconds; `changed` says that the folder told of a change. Never throws. */
  async refresh(nowMs: number, changed: boolean): Promise<void> {
    if (!hasWildcard(this.#pattern) || (!changed && nowMs - this.#listedMs < LIST_EVERY_MS)) return;
    this.#listedMs = nowMs;
    const names = await readdir(this.directory).catch((): string[] => []);
    const matching = names.filter((name) => matchesWildcard(name, this.#pattern)).sort();
    const paths = matching.map((name) => join(this.directory, name));
    this.#rotated = new Set(paths.filter((path) => this.#rotated.has(path)));
    for (const path of paths) await this.#take(path);
    for (const [path, follower] of this.#followers) {
      if (paths.includes(path) || follower.state === 'reading') continue;
      this.#followers.delete(path);
    }
    this.#first = false;
  }

  async close(): Promise<void> {
    await Promise.all(this.followers.map((follower) => follower.close()));
  }

  async #take(path: string): Promise<void> {
    if (this.#rotated.has(path)) return;
    const info = await stat(path).catch(() => null);
    if (info === null || !info.isFile()) return;
    const identity = `${info.dev}:${info.ino}:${info.birthtimeMs}`;
    if (!this.#followers.has(path)) {
      if (this.#seen.has(identity)) this.#rotated.add(path);
      else if (this.#followers.size < MAX_FILES)
        this.#followers.set(path, new FileFollower(path, this.#first, this.#budget));
    }
    this.#seen.delete(identity);
    this.#seen.add(identity);
    for (const oldest of this.#seen) {
      if (this.#seen.size <= MAX_SEEN) break;
      this.#seen.delete(oldest);
    }
  }
}

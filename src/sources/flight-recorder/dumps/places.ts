// Places: the folders that dumps may come to, from the configuration and from what the ranks' environment says.

import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { DumpFolderConfig } from '../../../config/config.ts';
import { hasWildcard, matchesWildcard } from '../../wildcard.ts';
import type { RankProcess } from '../jobs/processes.ts';
import { DumpFolder } from './dump-folder.ts';

const MAX_PLACES = 256;
const MAX_MATCHES = 1024;
/** Where PyTorch of early 2025 writes when nothing tells it otherwise. */
export const STANDARD: readonly DumpFolderConfig[] = [{ path: '/tmp', pattern: 'nccl_trace_rank_*', job: null }];

export interface Place {
  readonly folder: DumpFolder;
  /** Of the configuration or of a launcher; null where nobody gave one. */
  job: string | null;
  /** Global ranks whose processes on this host write here. */
  readonly localRanks: Set<number>;
  worldSize: number | null;
}

export class Places {
  readonly #configured: readonly DumpFolderConfig[];
  readonly #places = new Map<string, Place>();

  constructor(configured: readonly DumpFolderConfig[]) {
    this.#configured = configured;
  }

  get all(): readonly Place[] {
    return [...this.#places.values()];
  }

  /** Takes up folders that appeared and gives up those that are gone. Never throws. */
  async refresh(ranks: readonly RankProcess[]): Promise<void> {
    const kept = new Set<string>();
    for (const { path, pattern, job } of this.#configured) {
      for (const folder of await matching(path)) {
        const place = await this.#at(folder, pattern, kept);
        if (place !== null) place.job = job ?? place.job;
      }
    }
    for (const place of this.#places.values()) place.localRanks.clear();
    for (const rank of ranks) {
      for (const prefix of rank.dumpPrefixes) {
        if (!(await plainWay(rank.root, dirname(prefix)))) continue;
        const place = await this.#at(join(rank.root, dirname(prefix)), `${basename(prefix)}*`, kept);
        if (place === null) continue;
        place.job ??= rank.job;
        place.localRanks.add(rank.rank);
        place.worldSize = rank.worldSize ?? place.worldSize;
      }
    }
    for (const key of this.#places.keys()) if (!kept.has(key)) this.#places.delete(key);
  }

  /** One folder is one place, by whatever path it is reached. */
  async #at(path: string, pattern: string, kept: Set<string>): Promise<Place | null> {
    const info = await stat(path).catch(() => null);
    if (info === null || !info.isDirectory()) return null;
    const key = `${info.dev}:${info.ino}:${pattern}`;
    const known = this.#places.get(key);
    if (known === undefined && this.#places.size >= MAX_PLACES) return null;
    const made = known ?? { folder: new DumpFolder(path, pattern), job: null, localRanks: new Set(), worldSize: null };
    this.#places.set(key, made);
    kept.add(key);
    return made;
  }
}

async function matching(path: string): Promise<string[]> {
  const pattern = basename(path);
  if (!hasWildcard(pattern)) return [path];
  const names = await readdir(dirname(path)).catch((): string[] => []);
  return names
    .filter((name) => matchesWildcard(name, pattern))
    .sort()
    .slice(0, MAX_MATCHES)
    .map((name) => join(dirname(path), name));
}

/**
 * Whether every step from `root` down is a folder and no link: inside a container a link counts from its own root, and
 * from here it would lead somewhere else.
 */
export async function plainWay(root: string, path: string): Promise<boolean> {
  let at = root;
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    at = `${at}/${part}`;
    const info = await lstat(at).catch(() => null);
    if (info === null || !info.isDirectory()) return false;
  }
  return true;
}

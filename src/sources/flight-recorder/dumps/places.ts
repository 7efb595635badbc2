// Places: the folders that dumps may come to, from the configuration and from what the ranks' environment says.

import type { Stats } from 'node:fs';
import { lstat, readdir, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasWildcard, matchesWildcard } from '../../../helpers/wildcard.ts';
import { Writers } from '../../../identity/job/folder-writers.ts';
import type { RankProcess } from '../../../identity/rank/processes.ts';
import type { NamedBy } from '../../../model/native-files.ts';
import type { DumpFolderSettings } from '../settings.ts';
import { DumpFolder } from './dump-folder.ts';

const MAX_PLACES = 256;
const MAX_MATCHES = 1024;
/** NFS_SUPER_MAGIC of linux/magic.h. */
const NFS = 0x6969;
/** Where PyTorch of early 2025 writes when nothing tells it otherwise. */
export const STANDARD: readonly DumpFolderSettings[] = [{ path: '/tmp', pattern: 'nccl_trace_rank_*', job: null }];

export interface Place {
  readonly folder: DumpFolder;
  /** Of the configuration or of a launcher; null where neither gives one. */
  job: string | null;
  /** Global ranks whose processes on this host write here. */
  readonly localRanks: Set<number>;
  worldSize: number | null;
  /** Users whose ranks on this host write here, or did. */
  readonly writers: Writers;
}

/** A place of the configuration: which names it takes, and the job that it was given. */
interface Declared {
  readonly place: Place;
  readonly pattern: string;
  readonly job: string | null;
}

export class Places {
  readonly #configured: readonly DumpFolderSettings[];
  readonly #places = new Map<string, Place>();

  constructor(configured: readonly DumpFolderSettings[]) {
    this.#configured = configured;
  }

  get all(): readonly Place[] {
    return [...this.#places.values()];
  }

  /**
   * Takes up folders that appeared and gives up those that are gone. Returns, by process id of a rank, the job that the
   * configuration gives to the folder it dumps into. Never throws.
   */
  async refresh(ranks: readonly RankProcess[], nowMs: number): Promise<ReadonlyMap<number, string>> {
    const kept = new Set<string>();
    const declared = new Map<string, Declared[]>();
    const jobs = new Map<number, string>();
    for (const { path, pattern, job } of this.#configured) {
      for (const folder of await matching(path)) {
        const place = await this.#at(folder, pattern, kept);
        if (place === null) continue;
        place.job = job ?? place.job;
        place.writers.job = job ?? place.writers.job;
        const at = await folderKey(folder);
        if (at !== null) declared.set(at, [...(declared.get(at) ?? []), { place, pattern, job }]);
      }
    }
    for (const place of this.#places.values()) {
      place.localRanks.clear();
      place.writers.noneRuns();
    }
    for (const rank of ranks) {
      for (const prefix of rank.dumpPrefixes) {
        if (!(await plainWay(rank.root, dirname(prefix)))) continue;
        const folder = join(rank.root, dirname(prefix));
        const here = declared.get((await folderKey(folder)) ?? '') ?? [];
        const declaredHere = here.find((each) => takes(each, `${basename(prefix)}${rank.rank}`, rank));
        const place = declaredHere?.place ?? (await this.#at(folder, `${basename(prefix)}*`, kept, rank.namedBy));
        if (place === null) continue;
        place.job ??= rank.job;
        if (declaredHere !== undefined && declaredHere.job !== null) jobs.set(rank.pid, declaredHere.job);
        place.localRanks.add(rank.rank);
        place.writers.runs(rank, nowMs);
        place.worldSize = rank.worldSize ?? place.worldSize;
      }
    }
    for (const key of this.#places.keys()) if (!kept.has(key)) this.#places.delete(key);
    return jobs;
  }

  /** One folder is one place, by whatever path it is reached. */
  async #at(path: string, pattern: string, kept: Set<string>, namedBy?: NamedBy): Promise<Place | null> {
    const info = await folderAt(path);
    if (info === null) return null;
    const owner = info.uid;
    const key = `${info.dev}:${info.ino}:${pattern}`;
    const known = this.#places.get(key);
    if (known === undefined && this.#places.size >= MAX_PLACES) return null;
    // Where several users' ranks name one folder, its owner's word counts: others could shut him out of his own.
    const better = known?.folder.namedBy !== undefined && namedBy?.[0] === owner && known.folder.namedBy[0] !== owner;
    const made =
      known === undefined || better
        ? {
            folder: new DumpFolder(path, pattern, namedBy),
            job: null,
            localRanks: new Set<number>(),
            worldSize: null,
            writers: new Writers(await squashes(path)),
          }
        : known;
    this.#places.set(key, made);
    kept.add(key);
    return made;
  }
}

/** The same for every path that leads to one folder; null for what is none. */
async function folderKey(path: string): Promise<string | null> {
  const info = await folderAt(path);
  return info === null ? null : `${info.dev}:${info.ino}`;
}

/** File systems of servers that treat root as `nobody`, as they do by default: NFS. */
async function squashes(path: string): Promise<boolean> {
  return await statfs(path).then(({ type }) => type === NFS, () => false); // biome-ignore format: one question
}

async function folderAt(path: string): Promise<Stats | null> {
  const info = await stat(path).catch(() => null);
  return info?.isDirectory() ? info : null;
}

/**
 * Dumps that a configured place reads are not read once more under the name that a launcher gave: one stall would be two
 * incidents of two jobs. A folder without a name in the configuration may be shared by jobs: of each user it takes the first
 * one's name.
 */
function takes({ place, pattern, job }: Declared, name: string, rank: RankProcess): boolean {
  const first = place.writers.jobHere(rank) ?? (rank.namedBy === undefined ? place.job : null);
  const same = job !== null || first === null || rank.job === null || first === rank.job;
  return same && matchesWildcard(name, pattern);
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

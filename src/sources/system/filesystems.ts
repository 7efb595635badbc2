// How full file systems are, read one after the other: a mount whose server is gone hangs there, and holds up nothing else.

import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';

/** A local file system answers in microseconds. */
const ANSWER_MS = 1000;
/** Each call that hangs keeps one of the four threads that all file calls of the process share: at most two of them. */
const MAX_STUCK = 2;

export interface Filesystem {
  readonly path: string;
  readonly sizeBytes: number;
  /** What ordinary users may still take. */
  readonly availableBytes: number;
  /** As df counts it: used of used and available, 0 to 1. */
  readonly utilization: number;
  /** Share of inodes in use; null where the file system has no fixed number. */
  readonly inodeUtilization: number | null;
}

export type FilesystemState = Filesystem | 'gone' | 'unknown';

export class Filesystems {
  readonly #paths: readonly string[];
  readonly #statfs: (path: string) => Promise<StatsFs>;
  readonly #answerMs: number;
  readonly #stuck = new Set<string>();

  constructor(
    paths: readonly string[],
    read: (path: string) => Promise<StatsFs> = (path) => statfs(path),
    answerMs = ANSWER_MS,
  ) {
    this.#paths = [...new Set(paths)];
    this.#statfs = read;
    this.#answerMs = answerMs;
  }

  /** Paths whose last call has not come back. */
  get stuck(): readonly string[] {
    return [...this.#stuck];
  }

  /** State by path, in the order of the paths: never rejects, and takes at most a second more than what answers. */
  async read(): Promise<Map<string, FilesystemState>> {
    const found = new Map<string, FilesystemState>();
    for (const path of this.#paths) {
      const ask = !this.#stuck.has(path) && this.#stuck.size < MAX_STUCK;
      found.set(path, ask ? await this.#one(path) : 'unknown');
    }
    return found;
  }

  async #one(path: string): Promise<FilesystemState> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'unknown'>((resolve) => {
      timer = setTimeout(() => {
        if (pending) this.#stuck.add(path);
        resolve('unknown');
      }, this.#answerMs);
    });
    let pending = true;
    const answer = this.#statfs(path)
      .then(
        (stats) => filesystem(path, stats),
        (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? 'gone' : 'unknown'),
      )
      .finally(() => {
        pending = false;
        this.#stuck.delete(path);
      });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** "unknown" for a file system without size (procfs and kin), which is neither full nor empty. */
function filesystem(path: string, stats: StatsFs): FilesystemState {
  const { bsize, blocks, bfree, bavail, files, ffree } = stats;
  const used = blocks - bfree;
  if (!(blocks > 0) || !(used + bavail > 0) || used < 0 || bavail < 0) return 'unknown';
  return {
    path,
    sizeBytes: blocks * bsize,
    availableBytes: bavail * bsize,
    utilization: used / (used + bavail),
    inodeUtilization: files > 0 && ffree <= files ? (files - ffree) / files : null,
  };
}

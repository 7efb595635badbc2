// When a file system counts as full or filling, and the onset and clear of that for the host, with what to free.

import type { Kind } from '../../model/kind.ts';
import type { Filesystem, FilesystemState } from './filesystems.ts';

const GIB = 1024 ** 3;
/** A disk is full at 2 % left, on a large one at 4 GiB left: percents of a large disk are room enough for a day. */
const DISK_LEFT_RATIO = 0.02;
const DISK_LEFT_BYTES = 4 * GIB;
const INODES_FULL = 0.99;
const INODES_CLEAR = 0.98;

type Judge = (state: Filesystem, before: boolean) => boolean;

/** True while at or over `onset`, and stays so until under `clear`. */
function level(value: number, before: boolean, onset: number, clear: number): boolean {
  return before ? value >= clear : value >= onset;
}

export const diskFull: Judge = (state, before) => {
  const limit = Math.min(DISK_LEFT_RATIO * state.sizeBytes, DISK_LEFT_BYTES);
  const space = before ? state.availableBytes < 1.5 * limit : state.availableBytes < limit;
  const inodes = state.inodeUtilization;
  return space || (inodes !== null && level(inodes, before, INODES_FULL, INODES_CLEAR));
};

/** Workers of a data loader and NCCL take shared memory in pieces of tens of MiB: the last percents are no use to them. */
export const shmFull: Judge = (state, before) => level(state.utilization, before, 0.97, 0.95);
export const shmFilling: Judge = (state, before) => level(state.utilization, before, 0.85, 0.8);

export interface FullnessEdge {
  readonly kind: Kind;
  readonly state: 'onset' | 'clear';
  /** The file system that became full, or the last one that has room again; null when it is gone. */
  readonly filesystem: Filesystem | null;
  readonly path: string;
}

/** One condition of the host over several file systems: it begins with each one that fills up, and ends with the last. */
export class Fullness {
  readonly #kind: Kind;
  readonly #judge: Judge;
  readonly #full = new Set<string>();

  constructor(kind: Kind, judge: Judge) {
    this.#kind = kind;
    this.#judge = judge;
  }

  /** What could not be read keeps the state it had: silence is not free space. */
  update(path: string, state: FilesystemState): FullnessEdge | null {
    if (state === 'unknown') return null;
    const filesystem = state === 'gone' ? null : state;
    const before = this.#full.has(path);
    const now = filesystem !== null && this.#judge(filesystem, before);
    if (now === before) return null;
    if (now) this.#full.add(path);
    else this.#full.delete(path);
    if (!now && this.#full.size > 0) return null;
    return { kind: this.#kind, state: now ? 'onset' : 'clear', filesystem, path };
  }
}

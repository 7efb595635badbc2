// What a native thread is to read for a source: files of sysfs and procfs, and the series that their numbers become.

/** One file of a `FileWatch`: a regular one of at most 63 bytes, or a folder of at most 4096 names. */
export interface WatchedFile {
  readonly path: string;
  readonly folder?: boolean;
  /**
   * What it must stay: the text without the newline at its end, or a folder's names in any order, joined by "/"; null for
   * a folder that is not there. The first file that is not what it should be ends the watch.
   */
  readonly expected?: string | null;
  /** Ends the watch when the counter is here. */
  readonly limit?: number;
  /** Read in slow rounds only. */
  readonly slow?: boolean;
}

/** Sampled at each round, or each slow one: as sentinel.ts reads the numbers, one that is none is left out. */
export interface WatchedSeries {
  /** Empty: the total of a rate is kept, and nothing sampled. */
  readonly key: string;
  /** `held`: always `value`. `counter`: the sum of the files. `rate`: growth per second of the sum times `value`. */
  readonly kind: 'held' | 'counter' | 'rate' | 'power' | 'temperature';
  /** Places in the files of the group. */
  readonly files?: readonly number[];
  readonly value?: number;
  /** Of a rate, as it was at the group's `totalsMs`. */
  readonly total?: number;
  readonly slow?: boolean;
}

export interface FileWatchOptions {
  /** Of its one notice, `files_changed`, whose text is the path: the watch is over then, and reports nothing of that round. */
  readonly name: string;
  readonly intervalMs: number;
  /** From now to the first round. */
  readonly firstMs: number;
  readonly slowRounds: number;
  /** Read in this order; all series of a group have the time at which its last file was read. */
  readonly groups: readonly {
    readonly totalsMs?: number;
    readonly files: readonly WatchedFile[];
    readonly series: readonly WatchedSeries[];
  }[];
}

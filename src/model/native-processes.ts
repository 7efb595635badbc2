// What the addon offers for the processes of a host: which may be work, and the files that they write.

/** A process that may be work: by its environment, its control groups, or a device that it holds. */
export interface ProcessRow {
  readonly pid: number;
  /** Clock ticks from boot to its start, 0 where procfs does not say: with the pid, one process. */
  readonly startTicks: number;
  /** The same on the wall clock of now, epoch ms; null where procfs does not say. */
  readonly startedMs: number | null;
  /** 0 where procfs does not say. */
  readonly parent: number;
  /** Its pid in its own namespace. */
  readonly innerPid: number;
  /** Its environment may be read. */
  readonly readable: boolean;
  /** Text of its control groups. */
  readonly group: string;
  /** Its paths are of another mount namespace than ours. */
  readonly ownMounts: boolean;
  /** Effective user, then its groups. */
  readonly owner: readonly [user: number, ...groups: number[]];
  /** Of the variables that were asked for, those that are there and have at most 4096 bytes. */
  readonly variables: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

/** A file that a process has open for writing, and how near that process is to the one that was asked about. */
export interface WrittenFile {
  /** As that process sees it. */
  readonly path: string;
  /** 0 where the kernel does not say. */
  readonly inode: number;
  /** That process, one that started it, one that reads what it prints, or one of the same job's or container's group. */
  readonly by: 'itself' | 'ancestor' | 'pipe' | 'group';
  /** It is that process's standard output or error. */
  readonly output: boolean;
}

/**
 * What is known of `faultline-environ`, which is asked for what this process may not read itself: not asked so far, its socket not
 * there, not open to us, of another build, does not answer in time, permitted nothing by the kernel, or reading by CAP_PERFMON
 * or CAP_SYS_PTRACE.
 */
export type ReaderState = 'unasked' | 'absent' | 'closed' | 'other_build' | 'late' | 'powerless' | 'perfmon' | 'ptrace';

export interface Reader {
  readonly state: ReaderState;
  /** The kernel holds it to procfs (Landlock). */
  readonly shutOff: boolean;
  /** The kernel lets it see which files processes have open. */
  readonly listsFiles: boolean;
}

export interface ProcessScan {
  /** Pids of all that may be work. */
  readonly present: Uint32Array;
  /** Of these: new since the last scan, started again, or of another environment. */
  readonly changed: readonly ProcessRow[];
  /** What ranks and holders of devices write, and the parts of `libraries` that they have mapped, where that changed. */
  readonly writes: readonly {
    readonly pid: number;
    readonly files: readonly WrittenFile[];
    readonly libraries: readonly string[];
    /** Device files that it has open itself, of those that were asked for. */
    readonly devices: readonly string[];
  }[];
  /** Processes whose environment may not be read. */
  readonly refused: number;
  /** Folders of processes whose files do not answer. */
  readonly hanging: readonly string[];
  /** Null where no reader is to be asked. */
  readonly reader: Reader | null;
  /** Time of processors that it took. */
  readonly cpuMs: number;
}

/** What ended since it was asked last, each with how long ago. */
export interface EndedNow {
  readonly processes: readonly { readonly pid: number; readonly startTicks: number; readonly agoMs: number }[];
  /** Control groups of jobs and containers in which no process is any more. */
  readonly groups: readonly { readonly group: string; readonly agoMs: number }[];
}

export interface ProcessTableOptions {
  /** Root of procfs. */
  readonly proc: string;
  /** Of an environment nothing else is handed over, and of these only values without odd characters, but for `paths`. */
  readonly variables: readonly string[];
  readonly paths: readonly string[];
  /** A process that has one of these variables may be work. */
  readonly markers: readonly string[];
  /** One that has one of these is asked for what it writes and what it has mapped. */
  readonly ranks: readonly string[];
  /** One whose control groups have one of these texts may be work. */
  readonly groups: readonly string[];
  /** Parts of the paths of libraries. */
  readonly libraries: readonly string[];
  /** What the paths of device files begin with. */
  readonly devices: readonly string[];
  /** Socket of the reader that is asked for what may not be read here; '': none. It knows the processes of /proc. */
  readonly reader: string;
}

/** Looks through procfs on its own threads. */
export interface NativeProcessTable {
  /**
   * Looks at what is new; a process whose files do not answer within a second is left behind. `done` is called once; it
   * keeps the process alive until then. False, and nothing is called, while a scan is under way. `holders`: pids that hold a
   * device, which may be work whatever else they are.
   */
  scan(holders: readonly number[], done: (scan: ProcessScan) => void): boolean;
  /**
   * Opens for reading what a process prints into: a regular file that it has open for writing as its standard output or error, and
   * that its user may read. `inode`: of the file that is meant, 0: whichever it is. `done` gets a descriptor, or -errno.
   */
  lendLog(pid: number, startTicks: number, inode: number, done: (fd: number) => void): void;
  /**
   * From the next scan on ends are known when they come: `wake` is called, four times a second at most, when a rank, the holder of a
   * device or a job's control group ended. `cgroups`: where those are mounted. Only for the procfs of this namespace. False where
   * the system refuses.
   */
  watchEnds(cgroups: string, wake: () => void): boolean;
  takeEnds(): EndedNow;
  stopWatching(): void;
}

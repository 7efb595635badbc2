// The only door to the addon: its types, and where it is loaded from.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { DetectorSpec } from './model/detector.ts';
import type { NativeFiles } from './model/native-files.ts';
import { type Notice, parseNotice, type RawNotice } from './model/native-notice.ts';
import type { NativeProcessTable, ProcessTableOptions } from './model/native-processes.ts';
import type { FileWatchOptions } from './model/native-watch.ts';

export type { DetectorGuard, DetectorSpec } from './model/detector.ts';
export { type Notice, type NoticeName, type NoticeOf, noticesOf } from './model/native-notice.ts';
export type {
  NativeProcessTable,
  ProcessRow,
  ProcessScan,
  ProcessTableOptions,
  Reader,
  ReaderState,
  WrittenFile,
} from './model/native-processes.ts';
export type { FileWatchOptions, WatchedFile, WatchedSeries } from './model/native-watch.ts';

/** Onset or clear of a detector on one series. Times are epoch ms on the steady clock. */
export interface DetectorEdge {
  readonly detector: string;
  readonly key: string;
  readonly edge: 'onset' | 'clear';
  /** Time of the first sample beyond (or back within) the limit. */
  readonly timeMs: number;
  /** Time of the last sample before it: the change happened in (previousMs, timeMs]. Equals timeMs for a first sample. */
  readonly previousMs: number;
  readonly value: number;
  /**
   * What `value` was held against: limit, median, rate; for the onset of a trend the epoch ms at which it meets its
   * limit, for its clear the limit.
   */
  readonly reference: number;
  /** Worst value seen between onset and this edge. */
  readonly extreme: number;
  /** When native code found it; timeMs is older where a dwell must pass. */
  readonly detectedMs: number;
  /** The trace context that the batch came with, where it came with one. */
  readonly traceparent?: string;
}

/** One kernel log record. */
export interface KernelRecord {
  readonly sequence: number;
  readonly timeMs: number;
  /** When the reader got it. */
  readonly observedMs: number;
  readonly priority: number;
  readonly facility: number;
  readonly text: string;
  /** Lines of its shape that were left out since the one handed over before it; left out where there were none. */
  readonly repeats?: number;
}

/** A record without when it was read; a `fragment` is a piece of an interrupted line, which the reader leaves out. */
export interface ParsedKernelRecord extends Pick<KernelRecord, 'sequence' | 'priority' | 'facility' | 'text'> {
  readonly fragment: boolean;
}

export interface Drained {
  readonly edges: readonly DetectorEdge[];
  readonly records: readonly KernelRecord[];
  readonly notices: readonly Notice[];
}

/** Aggregates since the previous call, one entry per series that had samples. */
export interface Aggregates {
  readonly ids: Uint32Array;
  readonly count: Uint32Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly mean: Float64Array;
  readonly last: Float64Array;
  readonly lastTimeMs: Float64Array;
}

export interface CoreStats {
  readonly series: number;
  readonly samples: number;
  readonly edges: number;
  readonly recordsLost: number;
  readonly wakeups: number;
  readonly pendingEvents: number;
}

export interface NativeCore {
  /** Now on the steady clock: wall time at construction plus CLOCK_MONOTONIC since, as epoch ms. */
  now(): number;
  /** Called at most once until the next drain, and never when nothing happened. Keeps the process alive only if asked. */
  onWake(callback: () => void): void;
  /** Nothing waits to be drained: a fraction of what a drain costs. */
  idle(): boolean;
  drain(): Drained;
  setDetectors(specs: readonly DetectorSpec[]): void;
  /** Components with the same number are peers; null: it has none. For detectors that are `grouped`. */
  setPeerGroup(component: string, group: number | null): void;
  /** Id of the series with this key, made on first use; 0xffffffff when no more fit, and samples for it are dropped. */
  series(key: string): number;
  /** Key by id, for reading aggregates. */
  seriesKeys(): string[];
  /** `traceparent` (W3C, version 00; anything else is a TypeError) comes back with the edges that the batch causes. */
  push(ids: Uint32Array, timesMs: Float64Array, values: Float64Array, traceparent?: string): void;
  aggregates(): Aggregates;
  /** Raw samples kept in the ring (the last minutes). */
  history(key: string, fromMs: number, toMs: number): { timesMs: Float64Array; values: Float64Array };
  stats(): CoreStats;
  /** Stops every reader that belongs to this core; bounded, idempotent. */
  close(): void;
}

export interface KernelLogOptions {
  /** Character device or a file in kmsg form (followed as it grows, taken up when it appears). */
  readonly path: string;
  /** Also hand over lines that user space wrote (facility other than 0). */
  readonly userLines: boolean;
  /** Start with what is already there instead of at the end. */
  readonly fromStart: boolean;
  /** Hand over a storm of like lines at a bounded rate, the rest as `repeats`; left out: every line. */
  readonly foldStorms?: boolean;
  /** Words of which a line has one, else it is only counted; left out: every line is handed over. */
  readonly words?: NativeWordScanner;
}

/** Finds the lines of a block that hold one of many words. Its words have 2 bytes at least. */
export interface NativeWordScanner {
  /**
   * Of the lines that begin in `block`, which begins with a line: into `found` how many bytes were read (up to a line's end where
   * `found` is full), the newlines in them, and of each line its offset, length, word and the newlines before it. Returns the number of lines.
   */
  scan(block: Uint8Array, found: Uint32Array): number;
}

/** Lines that were read, and why not all of them were handed over. */
export interface KernelLogCounts {
  /** Written by user space. */
  readonly userLines: number;
  /** Pieces of lines that another message interrupted. */
  readonly fragments: number;
  readonly malformed: number;
  /** Reported as `repeats` of another, or about to be. */
  readonly folded: number;
  readonly handed: number;
  /** Without a word of any rule. */
  readonly passed: number;
}

export interface NativeKernelLog extends NativeReader {
  counts(): KernelLogCounts;
}

export interface RaplOptions {
  /** Root of sysfs, for example "/sys". */
  readonly sysRoot: string;
  readonly host: string;
  readonly intervalMs: number;
  /** Energy is read this often (1 ms at least), for the peaks and lows of power between two samples; 0: it is not. */
  readonly fastIntervalMs: number;
}

/** Reads small files on its own thread. At most 8192 files and 16384 series. */
export interface NativeFileWatch extends NativeReader {
  /**
   * Of each group in turn, as of the last whole round: when its reads began and ended (epoch ms on the steady clock), then
   * of each of its rates the total and the growth per second; NaN for what there is none of.
   */
  groups(): Float64Array;
  /** Since it began; `dropped`: power and temperatures that are none. */
  counts(): { rounds: number; reads: number; readSeconds: number; dropped: number };
  /** The path whose read takes longer than this by now. */
  hangs(longerThanMs: number): string | null;
  /** It reads nothing any more. */
  ended(): boolean;
}

/** Counters of devices, as many for each name. */
export interface CounterTable {
  readonly names: readonly string[];
  readonly counters: Float64Array;
}

/** What procfs says of a host as a whole; NaN where it does not say. */
export interface HostRound {
  /**
   * Ticks of all processors (user nice system idle iowait irq softirq steal), tasks in uninterruptible sleep, boot time in
   * epoch s, load of the last minute, KiB of memory (total, available, shared, swap, free swap), µs of pressure (some and
   * full of cpu, memory, io).
   */
  readonly numbers: Float64Array;
  /** Real disks: sectors of 512 bytes read and written, ms in which they were busy. Null where there is no such file. */
  readonly disks: CounterTable | null;
  /** Real network interfaces: bytes, errors and drops received, then sent. */
  readonly interfaces: CounterTable | null;
  /** Folder in sysfs of the device of each interface. */
  readonly interfaceDevices: readonly string[];
  /** The text of the boot id. */
  readonly bootId: string;
  /** Files below procfs that could not be read, and the errno of each. */
  readonly failed: readonly string[];
  readonly errors: Float64Array;
  /** Files that do not answer. */
  readonly hanging: readonly string[];
}

/** Reads procfs on its own threads. */
export interface NativeHostFigures {
  /**
   * Reads everything once; a file that does not answer within a second is left behind. `done` is called once; it keeps the
   * process alive until then. False, and nothing is called, while a round is under way.
   */
  read(done: (round: HostRound) => void): boolean;
}

export interface VendorOptions {
  /** Path of the faultline-vendor executable. */
  readonly executable: string;
  /** soname or path of the vendor library. */
  readonly library: string;
  readonly intervalMs: number;
  readonly burstIntervalMs: number;
  readonly callDeadlineMs: number;
  /** False: no value is read, the child only waits for the driver's events; true when absent. */
  readonly poll?: boolean;
  /** Pause before a device that was given up is tried again, doubled at each failure; 60 000 when absent. */
  readonly retryMs?: number;
}

export interface NativeReader {
  /** Idempotent, returns at once; what is stuck is abandoned. */
  stop(): void;
}

export interface NativeProgramRun extends NativeReader {
  /** Of the program, and of the process that it started, as far as they are known; also after they ended. */
  pids(): readonly number[];
}

export interface NativeVendor extends NativeReader {
  /** Samples at the burst interval for this long. */
  burst(durationMs: number): void;
  /**
   * Ends the child so that no device file is open; starts again after `durationMs`. `traceparent` comes back with the
   * notice that reports it; a release that a later one overtakes is answered with the later one only.
   */
  release(durationMs: number, traceparent?: string): void;
  /** Pid of the child, null while there is none. */
  pid(): number | null;
}

/** Who connected to a unix socket, as the kernel knows it. */
export interface PeerCredentials {
  /** 0 where the peer lives in a PID namespace that this process does not see. */
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
  /** The other groups that it is a member of. */
  readonly groups: readonly number[];
}

/** How a run of a program ended; `number` is its status, the signal, or the errno for which it was not started. */
export type ProgramEnd = 'exited' | 'signalled' | 'not_started' | 'stopped' | 'late' | 'too_much';

export interface NativeModule extends NativeFiles {
  Core: new (options: { historySeconds: number; maxSeries: number; anchorMs?: number }) => NativeCore;
  KernelLog: new (core: NativeCore, options: KernelLogOptions) => NativeKernelLog;
  Rapl: new (core: NativeCore, options: RaplOptions) => NativeReader;
  FileWatch: new (core: NativeCore, options: FileWatchOptions) => NativeFileWatch;
  HostFigures: new (options: { readonly proc: string; readonly sys: string }) => NativeHostFigures;
  ProcessTable: new (options: ProcessTableOptions) => NativeProcessTable;
  Vendor: new (core: NativeCore, options: VendorOptions) => NativeVendor;
  /** The places of words count from the first of `words` to the last of `anyCase`. */
  WordScanner: new (options: {
    readonly words: readonly string[];
    readonly anyCase: readonly string[];
    readonly colours: boolean;
  }) => NativeWordScanner;
  /**
   * Runs `program`, which is one of Faultline's own, with `input` on its standard input, on its own thread: to start a
   * process from this one would hold it up for milliseconds. `done` is called once; after `exited` with the first three lines of
   * its answer, not counting one "pid N" before them. It keeps the process alive until then; `stop` ends the program, as does
   * `deadlineMs` or more than `mostBytes` of answer.
   */
  ProgramRun: new (
    options: { program: string; input: string; deadlineMs: number; mostBytes: number },
    done: (end: ProgramEnd, number: number, first: string, second: string, third: string) => void,
  ) => NativeProgramRun;
  /**
   * Statistics that the driver of a network interface names so, through ethtool, in this order; NaN where it has none of the
   * name. `done` is called once, with the errno that it failed with or 0. Takes as long as the driver does.
   */
  ethtoolStatistics(
    interfaceName: string,
    names: readonly string[],
    done: (errno: number, values: Float64Array) => void,
  ): void;
  /**
   * Which processes have completion queues on which RDMA device: names of devices and pids, as this namespace numbers them, in lists of
   * one length; each pair once. `done` is called once, with the errno that it failed with or 0.
   */
  rdmaQueueOwners(done: (errno: number, devices: readonly string[], pids: Uint32Array) => void): void;
  /** What the reader of the kernel log makes of one record of /dev/kmsg; null for what is not in its form. */
  parseKernelRecord(record: string): ParsedKernelRecord | null;
  /** Sends one sd_notify datagram to `socket` (leading @ = abstract); false when it could not be sent. */
  notify(socket: string, message: string): boolean;
  /** Of a connected unix socket: who its peer was when it connected (SO_PEERCRED); null for every other descriptor. */
  peerCredentials(fd: number): PeerCredentials | null;
  /** Ends the process with this status (0 to 255) though a thread hangs in a system call, which `process.exit` waits for. */
  exitNow(status: number): never;
  version(): string;
  /**
   * Reads each file from its start into its share of `into`, all in one job of Node's pool. `sizes` is one longer than
   * `files`: each becomes the bytes read, or -errno, as soon as its read came back; a number other than 0 in the last place
   * ends the job before the next file. `done` is called once, on this thread.
   */
  readFiles(files: Int32Array, sizes: Int32Array, into: Uint8Array, done: () => void): void;
  /**
   * One heap of the C library's for all threads that have none yet (further ones each keep what they once held), and large
   * buffers outside it, which go back to the kernel when they are freed.
   */
  keepMallocSmall(): void;
  /**
   * From here on no other process of this user can read or write this process's memory, its environment or what it has open,
   * nor trace it. False where the kernel refuses.
   */
  hideMemory(): boolean;
  /**
   * Gives free heap back to the kernel, and lets go of the pages of program and libraries that were only read, on a thread
   * of its own: those that are used again come back from the page cache. False where no thread could be had.
   */
  giveBackMemory(): boolean;
  /** The same of free heap alone, which nothing that runs has to fetch again. */
  giveBackHeap(): boolean;
  /**
   * The text of a file (of one byte a letter) between two others, read where it lies as it is used; undefined where that cannot be had.
   * The file must not be shortened as long as the text is held. For the loader of the bundle.
   */
  mapText(path: string, before: string, after: string): string | undefined;
}

/** The installation's root: the folder that holds catalog/, build/ or lib/. */
export function installationRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

/** Path of a built native file ("faultline.node", "faultline-vendor", "libnvidia-ml.so.1"). */
export function nativePath(name: string): string {
  const root = installationRoot();
  // Of a release, of a checkout that was built in full, of one that was built for the demo.
  for (const folder of ['lib', join('build', 'Release'), join('build', 'Development')]) {
    const path = join(root, folder, name);
    if (existsSync(path)) return path;
  }
  return join(root, 'build', 'Release', name);
}

let loaded: NativeModule | undefined;

const NOTHING: Drained = { edges: [], records: [], notices: [] };

/** The addon's core, whose notices pass the table of names and fields on their way to JavaScript. */
function withTypedNotices(Core: NativeModule['Core']): NativeModule['Core'] {
  return class extends Core {
    override drain(): Drained {
      if (super.idle()) return NOTHING;
      const drained = super.drain();
      if (drained.notices.length === 0) return drained;
      const raw = drained.notices as readonly unknown[] as readonly RawNotice[]; // as the addon makes them
      return { ...drained, notices: raw.map(parseNotice) };
    }
  };
}

/** The addon is not there, or not for this machine. */
export class NoAddon extends Error {}

/** Loads the addon once. Throws `NoAddon` with the line that builds it when it is missing. */
export function native(): NativeModule {
  if (loaded) return loaded;
  const path = nativePath('faultline.node');
  try {
    const addon = createRequire(import.meta.filename)(path) as NativeModule; // the addon's shape is tested in test/native.test.ts
    loaded = { ...addon, Core: withTypedNotices(addon.Core) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    // A release has it in lib/, and no compiler that could make another one.
    const released = path === join(installationRoot(), 'lib', 'faultline.node');
    const remedy = released
      ? `Install the release for ${process.platform}-${process.arch} again`
      : `Build it once: ${join(installationRoot(), 'scripts', 'build')}`;
    throw new NoAddon(`FL1001 the native addon did not load from ${path}: ${reason}. ${remedy}`);
  }
  return loaded;
}

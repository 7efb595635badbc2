// Small files of sysfs and procfs, held open and read in libuv's pool: one that hangs holds up nothing but itself.

import { close, constants, open, read, readdir, readlink, realpath, type Stats, stat } from 'node:fs';
import { errorCode } from '../../helpers/error-code.ts';
import { FileBatch, type ReadMany, readMany } from './file-batch.ts';

/** sysfs shows at most a page (Documentation/filesystems/sysfs.rst). */
const MAX_BYTES = 4096;
/** A register that sits in firmware answers in milliseconds; a card whose firmware is dead never does. */
export const ANSWER_MS = 1000;
/** Each call that hangs keeps one of the four threads that all file calls of the process share: at most two of them. */
const MAX_STUCK = 2;
const MAX_OPEN = 2048;
const MAX_KNOWN = 16_384;
const MAX_ENTRIES = 4096;
const MAX_GROUPS = 1024;
const MAX_TOGETHER = 256;
/** Worth another try at the next round. */
const TRANSIENT = new Set(['EAGAIN', 'EINTR', 'EBUSY', 'ETIMEDOUT', 'EMFILE', 'ENFILE', 'ENOMEM']);
/** The device behind the file went away: what is there next is another file. */
const GONE = new Set(['ENODEV', 'ENXIO']);

/** The calls of the kernel that may hang. Each rejects with an error that has a `code`. */
export interface FileCalls {
  open(path: string): Promise<number>;
  /** Bytes read from the start of the file. */
  read(file: number, into: Buffer): Promise<number>;
  /** Left out: files are read one by one. */
  readMany?: ReadMany;
  close(file: number): void;
  list(path: string): Promise<string[]>;
  link(path: string): Promise<string>;
  real(path: string): Promise<string>;
  /** Number of the file system that the path lies on. */
  device(path: string): Promise<number>;
}

// A fifo or terminal in the place of a file must not hold up the pipeline.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

type Done<T> = (error: Error | null, value: T) => void;

function called<T>(call: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => call((error, value) => (error === null ? resolve(value) : reject(error))));
}

const KERNEL: FileCalls = {
  open: (path) => called((done) => open(path, FLAGS, done)),
  read: (file, into) => called((done) => read(file, into, 0, into.length, 0, done)),
  readMany,
  close: (file) => close(file, () => {}),
  list: (path) => called((done) => readdir(path, done)),
  link: (path) => called((done) => readlink(path, done)),
  real: (path) => called((done) => realpath.native(path, done)),
  device: async (path) => (await called<Stats>((done) => stat(path, done))).dev,
};

/** How many calls hang now, over all readers that share it. */
export interface StuckBudget {
  stuck: number;
}

export class SmallFiles {
  readonly #calls: FileCalls;
  readonly #answerMs: number;
  readonly #budget: StuckBudget;
  readonly #open = new Map<string, number>();
  /** Path → why it is not read again: the name of the error. */
  readonly #refused = new Map<string, string>();
  readonly #stuck = new Set<string>();
  /** Name of a group → the paths that it read last time. */
  readonly #groups = new Map<string, readonly string[]>();
  /** What was read ahead and not asked for yet. */
  #early = new Map<string, string | Error>();
  /** Paths that the group which is being read asks for. */
  #asked: string[] | null = null;
  #buffer = Buffer.allocUnsafeSlow(MAX_BYTES);
  #closed = false;
  /** Calls of `read` that reached the kernel. */
  reads = 0;

  constructor(budget: StuckBudget = { stuck: 0 }, calls: FileCalls = KERNEL, answerMs = ANSWER_MS) {
    this.#budget = budget;
    this.#calls = calls;
    this.#answerMs = answerMs;
  }

  /** Paths whose last call has not come back. */
  get stuck(): readonly string[] {
    return [...this.#stuck];
  }

  /** Why the file is left alone: an error name ("EINVAL", "ENOENT"); undefined where it is not. */
  refusal(path: string): string | undefined {
    return this.#refused.get(path);
  }

  /** Leaves the file alone from now on. */
  refuse(path: string, why: string): void {
    this.#drop(path);
    if (this.#refused.size < MAX_KNOWN) this.#refused.set(path, why);
  }

  /** Leaves a file alone that another reader reads and that hangs, until `over` is true; it counts as stuck. */
  hold(path: string, over: () => boolean): void {
    if (this.#closed || this.#stuck.has(path)) return;
    this.#drop(path);
    this.#stuck.add(path);
    this.#budget.stuck += 1;
    const timer = setInterval(() => {
      if (!over()) return;
      clearInterval(timer);
      this.#stuck.delete(path);
      this.#budget.stuck -= 1;
    }, this.#answerMs);
    timer.unref();
  }

  /**
   * The text of a file without the newline at its end; null when it cannot be read now. One call at a time: the buffer is
   * shared. What refused once (EINVAL, EIO and kin) is not asked again until `forget`: such reads can fill the kernel log.
   */
  async read(path: string): Promise<string | null> {
    if (!this.#mayAsk(path)) return null;
    if (this.#asked !== null && this.#asked.length < MAX_TOGETHER) this.#asked.push(path);
    const early = this.#early.get(path);
    if (early !== undefined) {
      this.#early.delete(path);
      return early instanceof Error ? this.#failed(path, early) : early;
    }
    try {
      let file = this.#open.get(path);
      if (file === undefined) {
        const opened = await this.#answered(path, this.#calls.open(path), (late) => this.#calls.close(late));
        if (opened === null) return null;
        file = opened;
        if (this.#closed || this.#open.size >= MAX_OPEN) {
          this.#calls.close(file);
          return null;
        }
        this.#open.set(path, file);
      }
      this.reads += 1;
      const buffer = this.#buffer;
      const length = await this.#answered(path, this.#calls.read(file, buffer));
      if (length === null) {
        // The call that hangs may still write into the buffer, and holds the file.
        this.#buffer = Buffer.allocUnsafeSlow(MAX_BYTES);
        this.#open.delete(path);
        return null;
      }
      const end = length > 0 && buffer[length - 1] === 0x0a ? length - 1 : length;
      return buffer.toString('latin1', 0, end);
    } catch (error) {
      return this.#failed(path, error);
    }
  }

  /**
   * Does `work`, whose reads are those that the work of this name did last time, or nearly: what it read then is read ahead
   * in one job. One at a time.
   */
  async together<T>(name: string, work: () => Promise<T>): Promise<T> {
    await this.#readAhead(this.#groups.get(name) ?? []);
    this.#asked = [];
    try {
      return await work();
    } finally {
      if (this.#groups.size < MAX_GROUPS || this.#groups.has(name)) this.#groups.set(name, this.#asked);
      this.#asked = null;
      this.#early.clear();
    }
  }

  /**
   * The answer of another call of the kernel about what lies at `path`, with the deadline and the memory of refusals that
   * files have; null where there is none now.
   */
  async answer<T>(path: string, call: () => Promise<T>): Promise<T | null> {
    if (!this.#mayAsk(path)) return null;
    try {
      return await this.#answered(path, call());
    } catch (error) {
      return this.#failed(path, error);
    }
  }

  /** Names in a folder, at most 4096 of them, sorted; null when it cannot be listed now. */
  async list(path: string): Promise<string[] | null> {
    const names = await this.#ask(path, () => this.#calls.list(path));
    return names === null ? null : names.slice(0, MAX_ENTRIES).sort();
  }

  /** What a symbolic link holds. */
  link(path: string): Promise<string | null> {
    return this.#ask(path, () => this.#calls.link(path));
  }

  /** The path with every link followed. */
  real(path: string): Promise<string | null> {
    return this.#ask(path, () => this.#calls.real(path));
  }

  /** Number of the file system that the path lies on. */
  device(path: string): Promise<number | null> {
    return this.#ask(path, () => this.#calls.device(path));
  }

  /** Lets go of every file under the folder and asks the refused ones again: the device behind them is another one. */
  forget(folder: string): void {
    const under = (path: string) => path.startsWith(folder);
    for (const path of [...this.#open.keys()].filter(under)) this.#drop(path);
    for (const path of [...this.#refused.keys()].filter(under)) this.#refused.delete(path);
  }

  close(): void {
    this.#closed = true;
    this.forget('');
  }

  async #readAhead(paths: readonly string[]): Promise<void> {
    const files = new Map<string, number>();
    for (const path of paths) {
      const file = this.#open.get(path);
      if (file !== undefined && this.#mayAsk(path)) files.set(path, file);
    }
    const [first] = files.keys();
    if (files.size < 2 || first === undefined || this.#calls.readMany === undefined) return;
    const batch = new FileBatch(files, this.#calls.readMany);
    const hanging = () => batch.waitsFor ?? first;
    const whole = await this.#answered(
      hanging,
      batch.done.then(() => true),
    ).catch(() => null);
    if (whole === null) {
      // The others are read one by one in this round, and the one that hangs keeps its file.
      for (const path of this.#stuck) this.#open.delete(path);
      batch.cancel();
    }
    this.#early = batch.results();
    this.reads += this.#early.size;
  }

  #mayAsk(path: string): boolean {
    return !this.#closed && !this.#refused.has(path) && !this.#stuck.has(path) && this.#budget.stuck < MAX_STUCK;
  }

  /** A question that is not remembered: folders and links come and go. */
  async #ask<T>(path: string, call: () => Promise<T>): Promise<T | null> {
    if (this.#closed || this.#stuck.has(path) || this.#budget.stuck >= MAX_STUCK) return null;
    try {
      return await this.#answered(path, call());
    } catch {
      return null;
    }
  }

  /** Null after the deadline; `of` says what hangs then, `late` gets what comes after it. */
  #answered<T>(of: string | (() => string), answer: Promise<T>, late?: (value: T) => void): Promise<T | null> {
    return new Promise((resolve, reject) => {
      let waiting = true;
      let path = '';
      const timer = setTimeout(() => {
        waiting = false;
        path = typeof of === 'string' ? of : of();
        this.#stuck.add(path);
        this.#budget.stuck += 1;
        resolve(null);
      }, this.#answerMs);
      const over = (): boolean => {
        if (waiting) clearTimeout(timer);
        else {
          this.#stuck.delete(path);
          this.#budget.stuck -= 1;
        }
        return waiting;
      };
      answer.then(
        (value) => {
          if (over()) resolve(value);
          else late?.(value);
        },
        (error: unknown) => {
          if (over()) reject(error);
        },
      );
    });
  }

  #failed(path: string, error: unknown): null {
    this.#drop(path);
    const code = errorCode(error) ?? 'unknown';
    if (!TRANSIENT.has(code) && !GONE.has(code)) this.refuse(path, code);
    return null;
  }

  #drop(path: string): void {
    this.#early.delete(path);
    const file = this.#open.get(path);
    if (file === undefined) return;
    this.#open.delete(path);
    this.#calls.close(file);
  }
}

// FollowedJob: the files of one path with a loop of their own, so that a hanging mount holds up no other.

import { type FSWatcher, watch } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { remember } from '../../helpers/remember.ts';
import { within } from '../../helpers/within.ts';
import type { FollowedLog } from '../../identity/job/job-logs.ts';
import type { Attributes } from '../../model/event.ts';
import { LOG_READ_EVERY_MS, logRead } from '../../model/log-read.ts';
import type { NamedBy } from '../../model/native-files.ts';
import type { Emit } from '../../model/record.ts';
import type { ContainerForm } from './container-form.ts';
import { type FileFollower, type FollowedLine, type LendFile, NOTHING_READ, type ReadBefore } from './file-follower.ts';
import { LogFiles } from './log-files.ts';
import type { LogOf, LogWords } from './log-words.ts';
import type { LogPlaces } from './places.ts';
import type { JobLogSettings, ServiceLogSettings } from './settings.ts';
import type { Attention } from './wanted-lines.ts';

const STOP_MS = 1000;
/** A disk that hangs holds no log up for longer. */
const SAVE_MS = 1000;
/** However often a folder tells of changes. */
const LEAST_REST_MS = 10;
/** And for as many times as long as the last look took of the processor. */
const REST_SHARE = 8;
/** After a look that found so many lines: a log that grows without end is read a fifth of a second at a time, as each look costs as much as a hundred lines. */
const BUSY_LINES = 256;
const BUSY_REST_MS = 200;
const POLL_MS = 1000;
/** Changes announced in a second, beyond which a folder is only polled for a while: to hear of each costs more than to look. */
const MOST_ANNOUNCED = 500;
const UNWATCHED_MS = 10_000;
/** As many as are followed at once. */
const MAX_NAMED = 256;
const SOURCE = 'job-log';

export interface FollowOptions {
  readonly host: string;
  /** Epoch ms on the steady clock. */
  readonly now: () => number;
  /** How often every file is looked at, whether or not the file system tells of changes (network mounts do not). */
  readonly pollMs?: number;
  /** How far the logs were read by an earlier run; left out: nothing is known, and nothing kept. */
  readonly places?: LogPlaces;
  /** Called with the file that a job's log is, whenever that is another one. */
  readonly onLog?: (log: FollowedLog) => void;
  /** Left out: every line is handed over. */
  readonly heed?: Heed;
}

/** Which lines are handed over, of the jobs and servers that are followed. */
export interface Heed {
  readonly words: LogWords;
  /** What the lines of this job or service began needs the next ones. */
  attends(of: LogOf, name: string): boolean;
  /** So many of its lines have no word of any rule. */
  passed(of: LogOf, name: string, lines: number): void;
}

interface Head {
  readonly config: JobLogSettings | ServiceLogSettings;
  readonly stream: string;
  readonly attributes: Attributes;
}

export class FollowedJob {
  /** Another one where a job that was found gets another name. */
  config: JobLogSettings | ServiceLogSettings;
  readonly files: LogFiles;
  readonly #options: FollowOptions;
  readonly #form: ContainerForm | null;
  #watcher: FSWatcher | null = null;
  #changed = true;
  /** Changes announced since then. */
  #announced = 0;
  #announcedSinceMs = Number.NEGATIVE_INFINITY;
  #watchAgainMs = Number.NEGATIVE_INFINITY;
  #wake: (() => void) | null = null;
  /** Path → the file that was named last. */
  readonly #named = new Map<string, number>();
  #saidReadMs = Number.NEGATIVE_INFINITY;
  #saidLines = 0;
  #head: Head | null = null;
  #stopped = false;
  #loop: Promise<void> = Promise.resolve();
  lines = 0;

  /**
   * `namedBy`: who named the path; then only what they may read themselves is read. Null where the configuration did.
   * `form`: of a log that a container's runtime writes. `lend`: as FileFollower has it.
   */
  constructor(
    config: JobLogSettings | ServiceLogSettings,
    options: FollowOptions,
    namedBy: NamedBy | null = null,
    form: ContainerForm | null = null,
    lend: LendFile | null = null,
  ) {
    this.config = config;
    this.#form = form;
    this.#options = options;
    this.files = new LogFiles(config.path, namedBy, lend, readBefore(options));
  }

  start(emit: Emit): void {
    this.#loop = this.#keepFollowing(emit);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#watcher?.close();
    this.#watcher = null;
    this.#wake?.();
    const ended = this.#loop.then(() => this.files.close());
    await within(STOP_MS, ended);
  }

  /** A mistake of ours in one turn is not the end of the job's log: it is read on after a rest. */
  async #keepFollowing(emit: Emit): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#follow(emit);
      } catch (error) {
        emit.failed?.(error);
        await this.#rest(this.#options.pollMs ?? POLL_MS);
      }
    }
  }

  async #follow(emit: Emit): Promise<void> {
    let used = process.cpuUsage();
    await this.#options.places?.ready;
    while (!this.#stopped) {
      this.#watch();
      const changed = this.#changed;
      this.#changed = false;
      const { lines } = this;
      await this.files.refresh(this.#options.now(), changed);
      await this.#readOn(emit);
      this.#keepPlaces();
      this.#sayRead(emit);
      await this.#nameLogs();
      if (this.#stopped) return;
      await this.#rest(this.#restAfter(process.cpuUsage(used), this.lines - lines));
      used = process.cpuUsage();
    }
  }

  /** A piece of each file, then further pieces of those that have more. */
  async #readOn(emit: Emit): Promise<void> {
    const startedMs = performance.now();
    for (let left = this.files.followers; left.length > 0; ) {
      const more: FileFollower[] = [];
      for (const follower of left) {
        if (this.#stopped) return;
        const read = await follower.read(this.#attention());
        if (read.more) more.push(follower);
        if (read.moved) await this.#placesMoved();
        for (const line of read.lines) this.#emit(emit, follower, line);
      }
      left = more;
      if (left.length > 0) await new Promise((resolve) => setImmediate(resolve));
      // Whoever has more without end must not keep new files waiting.
      if (performance.now() - startedMs > POLL_MS) return;
    }
  }

  async #placesMoved(): Promise<void> {
    this.#keepPlaces();
    await within(SAVE_MS, this.#options.places?.save() ?? Promise.resolve());
  }

  #keepPlaces(): void {
    const { places } = this.#options;
    if (places === undefined) return;
    for (const { path, place } of this.files.followers) if (place !== null) places.keep(path, place);
  }

  #attention(): Attention | undefined {
    const { heed } = this.#options;
    if (heed === undefined) return undefined;
    const { config } = this;
    const [of, name] = 'job' in config ? (['job', config.job] as const) : (['service', config.service] as const);
    return {
      scanner: heed.words.scanner(of, this.#form !== null),
      attends: () => this.#form?.begun === true || heed.attends(of, name),
      passed: (lines) => {
        this.lines += lines;
        heed.passed(of, name, lines);
      },
    };
  }

  /** Now and then that nothing of its log is unread. */
  #sayRead(emit: Emit): void {
    const nowMs = this.#options.now();
    const { config } = this;
    if (this.#stopped || !('job' in config) || nowMs - this.#saidReadMs < LOG_READ_EVERY_MS) return;
    const open = this.files.followers.filter(({ state }) => state === 'reading');
    if (open.length === 0 || !open.every(({ atEnd }) => atEnd)) return;
    this.#saidReadMs = nowMs;
    emit.samples(logRead(SOURCE, config.job, nowMs, this.lines - this.#saidLines));
    this.#saidLines = this.lines;
  }

  /** Which files these are, for what is known of their writers. */
  async #nameLogs(): Promise<void> {
    const { onLog } = this.#options;
    if (onLog === undefined || !('job' in this.config)) return;
    for (const { path, reads } of this.files.followers) {
      if (reads === null || this.#named.get(path) === reads.inode) continue;
      remember(this.#named, path, reads.inode, MAX_NAMED);
      onLog({ job: this.config.job, path, real: await realpath(path).catch(() => path), ...reads });
    }
  }

  #restAfter({ user, system }: NodeJS.CpuUsage, lines: number): number {
    const due = (REST_SHARE * (user + system)) / 1000;
    const least = lines >= BUSY_LINES ? BUSY_REST_MS : LEAST_REST_MS;
    return Math.min(Math.max(least, due), this.#options.pollMs ?? POLL_MS);
  }

  #emit(emit: Emit, follower: FileFollower, line: FollowedLine): void {
    const text = this.#form === null ? line.text : this.#form.take(line.text);
    if (this.#stopped || text === null || text.trim() === '') return;
    this.lines += 1;
    const { stream, attributes } = this.#headOf(follower.path);
    const marks = line.history || line.known === true;
    emit.text({
      source: SOURCE,
      trust: 'tenant',
      stream,
      position: line.offset,
      timeMs: null,
      timeDigits: 0,
      observedMs: line.atMs ?? this.#options.now(),
      text,
      attributes: !marks
        ? attributes
        : {
            ...attributes,
            ...(line.history ? { history: true } : {}),
            ...(line.known === true ? { known: true } : {}),
          },
    });
  }

  /** What all lines of one file come with: made once, as nearly all in a row are of one. */
  #headOf(path: string): Head {
    const { config } = this;
    if (this.#head?.config !== config || this.#head.attributes.path !== path) {
      const isJob = 'job' in config;
      const attributes = {
        ...(isJob ? { job: config.job } : { service: config.service }),
        path,
        ...(isJob ? { framework: config.framework } : {}),
        ...(isJob && config.onlyRank !== undefined ? { writer_rank: config.onlyRank } : {}),
      };
      this.#head = {
        config,
        stream: `${isJob ? `job/${config.job}` : `service/${config.service}`}:${path}`,
        attributes,
      };
    }
    return this.#head;
  }

  /** Until the folder tells of a change, but not before `leastMs`; until the poll is due, or the source stops. */
  async #rest(leastMs: number): Promise<void> {
    const startedMs = performance.now();
    await new Promise<void>((resolve) => {
      let timer = setTimeout(resolve, this.#options.pollMs ?? POLL_MS);
      this.#wake = () => {
        const left = this.#stopped ? 0 : leastMs - (performance.now() - startedMs);
        clearTimeout(timer);
        if (left <= 0) resolve();
        else timer = setTimeout(resolve, left);
      };
      if (this.#changed) this.#wake();
    });
    this.#wake = null;
  }

  /** Watching is a convenience: where it fails (no such folder yet, no inotify left, network mount) the poll does. */
  #watch(): void {
    const nowMs = this.#options.now();
    if (nowMs - this.#announcedSinceMs > 1000) {
      this.#announced = 0;
      this.#announcedSinceMs = nowMs;
    }
    if (this.#watcher !== null || nowMs < this.#watchAgainMs) return;
    try {
      this.#watcher = watch(this.files.directory, { persistent: false }, (_event, name) => {
        this.#announced += 1;
        if (this.#announced > MOST_ANNOUNCED) this.#unwatch();
        if (!this.files.concerns(name)) return;
        this.#changed = true;
        this.#wake?.();
      });
      this.#watcher.on('error', () => {
        this.#watcher?.close();
        this.#watcher = null;
      });
    } catch {
      this.#watcher = null;
    }
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = null;
    this.#watchAgainMs = this.#options.now() + UNWATCHED_MS;
  }
}

function readBefore({ places, now }: FollowOptions): ReadBefore {
  if (places === undefined) return NOTHING_READ;
  const { handedOver } = places;
  return {
    placeOf: (path) => places.of(path),
    hand: (path, identity, from, to) => handedOver.hand(path, identity, from, to, now()),
    timeOf: (path, offset) => handedOver.timeOf(path, offset),
    earlierTimeOf: (path, identity, offset) => handedOver.earlierTimeOf(path, identity, offset),
  };
}

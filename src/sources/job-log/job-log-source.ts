// Job log source: follows the log files of configured jobs and services and hands their lines over, as the tenant's words.

import { type FSWatcher, watch } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { LineCount } from '../../detection/text/understood.ts';
import { remember } from '../../helpers/remember.ts';
import { within } from '../../helpers/within.ts';
import type { FollowedLog } from '../../identity/job/job-logs.ts';
import type { Emit } from '../../model/record.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import { jobDiscoveries, serviceDiscovery } from './discovery.ts';
import type { FileFollower } from './file-follower.ts';
import { jobLogHealth } from './health.ts';
import { judgeJobLog } from './judge.ts';
import { LogFiles } from './log-files.ts';
import type { JobLogSettings, LogSettings, ServiceLogSettings } from './settings.ts';

const STOP_MS = 1000;
/** However often a folder tells of changes. */
const LEAST_REST_MS = 10;
/** And for as many times as long as the last look took of the processor. */
const REST_SHARE = 8;
const POLL_MS = 1000;
/** Changes announced in a second, beyond which a folder is only polled for a while: to hear of each costs more than to look. */
const MOST_ANNOUNCED = 500;
const UNWATCHED_MS = 10_000;
/** As many as are followed at once. */
const MAX_NAMED = 256;
const SOURCE = 'job-log';

export interface JobLogOptions {
  readonly host: string;
  /** Epoch ms on the steady clock. */
  readonly now: () => number;
  /** How often every file is looked at, whether or not the file system tells of changes (network mounts do not). */
  readonly pollMs?: number;
  /** Called with the file that a job's log is, whenever that is another one. */
  readonly onLog?: (log: FollowedLog) => void;
  /** Called with the jobs that are configured, when they change. */
  readonly onJobs?: (jobs: readonly JobLogSettings[]) => void;
  /** What came of the lines of a job's log so far. */
  readonly linesOf?: (job: string) => Readonly<LineCount> | undefined;
}

export class JobLogSource implements Source {
  readonly name = SOURCE;
  #jobs: readonly FollowedJob[];
  readonly #options: JobLogOptions;
  #emit: Emit | null = null;

  constructor(configs: readonly (JobLogSettings | ServiceLogSettings)[], options: JobLogOptions) {
    this.#options = options;
    this.#jobs = configs.map((config) => new FollowedJob(config, options));
  }

  start(emit: Emit, signal: AbortSignal): void {
    this.#emit = emit;
    for (const job of this.#jobs) this.#begin(job, emit);
    signal.addEventListener('abort', () => void this.stop(), { once: true });
  }

  /** A log that is configured as before is read on where it is. */
  reconfigure({ jobs, services }: LogSettings): boolean {
    const emit = this.#emit;
    if (emit === null) return false;
    this.#options.onJobs?.(jobs);
    const configs = [...jobs, ...services];
    const stays = ({ config }: FollowedJob) => configs.some((one) => isDeepStrictEqual(one, config));
    const isNew = (config: (typeof configs)[number]) =>
      !this.#jobs.some((job) => isDeepStrictEqual(job.config, config));
    const begun = configs.filter(isNew).map((config) => new FollowedJob(config, this.#options));
    for (const job of this.#jobs) if (!stays(job)) void job.stop();
    this.#jobs = [...this.#jobs.filter(stays), ...begun];
    for (const job of begun) this.#begin(job, emit);
    return true;
  }

  health(): readonly SourceHealth[] {
    return this.#jobs.map((job) => jobLogHealth(job.config, job.files.followers, job.lines));
  }

  judgedHealth(): readonly SourceHealth[] {
    return this.#jobs.map(({ config, files, lines }) => {
      const health = jobLogHealth(config, files.followers, lines);
      return 'job' in config ? judgeJobLog(health, config, this.#options.linesOf?.(config.job)) : health;
    });
  }

  counts(): readonly SourceCounts[] {
    return [{ source: SOURCE, reads: this.#jobs.reduce((lines, job) => lines + job.lines, 0) }];
  }

  async stop(): Promise<void> {
    this.#emit = null;
    await Promise.all(this.#jobs.map((job) => job.stop()));
  }

  #begin(job: FollowedJob, emit: Emit): void {
    const { config } = job;
    const { host } = this.#options;
    const found = 'job' in config ? jobDiscoveries(config, host) : [serviceDiscovery(config, host)];
    for (const discovery of found) emit.discovery(discovery);
    job.start(emit);
  }
}

/** One configured path with its own loop: a hanging mount holds up no other. */
class FollowedJob {
  readonly config: JobLogSettings | ServiceLogSettings;
  readonly files: LogFiles;
  readonly #options: JobLogOptions;
  #watcher: FSWatcher | null = null;
  #changed = true;
  /** Changes announced since then. */
  #announced = 0;
  #announcedSinceMs = Number.NEGATIVE_INFINITY;
  #watchAgainMs = Number.NEGATIVE_INFINITY;
  #wake: (() => void) | null = null;
  /** Path → the file that was named last. */
  readonly #named = new Map<string, number>();
  #stopped = false;
  #loop: Promise<void> = Promise.resolve();
  lines = 0;

  constructor(config: JobLogSettings | ServiceLogSettings, options: JobLogOptions) {
    this.config = config;
    this.#options = options;
    this.files = new LogFiles(config.path);
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
    while (!this.#stopped) {
      this.#watch();
      const changed = this.#changed;
      this.#changed = false;
      await this.files.refresh(this.#options.now(), changed);
      await this.#readOn(emit);
      await this.#nameLogs();
      if (this.#stopped) return;
      await this.#rest(this.#restAfter(process.cpuUsage(used)));
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
        const read = await follower.read();
        if (read.more) more.push(follower);
        for (const line of read.lines) this.#emit(emit, follower, line);
      }
      await new Promise((resolve) => setImmediate(resolve));
      left = more;
      // Whoever has more without end must not keep new files waiting.
      if (performance.now() - startedMs > POLL_MS) return;
    }
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

  #restAfter({ user, system }: NodeJS.CpuUsage): number {
    const due = (REST_SHARE * (user + system)) / 1000;
    return Math.min(Math.max(LEAST_REST_MS, due), this.#options.pollMs ?? POLL_MS);
  }

  #emit(emit: Emit, follower: FileFollower, line: { text: string; offset: number; history: boolean }): void {
    if (this.#stopped || line.text.trim() === '') return;
    this.lines += 1;
    const { config } = this;
    const whose = 'job' in config ? { job: config.job } : { service: config.service };
    const framework = 'job' in config ? { framework: config.framework } : {};
    emit.text({
      source: SOURCE,
      trust: 'tenant',
      stream: `${'job' in config ? `job/${config.job}` : `service/${config.service}`}:${follower.path}`,
      position: line.offset,
      timeMs: null,
      timeDigits: 0,
      observedMs: this.#options.now(),
      text: line.text,
      attributes: { ...whose, path: follower.path, ...framework, ...(line.history ? { history: true } : {}) },
    });
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

// FoundLogs: the logs of the work that was found on this host, followed from when a job is there until a while after its end.

import { basename } from 'node:path';
import { JOB_FRAMEWORKS } from '../../detection/text/job-framework.ts';
import { hasWildcard } from '../../helpers/wildcard.ts';
import type { LendLog, LogWriter, Work, WorkFile, WorkView } from '../../identity/work/work.ts';
import type { Emit } from '../../model/record.ts';
import { ContainerForm } from './container-form.ts';
import { FollowedJob, type FollowOptions } from './followed-job.ts';
import type { JobLogSettings } from './settings.ts';

const LOOK_EVERY_MS = 1000;
/** What a job wrote last is read when its processes are gone already. */
const AFTER_END_MS = 60_000;
/** Each has a loop of its own. */
const MOST = 64;

interface Found {
  readonly job: FollowedJob;
  readonly knownBy: string;
  seenMs: number;
  /** Of the processes that print into it the one that was found last. */
  readonly printed: { writer: LogWriter | undefined };
}

export interface FoundLogsOptions extends FollowOptions {
  readonly work: () => WorkView;
  /** Paths that the configuration has followed already. */
  readonly configured: () => ReadonlySet<string>;
  /** Opens a log out of our sight by the descriptor of whoever prints into it; left out: none is. */
  readonly lend?: LendLog;
}

export class FoundLogs {
  readonly #options: FoundLogsOptions;
  readonly #found = new Map<string, Found>();
  #timer: NodeJS.Timeout | null = null;
  #version = -1;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #lines = 0;
  /** Logs beyond those that are followed at once. */
  leftOut = 0;

  constructor(options: FoundLogsOptions) {
    this.#options = options;
  }

  /** Those that are followed now, with what says that they are a log of their job. */
  get all(): readonly { readonly job: FollowedJob; readonly knownBy: string }[] {
    return [...this.#found.values()];
  }

  /** Whether a job's silence may mean something. */
  get follows(): boolean {
    return this.#found.size > 0;
  }

  /** Lines that were read, also of those that are not followed any more. */
  get lines(): number {
    return this.all.reduce((sum, { job }) => sum + job.lines, this.#lines);
  }

  start(emit: Emit): void {
    this.#timer = setInterval(() => this.#look(emit), LOOK_EVERY_MS);
    this.#timer.unref();
    this.#look(emit);
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await Promise.all(this.all.map(({ job }) => job.stop()));
  }

  #look(emit: Emit): void {
    const { work, now, configured } = this.#options;
    const view = work();
    const nowMs = now();
    if (view.version === this.#version && nowMs - this.#lookedMs < AFTER_END_MS / 2) return;
    this.#version = view.version;
    this.#lookedMs = nowMs;
    this.leftOut = 0;
    const known = configured();
    for (const one of view.works) {
      for (const log of one.logs) if (mayFollow(log) && !known.has(log.path)) this.#see(one, log, emit);
    }
    for (const [path, found] of this.#found) {
      if (nowMs - found.seenMs <= AFTER_END_MS && !known.has(path)) continue;
      this.#found.delete(path);
      this.#lines += found.job.lines;
      void found.job.stop();
    }
  }

  /** A file that two jobs write stays with the one that it was found of first. */
  #see(work: Work, log: WorkFile, emit: Emit): void {
    const nowMs = this.#options.now();
    const config = settingsOf(work, log);
    const found = this.#found.get(log.path);
    if (found !== undefined) {
      found.seenMs = nowMs;
      found.printed.writer = log.writer ?? found.printed.writer;
      const { config: before } = found.job;
      const same = 'job' in before && (before.job === config.job || work.aliases.includes(before.job));
      if (same) found.job.config = config;
      return;
    }
    if (this.#found.size >= MOST) {
      this.leftOut += 1;
      return;
    }
    const { lend } = this.#options;
    const printed = { writer: log.writer };
    const job = new FollowedJob(
      config,
      this.#options,
      log.namedBy,
      work.pods.length === 0 ? null : new ContainerForm(),
      async () => (printed.writer === undefined ? null : ((await lend?.(printed.writer)) ?? null)),
    );
    this.#found.set(log.path, { job, knownBy: log.knownBy, seenMs: nowMs, printed });
    job.start(emit);
  }
}

function mayFollow({ path, namedBy }: WorkFile): boolean {
  return namedBy !== null && !hasWildcard(basename(path));
}

function settingsOf({ id, framework, worldSize }: Work, { path, rank }: WorkFile): JobLogSettings {
  const name = framework?.name ?? 'auto';
  return { job: id, path, framework: JOB_FRAMEWORKS.includes(name) ? name : 'auto', ranks: [], worldSize, ...(rank === undefined ? {} : { onlyRank: rank }) }; // biome-ignore format: one line
}

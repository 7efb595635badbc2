// Job log source: follows the log files of configured jobs and services and hands their lines over, as the tenant's words.

import { isDeepStrictEqual } from 'node:util';
import type { UserLine } from '../../detection/text/job/user-lines.ts';
import type { LineCount } from '../../detection/text/understood.ts';
import type { LendLog, WorkView } from '../../identity/work/work.ts';
import type { Emit } from '../../model/record.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import { jobDiscoveries, serviceDiscovery } from './discovery.ts';
import { FollowedJob, type FollowOptions } from './followed-job.ts';
import { FoundLogs } from './found-logs.ts';
import { jobLogHealth } from './health.ts';
import { judgeJobLog } from './judge.ts';
import { EXAMPLE, type JobLogSettings, type LogSettings, type ServiceLogSettings } from './settings.ts';

const SOURCE = 'job-log';
const NOTHING: SourceHealth = {
  source: SOURCE,
  status: 'absent',
  detail: 'no log of a job is configured, and none was found yet',
  remedy: `it is taken up when a job prints into a file; or add: ${EXAMPLE}`,
};

export interface JobLogOptions extends FollowOptions {
  /** Called with the jobs that are configured, when they change. */
  readonly onJobs?: (jobs: readonly JobLogSettings[]) => void;
  /** Called with the lines that the configuration describes, when they change. */
  readonly onLines?: (lines: readonly UserLine[]) => void;
  /** What came of the lines of a job's log so far. */
  readonly linesOf?: (job: string) => Readonly<LineCount> | undefined;
  /** The work of this host, whose logs are followed without configuration; left out: only what is configured is. */
  readonly work?: () => WorkView;
  /** Opens a log of that work that is out of our sight. */
  readonly lend?: LendLog;
}

export class JobLogSource implements Source {
  readonly name = SOURCE;
  #jobs: readonly FollowedJob[];
  readonly #options: JobLogOptions;
  readonly #found: FoundLogs | null;
  #emit: Emit | null = null;

  constructor(configs: readonly (JobLogSettings | ServiceLogSettings)[], options: JobLogOptions) {
    this.#options = options;
    this.#jobs = configs.map((config) => new FollowedJob(config, options));
    const { work } = options;
    const configured = () => new Set(this.#jobs.flatMap(({ files }) => files.followers.map(({ path }) => path)));
    this.#found = work === undefined ? null : new FoundLogs({ ...options, work, configured });
  }

  start(emit: Emit, signal: AbortSignal): void {
    this.#emit = emit;
    for (const job of this.#jobs) this.#begin(job, emit);
    this.#found?.start(emit);
    signal.addEventListener('abort', () => void this.stop(), { once: true });
  }

  /** A log that is configured as before is read on where it is. */
  reconfigure({ jobs, services, lines }: LogSettings): boolean {
    const emit = this.#emit;
    if (emit === null) return false;
    this.#options.onJobs?.(jobs);
    this.#options.onLines?.(lines);
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
    return this.#healthOf((job) => jobLogHealth(job.config, job.files.followers, job.lines));
  }

  judgedHealth(): readonly SourceHealth[] {
    return this.#healthOf(({ config, files, lines }) => {
      const health = jobLogHealth(config, files.followers, lines);
      return 'job' in config ? judgeJobLog(health, config, this.#options.linesOf?.(config.job)) : health;
    });
  }

  counts(): readonly SourceCounts[] {
    const found = this.#found?.lines ?? 0;
    return [{ source: SOURCE, reads: this.#jobs.reduce((lines, job) => lines + job.lines, found) }];
  }

  /** A job whose log was found may hang like one that is configured. */
  silenceMatters(): boolean {
    return this.#found?.follows === true;
  }

  async stop(): Promise<void> {
    this.#emit = null;
    await Promise.all([...this.#jobs.map((job) => job.stop()), this.#found?.stop()]);
    await this.#options.places?.stop();
  }

  #healthOf(look: (job: FollowedJob) => SourceHealth): readonly SourceHealth[] {
    const found = (this.#found?.all ?? []).map(({ job, knownBy }) => {
      const health = look(job);
      return { ...health, notes: [...(health.notes ?? []), `found: ${knownBy}`] };
    });
    const all = [...this.#jobs.map(look), ...found];
    const leftOut = this.#found?.leftOut ?? 0;
    if (leftOut > 0) all.push({ source: SOURCE, status: 'partial', detail: `${leftOut} further logs were found and are not read`, remedy: 'list those that matter under sources.job_log' }); // biome-ignore format: one health
    return all.length > 0 ? all : [NOTHING];
  }

  #begin(job: FollowedJob, emit: Emit): void {
    const { config } = job;
    const { host } = this.#options;
    const found = 'job' in config ? jobDiscoveries(config, host) : [serviceDiscovery(config, host)];
    for (const discovery of found) emit.discovery(discovery);
    job.start(emit);
  }
}

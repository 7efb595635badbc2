// JobNames: under which name a job's ranks and their dumps are reported, and which names mean the same job.

import { remember } from '../../helpers/remember.ts';
import type { WrittenFile } from '../../native.ts';
import type { RankProcess } from '../rank/processes.ts';
import type { NamedFact } from '../work/facts.ts';
import type { WorkView } from '../work/work.ts';
import { type FollowedLog, JobLogs } from './job-logs.ts';

/** A job that the configuration names. */
export interface ConfiguredJob {
  readonly job: string;
  /** Its global ranks on this host; empty when unknown. */
  readonly ranks: readonly number[];
}

/** What names a rank's job: several of these may, and the first goes before the others. */
interface Named {
  readonly job: string;
  readonly why: string;
}

type Rank = Pick<RankProcess, 'pid' | 'job' | 'rank' | 'root' | 'namedBy'>;

const NOTHING = { pids: new Map<number, string>(), names: new Map<string, string>() } as const;
const MAX_NAME = 128;
const MAX_PIDS = 4096;
const MAX_JOBS = 1024;
const MAX_ALIASES = 16;

export class JobNames {
  readonly #logs = new JobLogs();
  #configured: readonly ConfiguredJob[] = [];
  #declared: ReadonlyMap<number, string> = new Map();
  /** Process id → what the logs say; kept while the process may be heard of. */
  readonly #byLog = new Map<number, Named>();
  /** Configured job → the user whose ranks came first under its name. */
  readonly #users = new Map<string, number>();
  /** Configured job → what launchers call it. */
  readonly #aliases = new Map<string, ReadonlySet<string>>();
  #conflicts: readonly string[] = [];
  #version = 0;
  /** Process id of a rank, and each other name → the job, as all that is known of the host's work has it. */
  #assembled: { readonly pids: ReadonlyMap<number, string>; readonly names: ReadonlyMap<string, string> } = NOTHING;

  configured(jobs: readonly ConfiguredJob[]): void {
    this.#configured = jobs;
  }

  /** Process id of a rank → the job that the configuration gives to the folder that it dumps into. */
  declared(jobs: ReadonlyMap<number, string>): void {
    this.#declared = jobs;
  }

  /** A file of a configured job's log is read. */
  follows(log: FollowedLog): void {
    this.#logs.follows(log);
  }

  /** A line of a job's log names a process of its ranks. */
  lineNames(job: string, pid: number): void {
    if (this.#configured.some((each) => each.job === job)) this.#logs.names(job, pid);
  }

  /** The ranks that are here, and what each and those near it write. */
  ranks(ranks: readonly Rank[], writes: ReadonlyMap<number, readonly WrittenFile[]>): void {
    const conflicts = new Set<string>();
    for (const rank of ranks) this.#claim(rank, writes.get(rank.pid) ?? [], conflicts);
    for (const [launched, here] of Map.groupBy(ranks, ({ job }) => job)) {
      if (launched === null || this.#configured.some((each) => each.job === launched)) continue;
      const jobs = new Set(here.map((rank) => this.ofRank(rank)));
      const [job] = jobs;
      if (jobs.size > 1) conflicts.add(`ranks of job ${launched} belong to ${[...jobs].sort().join(' and ')}`);
      else if (typeof job === 'string' && job !== launched) this.#alias(job, launched);
    }
    this.#conflicts = [...conflicts].sort();
  }

  /** What the configuration calls the jobs of these ranks, where it names them. */
  namedFacts(ranks: readonly Pick<RankProcess, 'pid' | 'job'>[]): NamedFact[] {
    return ranks.flatMap(({ pid, job: launched }) => {
      const named = this.#declared.get(pid) ?? this.#byLog.get(pid)?.job;
      const job = named ?? (launched === null ? this.#orTheOnlyOne(null) : null);
      if (job === null) return [];
      return [{ pid, job, knownBy: this.namedBy(pid) ?? 'the only job of the configuration' }];
    });
  }

  /** The jobs of this host as they are known now. */
  assembled({ works, version }: WorkView): void {
    if (version === this.#version) return;
    this.#version = version;
    const pids = works.flatMap(({ id, ranks }) =>
      ranks.flatMap(({ pid }) => (pid === null ? [] : [[pid, id] as const])),
    );
    const names = works.flatMap(({ id, aliases }) => aliases.map((alias) => [alias, id] as const));
    this.#assembled = { pids: new Map(pids), names: new Map(names) };
  }

  /** Facts that speak against one name for a job, in words; nothing was joined for them. */
  get conflicts(): readonly string[] {
    return this.#conflicts;
  }

  /** What names its job besides its launcher; null where nothing does. */
  namedBy(pid: number): string | null {
    return this.#declared.has(pid) ? 'the configuration of the folder that it dumps into' : (this.#byLog.get(pid)?.why ?? null); // biome-ignore format: one line
  }

  /** What launchers call the job. */
  aliasesOf(job: string): readonly string[] {
    return [...(this.#aliases.get(job) ?? [])];
  }

  /** The one name of a job, whoever named it. */
  canonical(job: string): string {
    for (const [name, aliases] of this.#aliases) if (aliases.has(job)) return name;
    return this.#assembled.names.get(job) ?? job;
  }

  /** As its dumps are reported: what the configuration names goes before what a launcher says. */
  ofRank({ pid, job }: Pick<RankProcess, 'pid' | 'job'>): string | null {
    const named = this.#declared.get(pid) ?? this.#byLog.get(pid)?.job;
    if (named !== undefined) return named;
    return (job === null ? this.#orTheOnlyOne(null) : null) ?? this.#assembled.pids.get(pid) ?? job;
  }

  /** The job whose log it writes, else what its launcher calls it. */
  ofLog({ pid, job }: Pick<RankProcess, 'pid' | 'job'>): string | null {
    return this.#byLog.get(pid)?.job ?? this.#assembled.pids.get(pid) ?? job;
  }

  /**
   * Of dumps in a folder that this user wrote. `job`: what names it; `stranger`: ranks of others write there, and none of this
   * user: then it is that user's, whatever names the folder.
   */
  ofDumps(folder: string, owner: number, whose: { readonly job: string | null; readonly stranger: boolean }): string {
    const byFolder = nameOfFolder(folder);
    if (whose.stranger) return `${byFolder}-uid-${owner}`;
    return this.canonical(this.#orTheOnlyOne(whose.job) ?? byFolder);
  }

  /** Global ranks of the job that the configuration places on this host. */
  ranksOf(job: string): readonly number[] {
    return this.#configured.find((each) => each.job === job)?.ranks ?? [];
  }

  #claim(rank: Rank, writes: readonly WrittenFile[], conflicts: Set<string>): void {
    const claim = this.#logs.claim(rank, writes);
    const called = `rank ${rank.rank}${rank.job === null ? '' : ` of job ${rank.job}`}`;
    if (claim?.job === null) conflicts.add(`${called} has no one log: ${claim.why}`);
    // What a log said once stays: it may be rotated, or its lines too old.
    if (claim === null || claim.job === null) return;
    const user = rank.namedBy?.[0];
    const first = this.#users.get(claim.job) ?? user;
    if (first !== user) {
      conflicts.add(`${called} is of user ${user}, and job ${claim.job} of user ${first}, though ${claim.why}`);
      return;
    }
    if (user !== undefined) remember(this.#users, claim.job, user, MAX_JOBS);
    const declared = this.#declared.get(rank.pid);
    if (declared !== undefined && declared !== claim.job)
      conflicts.add(
        `${called} dumps into the folder of job ${declared}, and ${claim.why}, the log of job ${claim.job}`,
      );
    remember(this.#byLog, rank.pid, { job: claim.job, why: claim.why }, MAX_PIDS);
  }

  #alias(job: string, launched: string): void {
    const known = this.#aliases.get(job) ?? new Set<string>();
    remember(this.#aliases, job, new Set([...known, launched].slice(-MAX_ALIASES)), MAX_JOBS);
  }

  /** A launcher's or the configuration's word, else the one job whose log is followed. */
  #orTheOnlyOne(job: string | null): string | null {
    const names = [...new Set(this.#configured.map((each) => each.job))];
    return job ?? (names.length === 1 ? (names[0] ?? null) : null);
  }
}

/** The last part of the folder's name, which launchers make of the job's. */
function nameOfFolder(path: string): string {
  const name =
    path
      .split('/')
      .at(-1)
      ?.replaceAll(/[^A-Za-z0-9._-]/g, '_') ?? '';
  return name === '' ? 'unnamed' : name.slice(0, MAX_NAME);
}

// FrozenWatch: ranks whose process does not run: stopped by a signal, held by a debugger, or frozen with its control group. A group
// of the scheduler's own that is frozen is a job that the scheduler suspends.

import { join } from 'node:path';
import { slurmGroup } from '../../identity/work/group-place.ts';
import type { Work, WorkRank } from '../../identity/work/work.ts';
import type { Component } from '../../model/component.ts';
import type { Discovery, EventInput } from '../../model/record.ts';
import type { Interval } from '../../model/time.ts';
import type { Link } from '../../model/topology.ts';
import type { SmallFiles } from '../files/small-files.ts';

const SOURCE = 'processes';
/** A look costs two reads for each; of a host with more ranks, as with one for each core, the next look has the next ones. */
const RANKS_A_LOOK = 512;
/** A tool that takes the stack of a process stops it for a moment. */
const LOOKS = 3;
/** "0::/a/b" of version 2, "5:freezer:/a/b" of version 1. */
const GROUP = /^(?:0:|\d{1,4}:(?:[\w=]{1,32},)*freezer(?:,[\w=]{1,32})*):(\/[^\n]{1,1024})$/gm;

export interface FrozenRank {
  readonly pid: number;
  readonly rank: number;
  readonly job: string;
}

type How = 'signal' | 'debugger' | 'freezer' | 'scheduler';

const WORDS: Readonly<Record<How, string>> = {
  signal: 'stopped by a signal (state T)',
  debugger: 'held by a debugger',
  freezer: 'frozen with its control group',
  scheduler: 'suspended by its scheduler',
};

interface Standing {
  readonly rank: FrozenRank;
  readonly how: How;
  /** The last look at which it was not, or the first of all: epoch ms. */
  readonly earliestMs: number;
  looks: number;
  isReported: boolean;
}

export interface FrozenNews {
  readonly discovery: Discovery | null;
  readonly event: EventInput;
}

export class FrozenWatch {
  readonly #files: SmallFiles;
  readonly #proc: string;
  readonly #groups: string;
  readonly #host: string;
  readonly #standing = new Map<number, Standing>();
  /** Those that were looked at last time → their control groups, as paths below the root of all. */
  #known = new Map<number, readonly string[]>();
  #lookedMs: number | null = null;
  /** Where the next turn begins. */
  #next = 0;
  /** Jobs that are suspended → when they were seen so last. */
  #jobs: ReadonlyMap<string, number> = new Map();

  constructor(files: SmallFiles, roots: { readonly proc: string; readonly sys: string }, host: string) {
    this.#files = files;
    this.#proc = roots.proc;
    this.#groups = join(roots.sys, 'fs/cgroup');
    this.#host = host;
  }

  /** What is new since the last look: which ranks do not run, and which run again or are gone. */
  async look(works: readonly Work[], nowMs: number): Promise<FrozenNews[]> {
    const ranks = works.flatMap(({ id, ranks: of }) => of.flatMap((each) => rankOf(id, each)));
    const here = new Map(ranks.map((rank) => [rank.pid, rank]));
    const turn = this.#turn([...here.values()]);
    const known = new Map<number, readonly string[]>();
    const news: FrozenNews[] = [];
    const looked = new Set(turn.map(({ pid }) => pid));
    for (const pid of this.#known.keys()) if (!looked.has(pid)) this.#files.forget(this.#path(pid, ''));
    await this.#files.together('frozen', async () => {
      for (const rank of turn) {
        const groups = this.#known.get(rank.pid) ?? (await this.#groupsOf(rank.pid));
        known.set(rank.pid, groups);
        const how = await this.#how(rank.pid, groups);
        const found = this.#found(rank, how, nowMs);
        if (found !== null) news.push(found);
      }
    });
    for (const [pid, standing] of this.#standing) {
      if (here.has(pid)) continue;
      this.#standing.delete(pid);
      if (standing.isReported) news.push(this.#news(standing, 'clear', nowMs));
    }
    this.#known = known;
    this.#lookedMs = nowMs;
    return [...news.filter(({ event }) => event.attributes?.how !== 'scheduler'), ...this.#suspended(nowMs)];
  }

  /** Those whose turn it is: all of them where they are few. */
  #turn(ranks: readonly FrozenRank[]): readonly FrozenRank[] {
    if (ranks.length <= RANKS_A_LOOK) return ranks;
    const from = this.#next % ranks.length;
    this.#next = from + RANKS_A_LOOK;
    return [...ranks, ...ranks].slice(from, from + RANKS_A_LOOK);
  }

  /** Jobs that their scheduler suspends, or has resumed: of the job, however many of its ranks stand still. */
  #suspended(nowMs: number): FrozenNews[] {
    const news: FrozenNews[] = [];
    const now = new Map<string, number>();
    for (const { rank, how, isReported, earliestMs } of this.#standing.values())
      if (how === 'scheduler' && isReported) now.set(rank.job, Math.min(earliestMs, now.get(rank.job) ?? earliestMs));
    for (const [job, earliestMs] of now)
      if (!this.#jobs.has(job))
        news.push({ discovery: null, event: suspendedEvent(job, 'onset', { earliestMs, latestMs: nowMs }) });
    for (const [job, earliestMs] of this.#jobs)
      if (!now.has(job))
        news.push({ discovery: null, event: suspendedEvent(job, 'clear', { earliestMs, latestMs: nowMs }) });
    this.#jobs = new Map([...now.keys()].map((job) => [job, nowMs]));
    return news;
  }

  #path(pid: number, name: string): string {
    return join(this.#proc, String(pid), name);
  }

  async #groupsOf(pid: number): Promise<readonly string[]> {
    const text = (await this.#files.read(this.#path(pid, 'cgroup'))) ?? '';
    // In a namespace of its own a group above ours is "/..": it is not there to be read.
    return [...text.matchAll(GROUP)].flatMap(([, path = '']) => (path === '/' || path.includes('/..') ? [] : path));
  }

  async #how(pid: number, groups: readonly string[]): Promise<How | null> {
    const stat = (await this.#files.read(this.#path(pid, 'stat'))) ?? '';
    // The name, in brackets, may hold anything.
    const state = stat.charAt(stat.lastIndexOf(')') + 2);
    if (state === 't') return 'debugger';
    if (state === 'T') return 'signal';
    for (const group of groups) {
      if (!(await this.#isFrozen(group))) continue;
      // Below its task a job may have groups of its own, and freeze them itself.
      const own = slurmGroup(group);
      return own !== null && (own === group || (await this.#isFrozen(own))) ? 'scheduler' : 'freezer';
    }
    return null;
  }

  async #isFrozen(group: string): Promise<boolean> {
    const events = await this.#files.read(join(this.#groups, group, 'cgroup.events'));
    if (events !== null) return /^frozen 1$/m.test(events);
    return (await this.#files.read(join(this.#groups, 'freezer', group, 'freezer.state'))) === 'FROZEN';
  }

  #found(rank: FrozenRank, how: How | null, nowMs: number): FrozenNews | null {
    const { pid } = rank;
    const before = this.#standing.get(pid);
    if (how === null) {
      this.#standing.delete(pid);
      return before?.isReported === true ? this.#news(before, 'clear', nowMs) : null;
    }
    const standing = before ?? { rank, how, earliestMs: this.#lookedMs ?? nowMs, looks: 0, isReported: false };
    this.#standing.set(pid, standing);
    standing.looks += 1;
    if (standing.isReported || standing.looks < LOOKS) return null;
    standing.isReported = true;
    return this.#news(standing, 'onset', nowMs);
  }

  #news({ rank, how, earliestMs }: Standing, state: 'onset' | 'clear', nowMs: number): FrozenNews {
    const { pid, job } = rank;
    const process: Component = { type: 'process', id: String(pid), host: this.#host, parent: `host/${this.#host}` };
    const to: Component = { type: 'rank', id: `${job}/${rank.rank}` };
    const links: Link[] = [{ from: process, to, relation: 'runs', source: 'host' }];
    const now = state === 'onset' ? WORDS[how] : 'runs again or is gone';
    const text = `process ${pid}, rank ${rank.rank} of job ${job}: ${now}`;
    const event: EventInput = {
      kind: 'process.frozen',
      component: process,
      state,
      timeMs: nowMs,
      interval: { earliestMs: state === 'onset' ? earliestMs : (this.#lookedMs ?? nowMs), latestMs: nowMs },
      observedMs: nowMs,
      trust: 'kernel',
      source: SOURCE,
      attributes: { pid, job, rank: rank.rank, how },
      evidence: [{ source: SOURCE, timeMs: nowMs, text }],
    };
    return { discovery: state === 'onset' ? { component: process, links } : null, event };
  }
}

function rankOf(job: string, { pid, rank }: WorkRank): FrozenRank[] {
  return pid === null ? [] : [{ pid, rank, job }];
}

function suspendedEvent(job: string, state: 'onset' | 'clear', interval: Interval): EventInput {
  const text = `job ${job}: ${state === 'onset' ? WORDS.scheduler : 'runs again or is gone'}`;
  return {
    kind: 'job.suspended',
    component: { type: 'job', id: job },
    state,
    timeMs: interval.latestMs,
    interval,
    observedMs: interval.latestMs,
    trust: 'kernel',
    source: SOURCE,
    attributes: { job, how: 'control group of the scheduler frozen' },
    evidence: [{ source: SOURCE, timeMs: interval.latestMs, text }],
  };
}

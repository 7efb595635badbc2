// Process source: looks at the processes of this host at its own pace, and reports which jobs run here, their ranks and devices.

import { within } from '../../helpers/within.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Work, WorkView } from '../../identity/work/work.ts';
import type { Emit } from '../../model/record.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import { Allowance } from './allowance.ts';
import type { FrozenWatch } from './frozen-watch.ts';
import { type ProcessState, processHealth } from './health.ts';
import { Pace } from './pace.ts';
import { effectiveRights, hidingOption, isShutIn } from './rights.ts';
import type { ProcessSettings } from './settings.ts';
import { UserNames } from './user-names.ts';
import { workDiscoveries } from './work-discoveries.ts';

const SOURCE = 'processes';
const STOP_MS = 1000;
const MAX_REPORTED = 16_384;
const SYS_PTRACE = 1n << 19n;
const AGAIN_EVERY_MS = 3_600_000;
/** Of one core, for ends that are reported before the next look; and what may be spent ahead, ms. */
const ENDS_SHARE = 0.001;
const ENDS_AHEAD_MS = 200;

export interface ProcessSourceOptions {
  readonly host: string;
  /** Epoch ms. */
  readonly now: () => number;
  readonly identity: Identity;
  /** Text of a file of the procfs in which the daemon finds itself; null where it cannot be read. */
  readonly own: (name: 'status' | 'mounts') => Promise<string | null>;
  /** Text of the file of users; null where it cannot be read. */
  readonly passwd: () => Promise<string | null>;
  /** The program that asks the host's name service; left out: where it usually is. */
  readonly getent?: string;
  /** Root of the procfs that is looked at. */
  readonly proc: string;
  /** Which ranks do not run; left out: not looked at. */
  readonly frozen?: FrozenWatch;
}

export class ProcessSource implements Source {
  readonly name = SOURCE;
  readonly #settings: ProcessSettings;
  readonly #options: ProcessSourceOptions;
  #emit: Emit | null = null;
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> = Promise.resolve();
  #view: WorkView | null = null;
  #looked = false;
  #seconds = 0;
  readonly #pace: Pace;
  readonly #allowance = new Allowance(ENDS_SHARE, ENDS_AHEAD_MS);
  #users: UserNames | null = null;
  #againMs = Number.NEGATIVE_INFINITY;
  #rights: ProcessState['rights'] = { effective: null, hidepid: null, shutIn: false };
  /** What was reported of each component, so that the same is not reported again. */
  readonly #reported = new Map<string, string>();

  constructor(settings: ProcessSettings, options: ProcessSourceOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#pace = new Pace(settings.intervalMs);
  }

  start(emit: Emit, signal: AbortSignal): void {
    this.#emit = emit;
    const { identity, passwd, getent } = this.#options;
    this.#users = new UserNames({
      now: () => performance.now(),
      passwd,
      named: (id, name) => identity.work.users.set({ id, name }),
      own: identity.own,
      signal,
      ...(getent === undefined ? {} : { program: getent }),
    });
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    identity.processes.watchEnds(() => this.#ended());
    this.#next(0);
  }

  health(): readonly SourceHealth[] {
    const { processes, work } = this.#options.identity;
    const facts = [...work.processes.each()];
    return [
      processHealth({
        looked: this.#looked,
        processes,
        view: this.#view,
        facts,
        pods: work.pods.values(),
        rights: this.#rights,
      }),
    ];
  }

  counts(): readonly SourceCounts[] {
    return [{ source: SOURCE, reads: this.#options.identity.processes.looks, readSeconds: this.#seconds }];
  }

  async stop(): Promise<void> {
    this.#emit = null;
    this.#options.identity.processes.stopWatching();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await within(STOP_MS, this.#round);
  }

  #next(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#round = this.#look()
        .catch((error: unknown) => {
          this.#emit?.failed?.(error);
          return this.#settings.intervalMs;
        })
        .then((waitMs) => {
          if (this.#emit !== null) this.#next(waitMs);
        });
    }, delayMs);
    this.#timer.unref();
  }

  /** Returns how long to wait, ms. */
  async #look(): Promise<number> {
    const { processes, work } = this.#options.identity;
    if (!this.#looked) await this.#knowRights();
    const before = processes.cpuMs;
    await this.#users?.find(() => this.#unnamed());
    await processes.look(this.#settings.intervalMs / 2);
    const started = process.threadCpuUsage();
    const view = work.view();
    const nowMs = this.#options.now();
    const again = Math.abs(nowMs - this.#againMs) >= AGAIN_EVERY_MS;
    if (again) {
      // What others know of jobs is bounded, and what was not named for long goes first.
      this.#againMs = nowMs;
      this.#reported.clear();
    }
    if (this.#emit !== null && (again || view !== this.#view)) this.#report(view);
    this.#view = view;
    this.#looked = true;
    await this.#lookAtRanks(view);
    const { user, system } = process.threadCpuUsage(started);
    const tookMs = processes.cpuMs - before + (user + system) / 1000;
    this.#seconds += tookMs / 1000;
    return this.#pace.after(tookMs, performance.now());
  }

  async #lookAtRanks({ works }: WorkView): Promise<void> {
    for (const { discovery, event } of (await this.#options.frozen?.look(works, this.#options.now())) ?? []) {
      if (discovery !== null) this.#emit?.discovery(discovery);
      this.#emit?.event(event);
    }
  }

  /** Something ended that matters. What there is no allowance for the next look takes up, with the time that it ended at. */
  #ended(): void {
    if (this.#emit === null || !this.#looked || !this.#allowance.has(performance.now())) return;
    const started = process.threadCpuUsage();
    const { processes, work } = this.#options.identity;
    processes.takeEnds();
    const view = work.fresh();
    if (view !== this.#view) this.#report(view);
    this.#view = view;
    const { user, system } = process.threadCpuUsage(started);
    this.#allowance.spend((user + system) / 1000);
    this.#seconds += (user + system) / 1e6;
  }

  async #knowRights(): Promise<void> {
    const { own, proc } = this.#options;
    const [status, mounts, shutIn] = await Promise.all([own('status'), own('mounts'), isShutIn(proc)]);
    const effective = effectiveRights(status ?? '');
    const hidden = hidingOption(mounts ?? '', proc);
    // Whoever may trace sees all of them.
    const sees = effective !== null && (effective & SYS_PTRACE) !== 0n;
    this.#rights = { effective, hidepid: sees ? null : hidden, shutIn };
  }

  #unnamed(): Set<number> {
    const { work } = this.#options.identity;
    const ids = new Set<number>();
    for (const { owner } of work.processes.each())
      if (work.users.get(String(owner[0])) === undefined) ids.add(owner[0]);
    return ids;
  }

  #report(view: WorkView): void {
    const { host, identity, now } = this.#options;
    for (const work of this.#view?.works ?? []) {
      if (view.works.some(({ id, aliases }) => id === work.id || aliases.includes(work.id))) continue;
      this.#forget(work);
      identity.placement.ended(work.id);
      // A process on a GPU that nothing else names was not a job that anyone waits for.
      if (work.manager === 'process' && work.ranks.length === 0) continue;
      const nowMs = now();
      const endedMs = Math.min(identity.processes.ends.of(work) ?? nowMs, nowMs);
      this.#emit?.event({
        kind: 'job.ended',
        component: { type: 'job', id: work.id },
        timeMs: endedMs,
        observedMs: nowMs,
        trust: 'kernel',
        source: SOURCE,
        attributes: { job: work.id, text: `job ${work.id}: nothing of it is left on this host` },
        evidence: [
          {
            source: SOURCE,
            timeMs: endedMs,
            text: `no process, pod or allocation of job ${work.id} is left on this host`,
          },
        ],
      });
    }
    const namedBy = (pid: number | null) => (pid === null ? null : identity.jobs.namedBy(pid));
    for (const discovery of workDiscoveries(view, host, namedBy)) {
      const key = `${discovery.component.type}/${discovery.component.id}`;
      const text = JSON.stringify(discovery);
      if (this.#reported.get(key) === text || this.#reported.size >= MAX_REPORTED) continue;
      this.#reported.set(key, text);
      this.#emit?.discovery(discovery);
    }
  }

  #forget({ id, ranks }: Work): void {
    this.#reported.delete(`job/${id}`);
    for (const { rank } of ranks) this.#reported.delete(`rank/${id}/${rank}`);
  }
}

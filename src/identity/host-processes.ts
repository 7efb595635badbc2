// HostProcesses: the looks at the processes of this host that all sources share, and what came of them.

import type { EndedNow, Reader } from '../model/native-processes.ts';
import type { HostGpus } from './host-gpus.ts';
import type { JobNames } from './job/job-names.ts';
import { RankProcesses, type ScanProcesses } from './rank/processes.ts';
import { ProcessEnds } from './work/process-ends.ts';
import { ProcessFacts } from './work/process-facts.ts';
import type { LendLog } from './work/work.ts';
import type { Works } from './work/works.ts';

interface Looking {
  readonly by: LooksAtProcesses;
  readonly ranks: RankProcesses;
  readonly facts: ProcessFacts;
}

interface Known {
  readonly gpus: HostGpus;
  readonly jobs: JobNames;
  readonly work: Works;
}

/** How the processes of a host are looked at. */
export interface LooksAtProcesses {
  readonly scan: ScanProcesses;
  readonly lend: LendLog;
  /** Calls `wake` when what `takeEnds` gives is worth a look; false where ends are known only from looks. */
  watchEnds(wake: () => void): boolean;
  takeEnds(): EndedNow;
  stopWatching(): void;
}

export const NOTHING_ENDED: EndedNow = { processes: [], groups: [] };
const NO_ENDS = { watchEnds: () => false, takeEnds: () => NOTHING_ENDED, stopWatching() {} };
const NONE = new RankProcesses('/proc', async () => null);

export class HostProcesses {
  readonly #known: Known;
  readonly #now: () => number;
  #looking: Looking | null = null;
  #round: Promise<void> | null = null;
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** Time of processors that all looks took, ms. */
  cpuMs = 0;
  looks = 0;
  /** Who is asked for what may not be read here, as of the last look; null where no one is. */
  reader: Reader | null = null;
  /** When those that are gone ended: as it was, or as the look found it. */
  readonly ends = new ProcessEnds();

  /** `now`: epoch ms. */
  constructor(known: Known, now: () => number) {
    this.#known = known;
    this.#now = now;
  }

  /** From now on they are looked at through `by`, which reads the procfs at `proc`. */
  lookBy(proc: string, by: LooksAtProcesses | ScanProcesses): void {
    const whole = typeof by === 'function' ? { scan: by, lend: async () => null, ...NO_ENDS } : by;
    const { work } = this.#known;
    this.#looking = {
      by: whole,
      ranks: new RankProcesses(proc, whole.scan),
      facts: new ProcessFacts(proc, work),
    };
  }

  /** Opens what a process prints into, by its own descriptor. */
  lend: LendLog = async (writer) => (await this.#looking?.by.lend(writer)) ?? null;

  /** Calls `wake` when `takeEnds` has something that matters. */
  watchEnds(wake: () => void): boolean {
    return this.#looking?.by.watchEnds(wake) ?? false;
  }

  stopWatching(): void {
    this.#looking?.by.stopWatching();
  }

  /** Drops what ended since the last look. */
  takeEnds(): void {
    if (this.#looking === null) return;
    const { by, ranks, facts } = this.#looking;
    const ended = facts.ended(by.takeEnds());
    if (ended.length === 0) return;
    const nowMs = this.#now();
    for (const { agoMs, ...process } of ended) this.ends.note(process, nowMs - agoMs);
    ranks.gone(ended.map(({ pid }) => pid));
    this.#settle(ranks);
  }

  /** Looks at what is new, or waits for the look that is under way; one that is younger than `enoughMs` is enough. Never rejects. */
  async look(enoughMs = 0): Promise<void> {
    if (this.#looking === null) return;
    const since = this.#now() - this.#lookedMs;
    if (this.#round === null && since >= 0 && since < enoughMs) return;
    this.#round ??= this.#look(this.#looking).finally(() => {
      this.#round = null;
    });
    await this.#round;
  }

  /** Ranks by their environment. */
  get ranks(): RankProcesses['ranks'] {
    return this.#book.ranks;
  }

  /** Process id of a rank → the files that it, and those near it, write. */
  get writes(): RankProcesses['writes'] {
    return this.#book.writes;
  }

  /** Processes whose environment may not be read. */
  get refused(): number {
    return this.#book.refused;
  }

  /** Folders of processes whose files do not answer. */
  get hanging(): readonly string[] {
    return this.#book.hanging;
  }

  get #book(): RankProcesses {
    return this.#looking?.ranks ?? NONE;
  }

  async #look({ by, ranks, facts }: Looking): Promise<void> {
    const holders = this.#known.gpus.holders();
    const found = await by.scan([...holders, ...facts.startersOf(holders)]);
    if (found === null) return;
    this.#lookedMs = this.#now();
    const started = process.threadCpuUsage();
    this.reader = found.reader;
    this.takeEnds();
    ranks.take(found);
    for (const gone of facts.take(found)) this.ends.note(gone, this.#lookedMs);
    this.#settle(ranks);
    const { user, system } = process.threadCpuUsage(started);
    this.cpuMs += found.cpuMs + (user + system) / 1000;
    this.looks += 1;
  }

  #settle(ranks: RankProcesses): void {
    const { jobs, work } = this.#known;
    jobs.ranks(ranks.ranks, ranks.writes);
    work.named.replace(jobs.namedFacts(ranks.ranks));
    jobs.assembled(work.view());
  }
}

// HostProcesses: the looks at the processes of this host that all sources share, and what came of them.

import type { Reader } from '../model/native-processes.ts';
import type { HostGpus } from './host-gpus.ts';
import type { JobNames } from './job/job-names.ts';
import { RankProcesses, type ScanProcesses } from './rank/processes.ts';
import { ProcessFacts } from './work/process-facts.ts';
import type { LendLog } from './work/work.ts';
import type { Works } from './work/works.ts';

interface Looking {
  readonly scan: ScanProcesses;
  readonly ranks: RankProcesses;
  readonly facts: ProcessFacts;
}

interface Known {
  readonly gpus: HostGpus;
  readonly jobs: JobNames;
  readonly work: Works;
}

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
  /** Opens what a process prints into, by its own descriptor. */
  lend: LendLog = async () => null;

  /** `now`: epoch ms. */
  constructor(known: Known, now: () => number) {
    this.#known = known;
    this.#now = now;
  }

  /** From now on they are looked at through `scan`, which reads the procfs at `proc`. */
  lookBy(proc: string, scan: ScanProcesses, lend: LendLog = async () => null): void {
    this.lend = lend;
    this.#looking = { scan, ranks: new RankProcesses(proc, scan), facts: new ProcessFacts(proc, this.#known.work) };
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

  async #look({ scan, ranks, facts }: Looking): Promise<void> {
    const { gpus, jobs, work } = this.#known;
    const holders = gpus.holders();
    const found = await scan([...holders, ...facts.startersOf(holders)]);
    if (found === null) return;
    this.#lookedMs = this.#now();
    const started = process.threadCpuUsage();
    this.reader = found.reader;
    ranks.take(found);
    facts.take(found);
    jobs.ranks(ranks.ranks, ranks.writes);
    work.named.replace(jobs.namedFacts(ranks.ranks));
    jobs.assembled(work.view());
    const { user, system } = process.threadCpuUsage(started);
    this.cpuMs += found.cpuMs + (user + system) / 1000;
    this.looks += 1;
  }
}

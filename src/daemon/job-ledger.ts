// Job ledger: writes into the incident log which jobs have GPUs of this host, from when to when.

import type { WorkView } from '../identity/work/work.ts';
import type { IncidentLog } from '../incidents/log/incident-log.ts';
import { JobRuns } from '../incidents/lost/job-runs.ts';
import type { FaultEvent } from '../model/event.ts';
import type { JobRun } from '../model/job-run.ts';

const LOOK_MS = 5_000;

export interface JobLedgerOptions {
  readonly host: string;
  /** Runs that an earlier start of the daemon wrote. */
  readonly earlier: readonly JobRun[];
  readonly work: () => WorkView;
  readonly log: Pick<IncidentLog, 'appendRun'>;
  /** The steady clock, epoch ms. */
  readonly now: () => number;
}

export class JobLedger {
  readonly #options: JobLedgerOptions;
  readonly #runs: JobRuns;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: JobLedgerOptions) {
    this.#options = options;
    this.#runs = new JobRuns(options.host, options.earlier);
  }

  start(): void {
    this.#timer ??= setInterval(() => this.look(), LOOK_MS).unref();
  }

  /** Takes the work as it is now. */
  look(): void {
    const { work, now } = this.#options;
    void this.#write(this.#runs.take(work(), now()));
  }

  heard(event: FaultEvent): void {
    this.#runs.heard(event);
  }

  /** Writes how all runs are now. */
  async stop(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.look();
    await this.#write(this.#runs.stop(this.#options.now()));
  }

  async #write(runs: readonly JobRun[]): Promise<void> {
    await Promise.all(runs.map((run) => this.#options.log.appendRun(run)));
  }
}

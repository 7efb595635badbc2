// Load runs: the newest line of each run of a job in the log.

import { ownBytes } from '../../helpers/own-bytes.ts';
import { JOB_RUN_SCHEMA, jobRunFromDocument } from '../../model/documents/job-run.ts';
import type { JobRun } from '../../model/job-run.ts';
import { parseLine, readLog, Warnings } from './read-log.ts';

/** Of more the oldest are left out. */
const MOST_RUNS = 20_000;
const MARK = ownBytes(`"${JOB_RUN_SCHEMA}"`);
const HEAD_BYTES = 64;

/** Those that changed last at the end. Never throws for what the files hold; throws where the directory cannot be read. */
export async function loadRuns(directory: string): Promise<readonly JobRun[]> {
  const runs = new LoggedRuns();
  await readLog(directory, (line) => runs.take(line), new Warnings());
  return runs.list();
}

/** The same of lines that are read anyway. A line may come twice. */
export class LoggedRuns {
  readonly #runs = new Map<string, JobRun>();

  take(line: Buffer | null): void {
    if (line === null || !line.subarray(0, HEAD_BYTES).includes(MARK)) return;
    const run = jobRunFromDocument(parseLine(line));
    if (run === null || (this.#runs.get(run.id)?.seenMs ?? Number.NEGATIVE_INFINITY) > run.seenMs) return;
    this.#runs.delete(run.id);
    this.#runs.set(run.id, run);
    for (const oldest of this.#runs.keys()) {
      if (this.#runs.size <= MOST_RUNS) break;
      this.#runs.delete(oldest);
    }
  }

  list(): readonly JobRun[] {
    return [...this.#runs.values()];
  }
}

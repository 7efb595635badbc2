// Understood: how many lines of each job's log came, and how many of them meant something.

import { hasRoom } from '../../helpers/has-room.ts';
import type { TextRecord } from '../../model/record.ts';

export interface LineCount {
  lines: number;
  /** Steps that they reported. */
  steps: number;
  /** Events and pauses: a job that starts up reports them before its first step. */
  others: number;
  /** Steps by whose form their lines have. */
  frameworks?: Map<string, number>;
}

/** Jobs are configured; more of them than this come from nowhere good. */
const MOST_JOBS = 1024;
const MOST_FRAMEWORKS = 32;

export class UnderstoodLines {
  readonly #jobs = new Map<string, LineCount>();

  take(record: TextRecord, steps: number, others: number, framework?: string): void {
    const { job } = record.attributes;
    if (record.source !== 'job-log' || typeof job !== 'string') return;
    const count = this.#jobs.get(job) ?? { lines: 0, steps: 0, others: 0 };
    if (!hasRoom(this.#jobs, job, MOST_JOBS)) return;
    this.#jobs.set(job, count);
    count.lines += 1;
    count.steps += steps;
    count.others += others;
    if (framework === undefined) return;
    count.frameworks ??= new Map();
    if (!hasRoom(count.frameworks, framework, MOST_FRAMEWORKS)) return;
    count.frameworks.set(framework, (count.frameworks.get(framework) ?? 0) + steps);
  }

  /** Lines of the job that mean nothing to any rule. */
  passed(job: string, lines: number): void {
    if (lines <= 0 || !hasRoom(this.#jobs, job, MOST_JOBS)) return;
    const count = this.#jobs.get(job) ?? { lines: 0, steps: 0, others: 0 };
    this.#jobs.set(job, count);
    count.lines += lines;
  }

  of(job: string): Readonly<LineCount> | undefined {
    return this.#jobs.get(job);
  }
}

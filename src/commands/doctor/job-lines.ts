// Takes the lines of jobs' logs as the daemon's detection would, for a look of a moment.

import { JobLineDecoder } from '../../detection/text/job.ts';
import { type LineCount, UnderstoodLines } from '../../detection/text/understood.ts';
import type { TextRecord } from '../../model/record.ts';
import type { JobLogSettings } from '../../sources/job-log/settings.ts';

export class JobLines {
  readonly #configs: readonly JobLogSettings[];
  readonly #decoders = new Map<string, JobLineDecoder>();
  readonly #lines = new UnderstoodLines();

  constructor(configs: readonly JobLogSettings[]) {
    this.#configs = configs;
  }

  take(record: TextRecord): void {
    const { job } = record.attributes;
    const config = this.#configs.find((each) => each.job === job);
    if (record.source !== 'job-log' || config === undefined) return;
    const decoder = this.#decoders.get(config.job) ?? new JobLineDecoder(config.job, config.framework);
    this.#decoders.set(config.job, decoder);
    const { steps, events, pauses } = decoder.decode(record);
    this.#lines.take(record, steps.length, events.length + pauses.length);
  }

  /** What came of the lines of a job so far. */
  of(job: string): Readonly<LineCount> | undefined {
    return this.#lines.of(job);
  }
}

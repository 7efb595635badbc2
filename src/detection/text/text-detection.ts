// TextDetection: the one entry for lines of text, whatever stream they come from; events and samples come out.

import type { ClockJump } from '../../model/clock-jump.ts';
import type { Component } from '../../model/component.ts';
import type { RankLabel } from '../../model/rank-label.ts';
import type { EventInput, SampleBatch, TextRecord } from '../../model/record.ts';
import { WallTimes } from '../../model/wall-times.ts';
import { Decoders } from './decoders.ts';
import type { JobDecoded, PauseMark, RankStep, StepSeen } from './job/decoded.ts';
import { NO_PLACES } from './job/fault/fault-event.ts';
import { type UserLine, UserLines } from './job/user-lines.ts';
import { JobLineDecoder } from './job.ts';
import { isExpected } from './job-framework.ts';
import { decodeKernelLine, type KernelContext, kernelContext, releaseHeld } from './kernel.ts';
import { RepeatFolder } from './repeat-folder.ts';
import { ServiceLineDecoder } from './service.ts';

/** Sources that read what kernels, and the programs next to them, write. */
const OF_HOSTS: ReadonlySet<string> = new Set([
  'kernel-log',
  'journal',
  'syslog-in',
  'otlp-in',
  'logs-in',
  'after-crash',
]);

export interface TextDecoded {
  readonly events: readonly EventInput[];
  readonly samples: SampleBatch | null;
  /** The job whose line it is; null where it is of none. */
  readonly job: Component | null;
  /** Steps of the job that the line reports. */
  readonly steps: readonly StepSeen[];
  readonly pauses: readonly PauseMark[];
  /** The job whose ranks reported steps, and those; null where none did. */
  readonly ranks: { readonly job: Component; readonly steps: readonly RankStep[] } | null;
  /** The job whose work changed with this line; null where it is as before. */
  readonly workChanged: Component | null;
}

/** What a line of no job says of jobs. */
const NO_JOB: Pick<TextDecoded, 'job' | 'steps' | 'pauses' | 'ranks' | 'workChanged'> = {
  job: null,
  steps: [],
  pauses: [],
  ranks: null,
  workChanged: null,
};

/** Deterministic: the same records in the same order give the same events, driven by record times alone. */
export class TextDetection {
  readonly #host: string;
  readonly #kernels = new Decoders<KernelContext>();
  readonly #jobs = new Decoders<JobLineDecoder>();
  readonly #services = new Decoders<ServiceLineDecoder>();
  readonly #folder = new RepeatFolder();
  readonly #wall = new WallTimes();

  #own = new UserLines();
  /** A report of the kernel is open: its next lines count, whatever words they have. */
  attendsKernel = false;

  readonly #rankOf: (job: string, label: RankLabel) => number | null;

  /** `rankOf` says which rank of the job a line's label means, if that rank is on this host. */
  constructor(host: string, rankOf = NO_PLACES.rankOf) {
    this.#host = host;
    this.#rankOf = rankOf;
  }

  /** The lines of jobs that the configuration describes, from now on. */
  expectLines(lines: readonly UserLine[]): void {
    this.#own = new UserLines(lines);
  }

  /** The wall clock, by which jobs stamp their lines, was set. */
  clockJump({ byMs, when }: ClockJump): void {
    this.#wall.stepped(byMs, when);
  }

  /**
   * What the line reports. Events may come a second time under the same id with a higher count (repeats of the first), and
   * with the line of another stream (a count that had waited).
   */
  decode(record: TextRecord): TextDecoded {
    const { service, job: named } = record.attributes;
    if (typeof service === 'string') {
      const make = () => new ServiceLineDecoder(service, this.#wall);
      const decoder = this.#services.of(service, isClaimed(record), make);
      // What an earlier run took is of use only to know what was normal.
      const fault = record.attributes.known === true ? null : decoder.fault(record, this.#host);
      const events = fault === null ? [] : this.#folder.fold(fault);
      return { events, samples: decoder.decode(record), ...NO_JOB };
    }
    if (record.source === 'job-log' || typeof named === 'string') {
      const job = this.#job(record);
      return this.#decoded(job, job.decode(record));
    }
    if (!OF_HOSTS.has(record.source)) return { events: [], samples: null, ...NO_JOB };
    return { events: this.#kernel(record), samples: null, ...NO_JOB };
  }

  /** Counts that rose and errors of several lines that were not reported yet, once `nowMs` (event time) is a second past the last reporting. */
  settle(nowMs: number): EventInput[] {
    const held = this.#kernels.values().flatMap((context) => releaseHeld(context, nowMs));
    const ended = this.#jobs.values().flatMap((job) => job.settle(nowMs));
    return [...[...held, ...ended].flatMap((event) => this.#folder.fold(event)), ...this.#folder.settle(nowMs)];
  }

  /** What the end of the input decides: lines of jobs that waited for their rest. `settle` reports what it leads to. */
  end(): TextDecoded[] {
    return this.#jobs.values().map((job) => this.#decoded(job, job.flush()));
  }

  /** Whether `settle` will have something to report; no timer is needed while this is false. */
  get waiting(): boolean {
    if (this.#folder.waiting || this.#kernels.values().some(({ held }) => held.size > 0)) return true;
    return this.#jobs.values().some(({ waiting }) => waiting);
  }

  /** Of the log of this job or service every next line counts, not only those with a word of some rule. */
  attends(name: string, what: 'job' | 'service'): boolean {
    return (what === 'job' ? this.#jobs : this.#services).get(name)?.attends ?? false;
  }

  /** Whether nothing but its senders says that there is a job or service of this name. */
  isClaimed(name: string, what: 'job' | 'service'): boolean {
    return (what === 'job' ? this.#jobs : this.#services).isClaimed(name);
  }

  #decoded(job: JobLineDecoder, decoded: JobDecoded): TextDecoded {
    const { steps, events, faults, samples, pauses, ranks, workChanged } = decoded;
    return {
      events: faults.length === 0 ? events : [...events, ...faults.flatMap((fault) => this.#folder.fold(fault))],
      samples,
      job: job.component,
      steps,
      pauses,
      ranks: ranks.length === 0 ? null : { job: job.component, steps: ranks },
      workChanged: workChanged ? job.component : null,
    };
  }

  #kernel(record: TextRecord): EventInput[] {
    const tenant = record.trust === 'tenant';
    // What the kernel began no user completes, and no line of a user passes for one of the kernel.
    const key = `${tenant ? 'users' : 'host'} ${record.stream}`;
    // A stream of senders is named after what they say of themselves; what is read from a file, after the file.
    const ofSenders = tenant && record.source !== 'kernel-log';
    const context = this.#kernels.of(key, ofSenders, () => kernelContext(this.#host));
    const events = decodeKernelLine(record, context);
    this.attendsKernel = context.oom !== null;
    return events.flatMap((event) => this.#folder.fold(event));
  }

  #job(record: TextRecord): JobLineDecoder {
    const job = typeof record.attributes.job === 'string' ? record.attributes.job : record.stream;
    const { framework } = record.attributes;
    const make = () => {
      const places = { host: this.#host, rankOf: this.#rankOf };
      return new JobLineDecoder(job, isExpected(framework) ? framework : 'auto', this.#wall, places, () => this.#own);
    };
    return this.#jobs.of(job, isClaimed(record), make);
  }
}

function isClaimed({ attributes }: TextRecord): boolean {
  return attributes.claimed === true;
}

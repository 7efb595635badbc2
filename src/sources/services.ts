// Services: what one source offers to others, and what the daemon asks of all of them, without either knowing who it is.

import type { UserLine } from '../detection/text/job/user-lines.ts';
import type { LineCount } from '../detection/text/understood.ts';
import { Signal } from './signal.ts';

/**
 * Called with what other hosts need of new dumps for the verdict on the whole job: JSON text of a `FlightRecorderSummary`,
 * at most a MiB, and the time. Must not throw.
 */
export type OnSummary = (job: string, summary: string, timeMs: number) => void;

export interface TextWatch {
  /** What the lines of this job or service began needs the next ones, whatever words they have. */
  attends(of: 'job' | 'service', name: string): boolean;
  /** So many of its lines were passed over. */
  passed(of: 'job' | 'service', name: string, lines: number): void;
}

export interface Outside {
  readonly onSummary?: OnSummary;
  /** Takes the lines of jobs that the configuration describes. */
  readonly expectLines?: (lines: readonly UserLine[]) => void;
  /** Of the lines of jobs and inference servers those with a word of some rule are enough. Left out: every line is wanted. */
  readonly textWatch?: TextWatch;
  /** What the lines of a job's log meant so far. */
  readonly linesOf?: (job: string) => Readonly<LineCount> | undefined;
}

export class Services {
  /** Something was seen that a closer look may explain. */
  readonly suspicion: Signal<[], void>;
  /** A job makes no steps any more, by its own word or by its steps. */
  readonly jobStopped: Signal<[], void>;
  /** A job makes steps again. */
  readonly jobContinues: Signal<[job: string], void>;
  /** Let go of every device file for `durationMs`; false where none is held. The notice brings `traceparent` back. */
  readonly releaseDevices: Signal<[durationMs: number, traceparent: string | undefined], boolean>;
  readonly outside: Outside;
  /** Whether this boot's kernel is read from the kernel itself; the source of the kernel log says. */
  readonly kernelLog = { works: (): boolean => false };

  /** `guard`: runs the work of the source that is named; what is thrown goes no further. */
  constructor(guard: (source: string, work: () => void) => void, outside: Outside = {}) {
    this.outside = outside;
    this.suspicion = new Signal(guard);
    this.jobStopped = new Signal(guard);
    this.jobContinues = new Signal(guard);
    this.releaseDevices = new Signal(guard);
  }

  /** The source has ended: it answers nothing any more. */
  forget(source: string): void {
    for (const signal of [this.suspicion, this.jobStopped, this.jobContinues, this.releaseDevices])
      signal.forget(source);
  }
}

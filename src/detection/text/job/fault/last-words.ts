// LastWords: an exception that no line says to have ended its process. It did where the log then fell silent for good.

import { upperMedian } from '../../../../helpers/median.ts';
import type { Kind } from '../../../../model/kind.ts';
import type { EventInput } from '../../../../model/record.ts';
import type { Fault } from './fault.ts';

/** What is printed on the way out: by handlers of the exit, by what was buffered. A program that continues prints later than that, too. */
const ON_THE_WAY_OUT_MS = 5_000;
/** How long a program that caught it would be silent at most: so many times as long as between its steps, and no less than this. */
const STEPS = 3;
const SHORTEST_MS = 20_000;
const LONGEST_MS = 600_000;
/** Where no steps are known: it loads, or compiles. */
const UNKNOWN_MS = 60_000;
const KEPT_GAPS = 15;
/** Say how a process ended, or why: an exception before them adds nothing. */
const ENDS: ReadonlySet<Kind> = new Set<Kind>(['job.rank_crashed', 'job.rank_killed', 'job.gpu_oom', 'job.ended', 'job.cancelled', 'job.preempted', 'job.requeued']); // biome-ignore format: a list
/** Of a server that was not reached. The library that needed it raises again, as under "During handling of the above exception", and says which. */
const NOT_REACHED =
  /^(?:Connection\w*Error|\w*TimeoutError|OSError|NewConnectionError|MaxRetryError|gaierror|timeout)$/;
const SAYS_WHAT: ReadonlySet<Kind> = new Set<Kind>(['job.bootstrap_timeout', 'net.connection_reset', 'net.rdma_setup_failed']); // biome-ignore format: a list

interface Held {
  readonly event: EventInput;
  readonly printer: string;
  readonly sinceMs: number;
  lastMs: number;
}

/** Times are those at which lines arrived: a log's own may be of another clock. */
export class LastWords {
  #held: Held | null = null;
  #lastStepMs = Number.NaN;
  readonly #gapsMs: number[] = [];

  /** Steps were printed. */
  step(nowMs: number): void {
    this.drop();
    const gap = nowMs - this.#lastStepMs;
    this.#lastStepMs = nowMs;
    if (!(gap > 0)) return;
    this.#gapsMs.push(gap);
    if (this.#gapsMs.length > KEPT_GAPS) this.#gapsMs.shift();
  }

  hold(event: EventInput, printer: string, nowMs: number): void {
    this.#held = { event, printer, sinceMs: nowMs, lastMs: nowMs };
  }

  /** The job continues, or something else says how it ended. */
  drop(): void {
    this.#held = null;
  }

  /** Faults of one line behind it. */
  reported(faults: readonly Pick<Fault, 'kind'>[], printer: string): void {
    const exception = this.#held?.event.attributes?.exception;
    const isContext = this.#held?.printer === printer && typeof exception === 'string' && NOT_REACHED.test(exception);
    if (faults.some(({ kind }) => ENDS.has(kind) || (isContext && SAYS_WHAT.has(kind)))) this.drop();
  }

  /** A line that belongs to no traceback and reports no fault. */
  line(printer: string, nowMs: number): void {
    const held = this.#held;
    if (held === null || held.printer !== printer) return;
    held.lastMs = Math.max(held.lastMs, nowMs);
    if (nowMs - held.sinceMs > ON_THE_WAY_OUT_MS) this.drop();
  }

  get waiting(): boolean {
    return this.#held !== null;
  }

  /** The exception, once the log was silent for so long after it; null before, and where there is none. */
  take(nowMs: number): EventInput | null {
    const held = this.#held;
    if (held === null || nowMs < held.lastMs + this.#patienceMs()) return null;
    this.#held = null;
    return held.event;
  }

  #patienceMs(): number {
    const usual = upperMedian(this.#gapsMs);
    return usual === null ? UNKNOWN_MS : Math.min(LONGEST_MS, Math.max(SHORTEST_MS, STEPS * usual));
  }
}

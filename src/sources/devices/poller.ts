// Polls one device on the network until it is stopped: at its interval, with pauses while it fails, and says how it fares.

import { backOffMs } from '../../helpers/back-off.ts';
import { errorText } from '../../helpers/error-text.ts';
import type { Emit, EventInput } from '../../model/record.ts';
import type { SourceLogger } from '../context.ts';
import type { SourceCounts, SourceHealth } from '../source.ts';
import { answerOf, type DeviceError, type PollAnswer } from './poll-answer.ts';
import { Reachability, type ReachChange } from './reachability.ts';

/** Between the beginnings of two polls, however often it is woken. */
const LEAST_APART_MS = 1000;

export interface PollerDeps {
  /** Steady epoch ms, for the times of samples. */
  readonly now: () => number;
  readonly logger?: SourceLogger;
}

/** How fast a device is asked. */
export interface Pace {
  readonly intervalMs: number;
  /** It is left alone for this many times as long as it took to answer, the answer included. */
  readonly rest: number;
  /** From this failed poll in a row on there is a pause before the next: the interval, doubled for each beyond `doublesAfter`. */
  readonly pauseFrom: number;
  readonly doublesAfter: number;
  readonly longestPauseMs: number;
}

/** One look at a device. */
export interface Look {
  readonly emit: Emit;
  /** On `performance.now()`: when the next one is due. */
  readonly nextDue: number;
  readonly startedMs: number;
  readonly signal: AbortSignal;
  /** The device answers, whatever becomes of the rest of this look. Without it, that is so once the look is over. */
  answered(): void;
}

export interface Device {
  /** "pdu/pdu-b", as its health and counts are named. */
  readonly name: string;
  /** "PDU", for the log. */
  readonly what: string;
  /** What its lines in the log carry. */
  readonly logFields: object;
  readonly pace: Pace;
  /** Rejects with `DeviceError` where the device fails. Emits nothing once the signal is aborted. */
  look(look: Look): Promise<void>;
  /** The event of a change. */
  reachEvent(change: ReachChange, nowMs: number): EventInput;
  /** While it answers; null where it was not read yet. */
  health(): Omit<SourceHealth, 'source'> | null;
  /** Resolves within a second. */
  close(): void | Promise<void>;
}

export class DevicePoller {
  readonly #device: Device;
  readonly #deps: PollerDeps;
  readonly #stop = new AbortController();
  readonly #reach = new Reachability();
  readonly #polls = { answered: 0, failed: 0, seconds: 0 };
  #mistake: string | null = null;
  #woken = false;
  /** Ends the pause that it is in. */
  #resume: (() => void) | null = null;
  #startedMs = Number.NEGATIVE_INFINITY;

  constructor(device: Device, deps: PollerDeps) {
    this.#device = device;
    this.#deps = deps;
  }

  get name(): string {
    return this.#device.name;
  }

  get intervalMs(): number {
    return this.#device.pace.intervalMs;
  }

  /** Runs until `stop`, or until the device can never be read; never rejects. */
  async run(emit: Emit, delayMs: number): Promise<void> {
    const { intervalMs, rest } = this.#device.pace;
    let due = performance.now() + delayMs;
    while (await this.#waitUntil(due)) {
      const started = performance.now();
      this.#startedMs = started;
      const nextDue = Math.max(due + intervalMs, started);
      const continues = await this.#poll(emit, nextDue);
      if (!continues) return;
      const tookMs = performance.now() - started;
      this.#polls.seconds += tookMs / 1000;
      const pauseMs = this.#pauseMs();
      due = pauseMs === null ? Math.max(nextDue, started + rest * tookMs) : performance.now() + pauseMs;
    }
  }

  /** Polls at once, whatever pause it is in; never twice within a second. */
  wake(): void {
    if (this.#woken) return;
    this.#woken = true;
    this.#resume?.();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#resume?.();
    await this.#device.close();
  }

  counts(): SourceCounts {
    const { answered, failed, seconds } = this.#polls;
    return { source: this.#device.name, reads: answered, failures: failed, readSeconds: seconds };
  }

  health(): SourceHealth {
    const source = this.#device.name;
    const { error } = this.#reach;
    if (this.#mistake !== null) return { source, status: 'failed', detail: this.#mistake, remedy: null };
    if (error !== null) {
      return {
        source,
        status: error.refused ? 'no_permission' : 'failed',
        detail: error.message,
        remedy: error.remedy,
      };
    }
    const health = this.#reach.wasGood ? this.#device.health() : null;
    return { source, ...(health ?? { status: 'absent', detail: 'starting: not read yet', remedy: null }) };
  }

  async #waitUntil(due: number): Promise<boolean> {
    if (!this.#woken) await this.#pause(due);
    if (this.#woken) {
      await this.#pause(this.#startedMs + LEAST_APART_MS);
      this.#woken = false;
    }
    return !this.#stop.signal.aborted;
  }

  /** Until then on `performance.now()`, or until it is woken or stopped. */
  #pause(untilMs: number): Promise<void> {
    const ms = untilMs - performance.now();
    if (ms <= 0 || this.#stop.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#resume = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Null where there is none. */
  #pauseMs(): number | null {
    const { intervalMs, pauseFrom, doublesAfter, longestPauseMs } = this.#device.pace;
    const { failures, error } = this.#reach;
    if (failures < pauseFrom) return null;
    const pauseMs = backOffMs(intervalMs, failures - doublesAfter, Math.max(longestPauseMs, intervalMs));
    return Math.max(pauseMs, error?.retryAfterMs ?? 0);
  }

  /** False where there is to be no further one. */
  async #poll(emit: Emit, nextDue: number): Promise<boolean> {
    const startedMs = this.#deps.now();
    const { signal } = this.#stop;
    let answered = false;
    const look: Look = {
      emit,
      nextDue,
      startedMs,
      signal,
      answered: () => {
        if (!answered && !signal.aborted) this.#succeeded(emit);
        answered = true;
      },
    };
    let answer: PollAnswer;
    try {
      answer = await answerOf(this.#device.look(look));
    } catch (cause) {
      if (signal.aborted) return false;
      // What is not an error of the device is a mistake of ours: it is not reported as the device's.
      this.#polls.failed += 1;
      this.#mistake = `FL2610 its answers cannot be taken: ${errorText(cause)}`;
      emit.failed?.(cause);
      return true;
    }
    if (signal.aborted) return false;
    switch (answer.is) {
      case 'ok':
        look.answered();
        this.#polls.answered += 1;
        return true;
      case 'retry':
        this.#failed(emit, answer.error, startedMs);
        return true;
      case 'fatal':
        this.#failed(emit, answer.error, startedMs);
        return false;
      case 'ended':
        return false;
    }
  }

  #succeeded(emit: Emit): void {
    const nowMs = this.#deps.now();
    const { what, logFields } = this.#device;
    if (this.#reach.error !== null) this.#deps.logger?.info(logFields, `the ${what} answers again`);
    this.#mistake = null;
    const change = this.#reach.succeeded(nowMs);
    if (change !== null) emit.event(this.#device.reachEvent(change, nowMs));
  }

  #failed(emit: Emit, error: DeviceError, startedMs: number): void {
    this.#polls.failed += 1;
    const nowMs = this.#deps.now();
    if (this.#reach.error?.fault !== error.fault) {
      this.#deps.logger?.warn({ ...this.#device.logFields, code: error.code }, error.message);
    }
    const change = this.#reach.failed(error, startedMs, nowMs);
    if (change !== null) emit.event(this.#device.reachEvent(change, nowMs));
  }
}

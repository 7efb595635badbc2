// Polls one PDU for ever: fast objects each interval, slow ones in the time between, back-off while it is silent.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Component, componentText } from '../../model/component.ts';
import type { Emit } from '../../model/record.ts';
import type { SourceCounts, SourceHealth } from '../source.ts';
import { rawNumber } from './decode.ts';
import { discoverPdu, SYS_UP_TIME } from './discover.ts';
import { pduEvent } from './pdu-event.ts';
import { discoveries, type PduPlan, type PlannedCell, planSummary } from './plan.ts';
import { decodeCells, type PduCell, readCells, samplesOf } from './read.ts';
import { SnmpRequests } from './request.ts';
import { SnmpSession } from './session.ts';
import type { PduSettings } from './settings.ts';
import { SnmpError } from './snmp-error.ts';
import { PduWatch } from './watch.ts';

/** The slow set is due every so many intervals. */
const SLOW_EVERY = 15;
/** Slow objects read in one go. */
const SLOW_BATCH = 20;
/** Failed polls before the feed counts as unreachable. */
const UNREACHABLE_AFTER = 3;
const LONGEST_BACKOFF_MS = 30_000;
/** sysUpTime wraps at 2^32 hundredths of a second; a fall from near there is no restart. */
const WRAP_ZONE = 2 ** 32 - 360_000;

export interface PduPollerDeps {
  /** Steady epoch ms, for the times of samples. */
  readonly now: () => number;
  readonly logger?: PduLogger;
}

export interface PduLogger {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
}

export class PduPoller {
  readonly #config: PduSettings;
  readonly #deps: PduPollerDeps;
  readonly #requests: SnmpRequests;
  readonly #stop = new AbortController();
  readonly #pdu: Component;
  #plan: PduPlan | null = null;
  /** A voltage was read since the PDU was discovered: what a sag shows in. */
  #voltage = false;
  #watch = new PduWatch([]);
  #slow: PlannedCell[] = [];
  #slowIn = 0;
  #uptime: number | null = null;
  #error: SnmpError | null = null;
  #mistake: string | null = null;
  #failures = 0;
  #lastGoodMs: number | null = null;
  #firstFailedMs = 0;
  #firstNoticedMs = 0;
  #lastFailedMs = 0;
  #unreachable = false;
  readonly #polls = { answered: 0, failed: 0, seconds: 0 };

  constructor(config: PduSettings, deps: PduPollerDeps) {
    this.#config = config;
    this.#deps = deps;
    this.#requests = new SnmpRequests(new SnmpSession(config, deps.now));
    this.#pdu = { type: 'pdu', id: config.name };
  }

  /** Runs until `stop`; never rejects. */
  async run(emit: Emit, delayMs: number): Promise<void> {
    let due = performance.now() + delayMs;
    while (await this.#waitUntil(due)) {
      due = Math.max(due + this.#config.intervalMs, performance.now());
      await this.#poll(emit, due);
      if (this.#failures >= UNREACHABLE_AFTER) due = performance.now() + this.#backoff();
    }
  }

  stop(): void {
    this.#stop.abort();
    this.#requests.session.close();
  }

  health(): SourceHealth {
    const source = componentText(this.#pdu);
    if (this.#mistake !== null) return { source, status: 'failed', detail: this.#mistake, remedy: null };
    if (this.#error) return { source, status: 'failed', detail: this.#error.message, remedy: this.#error.remedy };
    if (this.#plan === null) return { source, status: 'absent', detail: 'not read yet', remedy: null };
    const { foreign, peer } = this.#requests.session;
    const notes = foreign === 0 ? [] : [`${foreign} datagrams that did not come from ${peer.address} were left out`];
    const detail = planSummary(this.#plan);
    if (this.#voltage || this.#polls.answered === 0) {
      return { source, status: 'works', detail, remedy: null, notes };
    }
    const remedy =
      "let its community or user read the whole of the vendor's tree, or use a model that measures voltage";
    return {
      source,
      status: 'partial',
      detail: `${detail}; it shows no voltage, so that no sag is seen`,
      remedy,
      notes,
    };
  }

  counts(): SourceCounts {
    const { answered, failed, seconds } = this.#polls;
    return { source: componentText(this.#pdu), reads: answered, failures: failed, readSeconds: seconds };
  }

  async #waitUntil(due: number): Promise<boolean> {
    try {
      await sleep(Math.max(0, due - performance.now()), undefined, { signal: this.#stop.signal });
    } catch {
      return false;
    }
    return !this.#stop.signal.aborted;
  }

  #backoff(): number {
    const longest = Math.max(LONGEST_BACKOFF_MS, this.#config.intervalMs);
    return Math.min(longest, this.#config.intervalMs * 2 ** Math.min(16, this.#failures - UNREACHABLE_AFTER + 1));
  }

  async #poll(emit: Emit, nextDue: number): Promise<void> {
    const startedMs = this.#deps.now();
    const started = performance.now();
    try {
      await this.#reconnect();
      const plan = this.#plan ?? (await this.#discover(emit));
      await this.#readFast(emit, plan);
      this.#succeeded(emit);
      await this.#readSlow(emit, plan, nextDue);
      this.#polls.answered += 1;
    } catch (cause) {
      if (this.#stop.signal.aborted) return;
      this.#polls.failed += 1;
      // What is no answer of the device is a mistake of ours: it is not reported as the device's.
      if (cause instanceof SnmpError) this.#failed(emit, cause, startedMs);
      else this.#mistaken(emit, cause);
    } finally {
      this.#polls.seconds += (performance.now() - started) / 1000;
    }
  }

  /** After silence: the first answer also synchronises a new session, so that samples are timed without it. */
  async #reconnect(): Promise<void> {
    if (this.#failures === 0 || this.#plan === null) return;
    const [uptime] = await this.#requests.get([SYS_UP_TIME]);
    this.#checkRestart(rawNumber(uptime?.value));
  }

  async #discover(emit: Emit): Promise<PduPlan> {
    const plan = await discoverPdu(this.#requests, this.#config.name);
    if (this.#stop.signal.aborted) return plan;
    this.#plan = plan;
    this.#voltage = false;
    this.#uptime = plan.uptime;
    this.#watch.restart(plan.parts);
    this.#slow = [];
    this.#slowIn = 0;
    for (const discovery of discoveries(plan)) emit.discovery(discovery);
    for (const warning of plan.warnings) this.#deps.logger?.info({ pdu: this.#config.name }, warning);
    return plan;
  }

  /** `again`: a PDU whose clock runs backwards at every answer is not discovered for ever in one poll. */
  async #readFast(emit: Emit, plan: PduPlan, again = true): Promise<void> {
    const planned = plan.cells.filter((cell) => cell.poll === 'fast');
    const [uptime, ...values] = await this.#requests.get([SYS_UP_TIME, ...planned.map((cell) => cell.oid)]);
    if (this.#checkRestart(rawNumber(uptime?.value)) && again) {
      return this.#readFast(emit, await this.#discover(emit), false);
    }
    const fast = decodeCells(plan, planned, values);
    const suspects = this.#watch.suspects(fast);
    const outlets = plan.cells.filter((cell) => cell.poll === 'slow' && suspects.has(componentText(cell.component)));
    const cells = outlets.length === 0 ? fast : [...fast, ...(await readCells(this.#requests, plan, outlets))];
    this.#emit(emit, cells);
  }

  /** At least one batch a poll while some are due, more while time is left before the next poll. */
  async #readSlow(emit: Emit, plan: PduPlan, nextDue: number): Promise<void> {
    if (this.#slowIn-- <= 0 && this.#slow.length === 0) {
      this.#slow = plan.cells.filter((cell) => cell.poll === 'slow');
      this.#slowIn = SLOW_EVERY - 1;
    }
    while (this.#slow.length > 0) {
      const startedMs = performance.now();
      const batch = this.#slow.slice(0, SLOW_BATCH);
      // Taken out first: what fails is tried again when the slow set is due again, not at every poll.
      this.#slow = this.#slow.slice(batch.length);
      const cells = await readCells(this.#requests, plan, batch);
      this.#emit(emit, cells);
      const now = performance.now();
      if (now + (now - startedMs) > nextDue) return;
    }
  }

  #emit(emit: Emit, cells: readonly PduCell[]): void {
    if (this.#stop.signal.aborted) return;
    const samples = samplesOf(cells);
    if (samples) emit.samples(samples);
    this.#voltage ||= samples?.keys.some((key) => key.endsWith('#voltage')) === true;
    for (const event of this.#watch.observe(cells, this.#deps.now())) emit.event(event);
  }

  /** True when the device restarted since the last poll: its tables may be others now. */
  #checkRestart(uptime: number | null): boolean {
    const before = this.#uptime;
    if (uptime !== null) this.#uptime = uptime;
    if (uptime === null || before === null || uptime >= before || before > WRAP_ZONE) return false;
    this.#deps.logger?.warn(
      { pdu: this.#config.name, uptime_s: uptime / 100 },
      'the PDU restarted; it is discovered anew',
    );
    this.#plan = null;
    return true;
  }

  #succeeded(emit: Emit): void {
    const nowMs = this.#deps.now();
    if (this.#unreachable && !this.#stop.signal.aborted) {
      const times = { afterMs: this.#lastFailedMs, timeMs: nowMs, observedMs: nowMs };
      emit.event(
        pduEvent('power.feed_unreachable', 'clear', this.#pdu, times, `${componentText(this.#pdu)} answers again`),
      );
    }
    if (this.#error) this.#deps.logger?.info({ pdu: this.#config.name }, 'the PDU answers again');
    this.#unreachable = false;
    this.#failures = 0;
    this.#error = null;
    this.#mistake = null;
    this.#lastGoodMs = nowMs;
  }

  #mistaken(emit: Emit, cause: unknown): void {
    this.#mistake = `FL2610 its answers cannot be taken: ${cause instanceof Error ? cause.message : String(cause)}`;
    emit.failed?.(cause);
  }

  #failed(emit: Emit, error: SnmpError, startedMs: number): void {
    if (this.#failures === 0) {
      // The slow set of a poll whose fast set was good may be what fails first.
      this.#firstFailedMs = Math.max(startedMs, this.#lastGoodMs ?? startedMs);
      this.#firstNoticedMs = this.#deps.now();
    }
    this.#failures += 1;
    this.#lastFailedMs = startedMs;
    if (this.#error?.fault !== error.fault) {
      this.#deps.logger?.warn({ pdu: this.#config.name, code: error.code }, error.message);
    }
    this.#error = error;
    // A device that never answered has not stopped answering: health says why it is silent.
    if (this.#failures < UNREACHABLE_AFTER || this.#unreachable || this.#lastGoodMs === null) return;
    this.#unreachable = true;
    const times = { afterMs: this.#lastGoodMs, timeMs: this.#firstFailedMs, observedMs: this.#deps.now() };
    emit.event(
      pduEvent('power.feed_unreachable', 'onset', this.#pdu, times, error.message, {
        interval: { earliestMs: this.#lastGoodMs, latestMs: this.#firstNoticedMs },
        attributes: { failed_polls: this.#failures, code: error.code },
      }),
    );
  }
}

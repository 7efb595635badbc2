// Polls one BMC for ever: what power shows in at each interval, the rest in the time between, back-off while it is silent.

import { setTimeout as sleep } from 'node:timers/promises';
import { componentText } from '../../model/component.ts';
import type { Emit } from '../../model/record.ts';
import type { SourceCounts, SourceHealth } from '../source.ts';
import { ofPart, type TimedPart } from './decode/parts.ts';
import { discoverBmc } from './discover.ts';
import { discoveriesOf, showsSupplies, summaryOf } from './discoveries.ts';
import { RedfishClient } from './http/client.ts';
import { RedfishError } from './http/redfish-error.ts';
import type { BmcPlan, Reading } from './plan.ts';
import { type ReadResult, readOne } from './read.ts';
import { samplesOf } from './readings.ts';
import type { BmcSettings } from './settings.ts';
import { Edges } from './watch/bmc-event.ts';
import { BmcClock, offsetSeconds } from './watch/clock.ts';
import { HostWatch } from './watch/host-watch.ts';
import { Reachability } from './watch/reachability.ts';
import { SupplyWatch } from './watch/supply-watch.ts';

/** The slow set is due every so many polls. */
const SLOW_EVERY = 3;
/** A BMC is left alone for as long as it took to answer. */
const REST = 2;
const LONGEST_BACKOFF_MS = 120_000;
const DAY_MS = 86_400_000;
/** Something that was there is gone: looked for anew, though not more often than this. */
const REDISCOVER_MS = 300_000;

export interface BmcPollerDeps {
  /** Steady epoch ms, for the times of samples. */
  readonly now: () => number;
  readonly logger?: {
    info(fields: object, text: string): void;
    warn(fields: object, text: string): void;
  };
}

export class BmcPoller {
  readonly #config: BmcSettings;
  readonly #deps: BmcPollerDeps;
  readonly #client: RedfishClient;
  readonly #stop = new AbortController();
  readonly #clock = new BmcClock();
  readonly #supplies: SupplyWatch;
  readonly #hosts: HostWatch;
  readonly #reach: Reachability;
  #plan: BmcPlan | null = null;
  #plannedMs = 0;
  #stale = false;
  #slow: Reading[] = [];
  #slowIn = 0;
  #firmware: string | null = null;
  #latest: readonly TimedPart[] = [];
  #mistake: string | null = null;
  readonly #discovered = new Set<string>();
  readonly #polls = { answered: 0, failed: 0, seconds: 0 };

  constructor(config: BmcSettings, deps: BmcPollerDeps) {
    this.#config = config;
    this.#deps = deps;
    this.#client = new RedfishClient(config, deps.now);
    const edges = new Edges();
    this.#supplies = new SupplyWatch(config.host, edges);
    this.#hosts = new HostWatch(config.host, edges);
    this.#reach = new Reachability(config.host, this.#client.peer.url);
  }

  /** Runs until `stop`; never rejects. */
  async run(emit: Emit, delayMs: number): Promise<void> {
    let due = performance.now() + delayMs;
    while (await this.#waitUntil(due)) {
      const startedMs = performance.now();
      await this.#poll(emit, startedMs + this.#config.intervalMs);
      const tookMs = performance.now() - startedMs;
      this.#polls[this.#reach.failures > 0 ? 'failed' : 'answered'] += 1;
      this.#polls.seconds += tookMs / 1000;
      due = Math.max(due + this.#config.intervalMs, startedMs + REST * tookMs);
      if (this.#reach.failures > 0) due = performance.now() + this.#backoff();
    }
  }

  /** Resolves within a second, with the session ended on the BMC where that is possible. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#client.close();
  }

  counts(): SourceCounts {
    const { answered, failed, seconds } = this.#polls;
    return { source: `bmc/${this.#config.host}`, reads: answered, failures: failed, readSeconds: seconds };
  }

  health(): SourceHealth {
    const source = `bmc/${this.#config.host}`;
    const { error } = this.#reach;
    if (this.#mistake !== null) return { source, status: 'failed', detail: this.#mistake, remedy: null };
    if (error !== null) {
      const status = error.fault === 'forbidden' || error.fault === 'credentials' ? 'no_permission' : 'failed';
      return { source, status, detail: error.message, remedy: error.remedy };
    }
    if (this.#plan === null || !this.#reach.wasGood) {
      return { source, status: 'absent', detail: 'starting: not read yet', remedy: null };
    }
    const detail = summaryOf(this.#plan, this.#latest, offsetSeconds(this.#clock.offset));
    if (showsSupplies(this.#latest)) return { source, status: 'works', detail, remedy: null };
    const missing = `${detail}; it shows no power supply, so that nothing is known between feed and host`;
    const remedy =
      'let its user read Chassis/…/PowerSubsystem and Power, or name the BMC of the chassis that holds the supplies';
    return { source, status: 'partial', detail: missing, remedy };
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
    const doubled = this.#config.intervalMs * 2 ** Math.min(16, Math.max(0, this.#reach.failures - 3));
    return Math.max(Math.min(longest, doubled), this.#reach.error?.retryAfterMs ?? 0);
  }

  async #poll(emit: Emit, nextDue: number): Promise<void> {
    const startedMs = this.#deps.now();
    this.#client.beginLook();
    try {
      const plan = await this.#planned(startedMs);
      this.#client.beginLook();
      const fast: ReadResult[] = [];
      for (const planned of plan.fast) fast.push(await this.#read(plan, planned));
      if (this.#stop.signal.aborted) return;
      this.#take(emit, plan, fast);
      await this.#readSlow(emit, plan, nextDue);
      if (this.#stop.signal.aborted) return;
      this.#mistake = null;
      const { event, text } = this.#reach.succeeded(this.#deps.now());
      if (event !== null) emit.event(event);
      if (text !== null) this.#deps.logger?.info({ bmc: this.#config.host }, text);
    } catch (cause) {
      if (this.#stop.signal.aborted) return;
      if (!(cause instanceof RedfishError)) {
        // Not an answer of the device but a mistake of ours: it is not reported as the device's.
        this.#mistake = `FL2610 its answers cannot be taken: ${cause instanceof Error ? cause.message : String(cause)}`;
        emit.failed?.(cause);
        return;
      }
      const error = cause;
      const { event, text } = this.#reach.failed(error, startedMs, this.#deps.now());
      if (event !== null) emit.event(event);
      if (text !== null) this.#deps.logger?.warn({ bmc: this.#config.host, code: error.code }, text);
    }
  }

  async #planned(nowMs: number): Promise<BmcPlan> {
    const old = nowMs - this.#plannedMs > DAY_MS || (this.#stale && nowMs - this.#plannedMs > REDISCOVER_MS);
    if (this.#plan !== null && !old) return this.#plan;
    const plan = await discoverBmc(this.#client, { gpus: false });
    this.#plannedMs = nowMs;
    this.#stale = false;
    this.#plan = plan;
    this.#firmware = plan.identity.firmware;
    this.#slow = [];
    this.#slowIn = 0;
    for (const warning of plan.warnings) this.#deps.logger?.info({ bmc: this.#config.host }, warning);
    return plan;
  }

  async #read(plan: BmcPlan, planned: Reading): Promise<ReadResult> {
    const result = await readOne(this.#client, plan, planned);
    for (const { dateMs, sentMs, receivedMs } of result.resources) {
      if (dateMs !== null) this.#clock.observe(dateMs, sentMs, receivedMs);
      else if (result.manager?.dateTimeMs) this.#clock.observe(result.manager.dateTimeMs, sentMs, receivedMs);
    }
    this.#stale ||= result.gap;
    const firmware = result.manager?.firmware ?? null;
    if (firmware !== null && this.#firmware !== null && firmware !== this.#firmware) this.#plannedMs = 0;
    return result;
  }

  /** At least one a poll while some are due, more while time is left before the next poll. */
  async #readSlow(emit: Emit, plan: BmcPlan, nextDue: number): Promise<void> {
    if (this.#slowIn-- <= 0 && this.#slow.length === 0) {
      this.#slow = [...plan.slow];
      this.#slowIn = SLOW_EVERY - 1;
    }
    let planned = this.#slow.shift();
    while (planned !== undefined && !this.#stop.signal.aborted) {
      const startedMs = performance.now();
      this.#take(emit, plan, [await this.#read(plan, planned)]);
      const now = performance.now();
      if (now + (now - startedMs) > nextDue) return;
      planned = this.#slow.shift();
    }
  }

  #take(emit: Emit, plan: BmcPlan, results: readonly ReadResult[]): void {
    if (this.#stop.signal.aborted) return;
    const parts = results.flatMap((result) => result.parts);
    this.#latest = [...this.#latest.filter((old) => !parts.some(({ part }) => part === old.part)), ...parts];
    this.#discover(emit, plan);
    const { host } = this.#config;
    const samples = samplesOf(host, parts);
    if (samples !== null) emit.samples(samples);
    const nowMs = this.#deps.now();
    const offset = offsetSeconds(this.#clock.offset);
    const events = [
      ...this.#supplies.observe(ofPart(parts, 'supply'), nowMs, ({ conditions }) =>
        conditions.flatMap(({ stampMs }) => {
          const ours = stampMs === null ? null : this.#clock.toOurs(stampMs);
          return ours === null ? [] : [ours];
        }),
      ),
      ...this.#hosts.observe(parts, nowMs),
    ];
    for (const event of events) {
      emit.event(
        offset === null ? event : { ...event, attributes: { ...event.attributes, bmc_clock_offset_s: offset } },
      );
    }
  }

  /** Tells each component once. */
  #discover(emit: Emit, plan: BmcPlan): void {
    const found = discoveriesOf(this.#config.host, plan, this.#latest);
    for (const discovery of found) {
      const name = componentText(discovery.component);
      if (this.#discovered.has(name)) continue;
      this.#discovered.add(name);
      emit.discovery(discovery);
    }
  }
}

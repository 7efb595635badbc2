// One BMC: what power shows in at each look, its logs and the rest in the time between, discovered again when something is gone.

import { componentText } from '../../model/component.ts';
import type { Emit, EventInput } from '../../model/record.ts';
import type { Device, Look, Pace, PollerDeps } from '../devices/poller.ts';
import type { ReachChange } from '../devices/reachability.ts';
import type { SourceHealth } from '../source.ts';
import type { BmcPlan, Reading } from './bmc-plan.ts';
import { hostComponent } from './components.ts';
import { ofPart, type Supply, type TimedPart } from './decode/parts.ts';
import { discoverBmc } from './discover.ts';
import { discoveriesOf, missingOf, outletsOf, showsSupplies, summaryOf } from './discoveries.ts';
import { RedfishClient } from './http/client.ts';
import { EventStream } from './http/event-stream.ts';
import type { RedfishTransport } from './http/transport.ts';
import { knownParts } from './log/known-parts.ts';
import { LogWatch } from './log/log-watch.ts';
import type { BmcMemory } from './memory/bmc-memory.ts';
import { BmcRecord } from './memory/bmc-record.ts';
import { mergeSupplies } from './merge-supplies.ts';
import { type ReadResult, readOne } from './read-resources.ts';
import { samplesOf } from './readings.ts';
import type { BmcSettings } from './settings.ts';
import { bmcEvent, Edges } from './watch/bmc-event.ts';
import { BmcClock, offsetSeconds } from './watch/clock.ts';
import { ClockWatch } from './watch/clock-watch.ts';
import { CoolingWatch } from './watch/cooling-watch.ts';
import { GpuWatch } from './watch/gpu-watch.ts';
import { HostWatch } from './watch/host-watch.ts';
import { isOpenIn } from './watch/open-conditions.ts';
import { SupplyWatch } from './watch/supply-watch.ts';

/** The slow set is due every so many polls, and GPUs are in every other one. */
const SLOW_EVERY = 3;
const GPUS_EVERY = 2;
/** A BMC is left alone for as long as it took to answer. */
const REST = 2;
const LONGEST_PAUSE_MS = 120_000;
const DAY_MS = 86_400_000;
/** Something that was there is gone: looked for again, though not more often than this. */
const REDISCOVER_MS = 300_000;

export interface BmcDeps extends PollerDeps {
  /** Hears which supplies are in the bays of a host, when all of them were read. */
  readonly onSupplies?: (host: string, supplies: readonly Supply[]) => void;
  /** What earlier runs left; left out, nothing is remembered. */
  readonly memory?: BmcMemory;
  /** Polls the device of this name at once. */
  readonly wake?: (name: string) => void;
}

export class Bmc implements Device {
  readonly name: string;
  readonly what = 'BMC';
  readonly logFields: object;
  readonly pace: Pace;
  readonly #config: BmcSettings;
  readonly #deps: BmcDeps;
  readonly #client: RedfishClient;
  readonly #clock = new BmcClock();
  readonly #supplies: SupplyWatch;
  readonly #hosts: HostWatch;
  readonly #cooling: CoolingWatch;
  readonly #clockWatch: ClockWatch;
  readonly #gpus: GpuWatch;
  readonly #logs: LogWatch;
  readonly #stream: EventStream;
  #plan: BmcPlan | null = null;
  #plannedMs = 0;
  #stale = false;
  #slow: Reading[] = [];
  #slowIn = 0;
  #slowTurns = 0;
  #firmware: string | null = null;
  #latest: readonly TimedPart[] = [];
  readonly #discovered = new Set<string>();

  /** `transport`: left out, the network. */
  constructor(config: BmcSettings, deps: BmcDeps, transport?: RedfishTransport) {
    this.#config = config;
    this.#deps = deps;
    const record = deps.memory?.of(config.url) ?? new BmcRecord();
    this.#client = new RedfishClient(config, deps.now, { transport, record });
    const edges = new Edges();
    this.#gpus = new GpuWatch(config.host, edges);
    this.#logs = new LogWatch({
      host: config.host,
      record,
      now: deps.now,
      toOurs: (stampMs) => this.#clock.toOurs(stampMs),
      parts: () => knownParts(this.#plan, this.#latest),
      isOpen: (meaning) => isOpenIn(edges, meaning),
      answered: (stampMs, sentMs, receivedMs) => this.#clock.observe(stampMs, sentMs, receivedMs),
    });
    const onEvents = (): void => deps.wake?.(this.name);
    this.#stream = new EventStream(config, { record, now: deps.now, onEvents });
    this.#supplies = new SupplyWatch(config.host, edges);
    this.#hosts = new HostWatch(config.host, edges);
    this.#cooling = new CoolingWatch(config.host, edges);
    this.#clockWatch = new ClockWatch(config.host, edges);
    this.name = `bmc/${config.host}`;
    this.logFields = { bmc: config.host };
    const { intervalMs } = config;
    this.pace = { intervalMs, rest: REST, pauseFrom: 1, doublesAfter: 3, longestPauseMs: LONGEST_PAUSE_MS };
  }

  async look(look: Look): Promise<void> {
    try {
      await this.#look(look);
    } catch (error) {
      // It sent something and does not answer the poll that was to bear it out: its last word.
      this.#send(look.emit, look.signal, this.#logs.sent(this.#stream.take(), 'events'));
      throw error;
    }
  }

  async #look({ emit, signal, startedMs, nextDue }: Look): Promise<void> {
    await this.#deps.memory?.read();
    this.#client.beginLook();
    const before = this.#firmware;
    const plan = await this.#planned(startedMs);
    const update = this.#update(before);
    if (update !== null && !signal.aborted) emit.event(update);
    this.#client.beginLook();
    const fast: ReadResult[] = [];
    for (const planned of plan.fast) fast.push(await this.#read(plan, planned));
    if (signal.aborted) return;
    const happened = this.#take(emit, plan, fast);
    const sent = this.#stream.take();
    this.#send(emit, signal, this.#logs.sent(sent, 'events'));
    if (happened || sent.length > 0) this.#logs.hurry();
    this.#send(emit, signal, await this.#logs.read(this.#client, signal));
    await this.#readSlow(plan, emit, signal, nextDue);
    if (!signal.aborted && this.#config.push !== false) {
      this.#stream.ensure(plan.stream, await this.#client.credentials());
    }
  }

  /** Resolves within a second, with the session ended on the BMC where that is possible. */
  async close(): Promise<void> {
    this.#stream.close();
    await this.#client.close();
  }

  health(): Omit<SourceHealth, 'source'> | null {
    if (this.#plan === null) return null;
    const detail = summaryOf(this.#plan, this.#latest, offsetSeconds(this.#clock.offset));
    const notes = [
      ...missingOf(this.#plan, this.#latest),
      ...outletsOf(this.#config.host, this.#latest),
      ...(this.#stream.note === null ? [] : [this.#stream.note]),
    ];
    const own = this.#plan.units.some(({ unit }) => unit === '');
    if (own || showsSupplies(this.#latest)) return { status: 'works', detail, remedy: null, notes };
    const missing = `${detail}; it shows no power supply, so that nothing is known between feed and host`;
    const remedy =
      'let its user read Chassis/…/PowerSubsystem and Power, or name the BMC of the chassis that holds the supplies';
    return { status: 'partial', detail: missing, remedy, notes };
  }

  /** A silent BMC is a failed source, which says nothing about the host's power. */
  reachEvent(change: ReachChange, observedMs: number): EventInput {
    const { edge, afterMs, timeMs } = change;
    const failed = edge === 'onset' ? { failed_polls: change.failures, code: change.error.code } : {};
    return bmcEvent({
      kind: 'agent.source_failed',
      component: hostComponent(this.#config.host),
      severity: 'info',
      change: { edge, afterMs, timeMs },
      observedMs,
      text: edge === 'onset' ? change.error.message : `${this.#client.peer.url} answers again`,
      attributes: { ...failed, failed_source: this.name },
    });
  }

  async #planned(nowMs: number): Promise<BmcPlan> {
    const old = nowMs - this.#plannedMs > DAY_MS || (this.#stale && nowMs - this.#plannedMs > REDISCOVER_MS);
    if (this.#plan !== null && !old) return this.#plan;
    const plan = await discoverBmc(this.#client, {
      gpus: 'throttling',
      logs: this.#config.logs !== false,
    });
    this.#logs.plan(plan.logs);
    this.#stream.rediscovered();
    this.#plannedMs = nowMs;
    this.#stale = false;
    this.#plan = plan;
    this.#firmware = plan.identity.firmware;
    this.#slow = [];
    this.#slowIn = 0;
    for (const warning of plan.warnings) this.#deps.logger?.info(this.logFields, warning);
    return plan;
  }

  /** Another firmware than before: it was updated, and explains for a while what the BMC reads wrongly or not at all. */
  #update(before: string | null): EventInput | null {
    const after = this.#firmware;
    if (before === null || after === null || before === after) return null;
    const nowMs = this.#deps.now();
    const text = `${this.#client.peer.url}: firmware ${before} → ${after}`;
    return {
      kind: 'firmware.updated',
      component: hostComponent(this.#config.host),
      timeMs: nowMs,
      observedMs: nowMs,
      trust: 'bmc',
      source: 'bmc',
      attributes: { part: 'bmc', before, after },
      state: 'point',
      evidence: [{ source: 'bmc', timeMs: nowMs, text }],
      discriminator: `firmware ${before} ${after}`,
    };
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
  async #readSlow(plan: BmcPlan, emit: Emit, signal: AbortSignal, nextDue: number): Promise<void> {
    if (this.#slowIn-- <= 0 && this.#slow.length === 0) {
      this.#slow = this.#slowTurns++ % GPUS_EVERY === 0 ? [...plan.slow, ...plan.gpus] : [...plan.slow];
      this.#slowIn = SLOW_EVERY - 1;
    }
    let planned = this.#slow.shift();
    while (planned !== undefined && !signal.aborted) {
      const startedMs = performance.now();
      const result = await this.#read(plan, planned);
      if (signal.aborted) return;
      this.#take(emit, plan, [result]);
      const now = performance.now();
      if (now + (now - startedMs) > nextDue) return;
      planned = this.#slow.shift();
    }
  }

  /** True where something happened. */
  #take(emit: Emit, plan: BmcPlan, results: readonly ReadResult[]): boolean {
    const parts = mergeSupplies(results.flatMap((result) => result.parts));
    this.#latest = [...this.#latest.filter((old) => !parts.some(({ part }) => part === old.part)), ...parts];
    this.#discover(emit, plan);
    const { host } = this.#config;
    const samples = samplesOf(host, parts);
    if (samples !== null) emit.samples(samples);
    const supplies = ofPart(parts, 'supply');
    if (supplies.length > 0 && !results.some(({ gap }) => gap)) this.#deps.onSupplies?.(host, supplies);
    const nowMs = this.#deps.now();
    const events = [
      ...this.#supplies.observe(supplies, nowMs, ({ conditions }) =>
        conditions.flatMap(({ stampMs }) => {
          const ours = stampMs === null ? null : this.#clock.toOurs(stampMs);
          return ours === null ? [] : [ours];
        }),
      ),
      ...this.#hosts.observe(parts, nowMs),
      ...this.#cooling.observe(parts, nowMs),
      ...this.#gpus.observe(ofPart(parts, 'gpu'), nowMs),
    ];
    for (const event of this.#clockWatch.observe(offsetSeconds(this.#clock.offset), nowMs)) emit.event(event);
    this.#send(emit, null, events);
    return events.length > 0;
  }

  #send(emit: Emit, signal: AbortSignal | null, events: readonly EventInput[]): void {
    if (signal?.aborted === true) return;
    const offset = offsetSeconds(this.#clock.offset);
    for (const event of events) {
      emit.event(
        offset === null ? event : { ...event, attributes: { ...event.attributes, bmc_clock_offset_s: offset } },
      );
    }
  }

  /** Reports each component once. */
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

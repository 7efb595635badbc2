// One PDU: fast objects at each look, slow ones in the time between, discovered again after it restarted.

import { type Component, componentText } from '../../model/component.ts';
import type { Emit, EventInput } from '../../model/record.ts';
import type { Device, Look, Pace, PollerDeps } from '../devices/poller.ts';
import type { ReachChange } from '../devices/reachability.ts';
import type { SourceHealth } from '../source.ts';
import { cannotShow } from './cannot-show.ts';
import { rawNumber } from './decode.ts';
import { discoverPdu, SYS_UP_TIME } from './discover.ts';
import { FirstAnswers } from './first-answers.ts';
import { headroomOf } from './headroom.ts';
import { firmwareUpdate, pduEvent } from './pdu-event.ts';
import { discoveries, type PduPlan, type PlannedCell, planSummary } from './pdu-plan.ts';
import { decodeCells, oidsOf, type PduCell, readCells, samplesOf, together } from './read-cells.ts';
import { SnmpRequests } from './request.ts';
import { type PduSession, SnmpSession } from './session.ts';
import type { PduSettings } from './settings.ts';
import { SlowSet } from './slow-set.ts';
import { PendingTraps } from './traps/pending-traps.ts';
import type { Trap } from './traps/trap.ts';
import { PduWatch } from './watch.ts';

const LONGEST_PAUSE_MS = 30_000;
/** Before a PDU of which a table could not be read is discovered again. */
const REDISCOVER_MS = 600_000;
/** sysUpTime wraps at 2^32 hundredths of a second; a fall from near there is no restart. */
const WRAP_ZONE = 2 ** 32 - 360_000;

export interface PduDeps extends PollerDeps {
  /** Polls the device of this name at once, and at the earliest a second after the last poll began. */
  readonly wake?: (name: string) => void;
}

/** What is asked for at each look. */
interface FastSet {
  readonly plan: PduPlan;
  readonly cells: readonly PlannedCell[];
  /** How long it runs, first, and what `cells` needs. */
  readonly oids: readonly string[];
}

function fastSet(plan: PduPlan): FastSet {
  const cells = plan.cells.filter(({ poll }) => poll === 'fast');
  return { plan, cells, oids: [SYS_UP_TIME, ...oidsOf(cells)] };
}

export class Pdu implements Device {
  readonly name: string;
  readonly what = 'PDU';
  readonly logFields: object;
  readonly pace: Pace;
  readonly #config: PduSettings;
  readonly #deps: PduDeps;
  readonly #requests: SnmpRequests;
  /** A PDU or a UPS: known once it was discovered. */
  #root: Component;
  /** As which it was reported unreachable. */
  #unreachable: Component | null = null;
  #plan: PduPlan | null = null;
  /** A voltage was read since the PDU was discovered: what a sag shows in. */
  #voltage = false;
  #watch = new PduWatch([]);
  readonly #first = new FirstAnswers();
  readonly #traps = new PendingTraps();
  #fast: FastSet | null = null;
  #slow = new SlowSet([]);
  /** Events of this look while traps wait for what it shows. */
  #held: EventInput[] = [];
  /** This look asked for another one. */
  #again = false;
  #uptime: number | null = null;
  #plannedMs = Number.NEGATIVE_INFINITY;
  /** Of the last discovery, over restarts of the device. */
  #identity: PduPlan['identity'] | null = null;
  /** When the last good look ended, epoch ms. */
  #goodMs: number | null = null;
  /** The last look was good to its end. */
  #good = true;
  #looked = false;

  constructor(config: PduSettings, deps: PduDeps, session: PduSession = new SnmpSession(config, deps.now)) {
    this.#config = config;
    this.#deps = deps;
    this.#requests = new SnmpRequests(session);
    this.#root = { type: 'pdu', id: config.name };
    this.name = componentText(this.#root);
    this.logFields = { pdu: config.name };
    const { intervalMs } = config;
    this.pace = { intervalMs, rest: 1, pauseFrom: 3, doublesAfter: 2, longestPauseMs: LONGEST_PAUSE_MS };
  }

  async look(look: Look): Promise<void> {
    const { emit, signal, nextDue } = look;
    if (!this.#good) this.#first.silence();
    if (!this.#good && this.#plan !== null) await this.#reconnect();
    this.#again = false;
    this.#good = false;
    const again = this.#plan?.partial === true && this.#deps.now() - this.#plannedMs > REDISCOVER_MS;
    this.#traps.begin();
    let believed: boolean;
    let plan = again ? null : this.#plan;
    try {
      plan ??= await this.#discover(emit, signal);
      believed = await this.#readFast(plan, look);
      if (believed && this.#traps.due) await this.#readStates(plan, look);
    } catch (error) {
      this.#trapsAlone(emit, signal);
      throw error;
    }
    look.answered();
    if (believed) await this.#readSlow(plan, emit, signal, nextDue);
    this.#good = true;
    this.#goodMs = this.#deps.now();
    this.#looked = true;
  }

  hasAddress(address: string): boolean {
    return this.#requests.session.hasAddress?.(address) ?? false;
  }

  /** It sent one: what it announces is held against the next poll. */
  trapped(trap: Trap): void {
    this.#traps.add(trap);
  }

  close(): void {
    this.#requests.session.close();
  }

  health(): Omit<SourceHealth, 'source'> | null {
    if (this.#plan === null) return null;
    const { foreign, peer } = this.#requests.session;
    const detail = planSummary(this.#plan);
    const notes = cannotShow(this.#plan).map((what) => `it shows ${what}`);
    if (this.#traps.unconfirmed > 0)
      notes.push(`${this.#traps.unconfirmed} traps announced what the poll after them did not show`);
    if (foreign > 0) notes.push(`${foreign} datagrams that did not come from ${peer.address} were left out`);
    if (this.#voltage || !this.#looked) return { status: 'works', detail, remedy: null, notes };
    const remedy =
      "let its community or user read the whole of the vendor's tree, or use a model that measures voltage";
    return { status: 'partial', detail: `${detail}; it shows no voltage, so that no sag is seen`, remedy, notes };
  }

  /** A PDU that does not answer says nothing about the power that it feeds. */
  reachEvent(change: ReachChange, observedMs: number): EventInput {
    const { edge, afterMs, timeMs } = change;
    const device = (edge === 'clear' ? this.#unreachable : null) ?? this.#root;
    this.#unreachable = edge === 'clear' ? null : device;
    const event = (text: string, more: Parameters<typeof pduEvent>[5] = {}) =>
      pduEvent('power.feed_unreachable', edge, device, { afterMs, timeMs, observedMs }, text, more);
    if (change.edge === 'clear') return event(`${this.name} answers again`);
    const { noticedMs, failures, error } = change;
    return event(error.message, {
      interval: { earliestMs: afterMs, latestMs: noticedMs },
      attributes: { failed_polls: failures, code: error.code },
    });
  }

  /** After silence: the first answer also synchronises a new session, so that samples are timed without it. */
  async #reconnect(): Promise<void> {
    const [uptime] = await this.#requests.get([SYS_UP_TIME]);
    this.#checkRestart(rawNumber(uptime?.value));
  }

  async #discover(emit: Emit, signal: AbortSignal): Promise<PduPlan> {
    const plan = await discoverPdu(this.#requests, this.#config.name);
    if (signal.aborted) return plan;
    const update = firmwareUpdate(this.#identity, plan, this.#goodMs, this.#deps.now());
    if (update !== null) emit.event(update);
    this.#identity = plan.identity;
    this.#plan = plan;
    this.#root = plan.parts[0]?.component ?? this.#root;
    this.#plannedMs = this.#deps.now();
    this.#voltage = false;
    this.#uptime = plan.uptime;
    this.#watch.restart(plan.parts);
    this.#slow = new SlowSet(plan.cells.filter(({ poll }) => poll === 'slow'));
    for (const discovery of discoveries(plan)) emit.discovery(discovery);
    for (const warning of plan.warnings) this.#deps.logger?.info(this.logFields, warning);
    return plan;
  }

  /**
   * False where what it read is not believed yet. `again`: a PDU whose clock runs backwards at every answer is discovered once
   * more in one look, not for ever.
   */
  async #readFast(plan: PduPlan, look: Look, again = true): Promise<boolean> {
    const { emit, signal } = look;
    this.#fast = this.#fast?.plan === plan ? this.#fast : fastSet(plan);
    const { cells: planned, oids } = this.#fast;
    const riders = this.#slow.riders(this.#requests.room(oids.length));
    const startedMs = performance.now();
    const values = await this.#requests.get(riders.length === 0 ? oids : [...oids, ...oidsOf(riders)]);
    this.#slow.answered(performance.now() - startedMs);
    const uptime = values[0];
    if (this.#checkRestart(rawNumber(uptime?.value)) && again) {
      return this.#readFast(await this.#discover(emit, signal), look, false);
    }
    const fast = decodeCells(plan, planned, values);
    const doubted = this.#first.doubts(fast, this.#deps.now());
    if (doubted) this.#slow.putBack(riders);
    if (doubted && this.#first.holds) return false;
    const suspects = this.#watch.suspects(fast);
    const isSuspect = (cell: PlannedCell): boolean =>
      cell.poll === 'slow' && suspects.has(componentText(cell.component));
    const outlets = suspects.size === 0 ? [] : plan.cells.filter(isSuspect);
    const cells = outlets.length === 0 ? fast : [...fast, ...(await readCells(this.#requests, plan, outlets))];
    if (doubted) {
      this.#first.hold(cells, this.#deps.now());
      this.#deps.logger?.info(this.logFields, 'the PDU reads zero everywhere after a silence: believed once it holds');
      return false;
    }
    this.#emit(emit, signal, this.#first.take());
    this.#emit(emit, signal, riders.length === 0 ? cells : [...cells, ...decodeCells(plan, riders, values)]);
    return true;
  }

  /** After a trap: the states that the slow set would show later. Traps that it does not bear out are dropped here. */
  async #readStates(plan: PduPlan, { emit, signal }: Look): Promise<void> {
    const states = plan.cells.filter((cell) => cell.poll === 'slow' && cell.column.is !== 'reading');
    const cells = states.length === 0 ? [] : await readCells(this.#requests, plan, states);
    if (signal.aborted) return;
    const observedMs = this.#deps.now();
    const events = [...this.#held, ...this.#watch.observe(cells, observedMs)];
    this.#held = [];
    for (const event of this.#traps.reconcile(plan, events, true, observedMs)) emit.event(event);
  }

  /** The device does not answer the poll after its traps: they are the last that it said. */
  #trapsAlone(emit: Emit, signal: AbortSignal): void {
    const held = this.#held.splice(0);
    if (signal.aborted) return;
    const events = this.#plan === null ? held : this.#traps.reconcile(this.#plan, held, false, this.#deps.now());
    for (const event of events) emit.event(event);
  }

  /** At least one batch a poll while some are due that find no room elsewhere, more while time is left before the next poll. */
  async #readSlow(plan: PduPlan, emit: Emit, signal: AbortSignal, nextDue: number): Promise<void> {
    this.#slow.turn();
    const room = this.#requests.room(this.#fast?.oids.length ?? 0);
    let batch = this.#slow.batch(room);
    while (batch.length > 0) {
      const startedMs = performance.now();
      const cells = await readCells(this.#requests, plan, batch);
      this.#slow.answered(0);
      this.#emit(emit, signal, cells);
      const now = performance.now();
      if (now + (now - startedMs) > nextDue) return;
      batch = this.#slow.batch(room);
    }
  }

  #emit(emit: Emit, signal: AbortSignal, cells: readonly PduCell[]): void {
    if (signal.aborted || cells.length === 0) return;
    // One batch: each goes through all detectors at once.
    const samples = together(samplesOf(cells), headroomOf(this.#plan, cells));
    if (samples) emit.samples(samples);
    this.#voltage ||= samples?.keys.some((key) => key.endsWith('#voltage')) === true;
    const sudden = this.#watch.isSudden(cells);
    const events = this.#watch.observe(cells, this.#deps.now());
    // What fell so far from one poll to the next is looked at again as soon as may be, and not after a whole interval.
    if (sudden && !this.#again) this.#deps.wake?.(this.name);
    this.#again ||= sudden;
    // Traps that announced them are joined to them once the rest is read.
    if (this.#traps.due) this.#held.push(...events);
    else for (const event of events) emit.event(event);
  }

  /** True when the device restarted since the last poll: its tables may be others now. */
  #checkRestart(uptime: number | null): boolean {
    const before = this.#uptime;
    if (uptime !== null) this.#uptime = uptime;
    if (uptime === null || before === null || uptime >= before || before > WRAP_ZONE) return false;
    this.#deps.logger?.warn({ ...this.logFields, uptime_s: uptime / 100 }, 'the PDU restarted; it is discovered again');
    this.#plan = null;
    this.#first.silence();
    return true;
  }
}

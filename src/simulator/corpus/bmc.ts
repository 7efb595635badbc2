// The BMC of an accuracy run: the readings of its supplies, fans and limits, through the real watches of the BMC source.

import type { TimedPart } from '../../sources/bmc/decode/parts.ts';
import { isTemperature } from '../../sources/bmc/decode/thermal.ts';
import { bmcEvent, Edges } from '../../sources/bmc/watch/bmc-event.ts';
import { HostWatch } from '../../sources/bmc/watch/host-watch.ts';
import { SupplyWatch } from '../../sources/bmc/watch/supply-watch.ts';
import {
  type BmcState,
  FAN_LOWEST_RPM,
  INLET_CRITICAL_C,
  isRedundant,
  SUPPLY_WATTS,
  supplyHealth,
  supplyReadings,
} from '../bmc/state.ts';
import { setBmcState, usualBmcState } from '../rack/bmc.ts';
import { type Actor, inForce, poll, type Stage } from './stage.ts';

/** An answer takes this long. */
const ANSWER_MS = 120;
const UNREACHABLE_AFTER = 3;

export class Bmc implements Actor {
  readonly #stage: Stage;
  #supplies: SupplyWatch;
  #host: HostWatch;
  readonly #random;
  #failures = 0;
  #firstFailedMs = 0;
  #lastFailedMs = 0;
  #lastGoodMs: number | null = null;

  constructor(stage: Stage) {
    const { name } = stage.plan.world.host;
    this.#stage = stage;
    this.#random = stage.random('bmc');
    const edges = new Edges();
    this.#supplies = new SupplyWatch(name, edges);
    this.#host = new HostWatch(name, edges);
  }

  start(): void {
    const { host, pollMs } = this.#stage.plan.world;
    if (host.bmc === null) return;
    this.#find();
    const usual = usualBmcState(host.bmc);
    poll(this.#stage, 'bmc', pollMs.bmc, (now) => this.#look(usual, now));
  }

  restart(): void {
    const { name } = this.#stage.plan.world.host;
    const edges = new Edges();
    this.#supplies = new SupplyWatch(name, edges);
    this.#host = new HostWatch(name, edges);
    this.#failures = 0;
    this.#lastGoodMs = null;
    this.#find();
  }

  #find(): void {
    const { host } = this.#stage.plan.world;
    if (host.bmc === null) return;
    const from = { type: 'host', id: host.name } as const;
    for (let supply = 1; supply <= host.bmc.supplies; supply += 1) {
      const component = { type: 'psu', id: `${host.name}/${supply}`, host: host.name } as const;
      const links = [{ from: component, to: from, relation: 'feeds', source: 'host' }] as const;
      this.#stage.emit.discovery({ component, links });
    }
  }

  #look(state: BmcState, sentMs: number): void {
    const { plan, inForce: changes, emit } = this.#stage;
    if (inForce(changes, 'bmc_silent').length > 0) {
      this.#failed(sentMs);
      return;
    }
    const timeMs = sentMs + ANSWER_MS;
    this.#answers(timeMs);
    setBmcState(plan.world, state, changes, this.#random, plan.jitter);
    const asked = { sentMs, timeMs };
    const parts = partsOf(state).map((part) => ({ ...part, ...asked }) as TimedPart); // a part and when it was asked for
    const supplies = parts.filter((part) => part.part === 'supply');
    for (const event of [...this.#supplies.observe(supplies, timeMs, () => []), ...this.#host.observe(parts, timeMs)])
      emit.event(event, ANSWER_MS);
  }

  #answers(nowMs: number): void {
    if (this.#failures >= UNREACHABLE_AFTER) this.#reach('clear', this.#lastFailedMs, nowMs, nowMs);
    this.#failures = 0;
    this.#lastGoodMs = nowMs;
  }

  #failed(nowMs: number): void {
    if (this.#failures === 0) this.#firstFailedMs = nowMs;
    this.#failures += 1;
    this.#lastFailedMs = nowMs;
    if (this.#failures === UNREACHABLE_AFTER && this.#lastGoodMs !== null)
      this.#reach('onset', this.#lastGoodMs, this.#firstFailedMs, nowMs);
  }

  #reach(edge: 'onset' | 'clear', afterMs: number, timeMs: number, observedMs: number): void {
    const { name } = this.#stage.plan.world.host;
    this.#stage.emit.event(
      bmcEvent({
        kind: 'agent.source_failed',
        component: { type: 'host', id: name },
        severity: 'info',
        change: { edge, afterMs, timeMs },
        observedMs,
        text: edge === 'onset' ? 'no answer' : 'answers again',
        attributes: { failed_source: `bmc/${name}` },
      }),
    );
  }
}

/** What an answer of a BMC with this state says. */
function partsOf(state: BmcState): object[] {
  const readings = supplyReadings(state);
  const redundant = isRedundant(state);
  return [
    ...state.supplies.map((supply, i) => {
      const { State, Health } = supplyHealth(supply);
      const reading = readings[i];
      return {
        part: 'supply',
        slot: String(i + 1),
        name: `PSU ${i + 1}`,
        state: State,
        health: Health,
        line: reading?.line ?? null,
        lineType: null,
        inputVoltage: reading?.inputVoltage ?? null,
        inputPower: reading?.inputWatts ?? null,
        outputPower: reading?.outputWatts ?? null,
        capacity: SUPPLY_WATTS,
        conditions: [],
      };
    }),
    ...(state.health ? [{ part: 'health', of: 'system', id: 'Node', rollup: state.health, powerState: 'On' }] : []),
    { part: 'power', watts: state.hostWatts },
    { part: 'limit', watts: state.limitWatts },
    {
      part: 'redundancy',
      name: 'PowerSupplies',
      health: redundant ? 'OK' : 'Warning',
      state: 'Enabled',
      mode: 'N+1',
      needed: 1,
      supported: state.supplies.length,
    },
    ...state.fans.map(({ rpm, failed }, i) => ({
      part: 'fan',
      slot: String(i + 1),
      name: `Fan ${i + 1}`,
      state: 'Enabled',
      health: failed ? 'Critical' : 'OK',
      rpm: failed ? 0 : rpm,
      percent: null,
      lowerCritical: FAN_LOWEST_RPM,
    })),
    ...[state.inletC].filter(isTemperature).map((celsius) => ({
      part: 'temperature',
      quantity: 'inlet_temperature',
      name: 'Inlet',
      celsius,
      health: celsius >= INLET_CRITICAL_C ? 'Critical' : 'OK',
      upperCritical: INLET_CRITICAL_C,
      upperCaution: INLET_CRITICAL_C - 4,
    })),
  ];
}

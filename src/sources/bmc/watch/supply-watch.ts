// Sees what happens to power supplies from poll to poll: input lost, failure, load that moved to another supply. No I/O.

import { componentText } from '../../../model/component.ts';
import type { EventInput } from '../../../model/record.ts';
import type { Interval } from '../../../model/time.ts';
import { supplyComponent } from '../components.ts';
import type { Asked, Supply } from '../decode/parts.ts';
import { saysInputLost } from '../decode/quirks.ts';
import { bmcEvent, type Change, type Edges } from './bmc-event.ts';

export type TimedSupply = Supply & Asked;

/** Below this no supply can work, and a sensor that reads it means no input. V. */
const DEAD_VOLTAGE = 20;
/** A supply that carried less than this carried nothing worth telling. W. */
const LEAST_LOAD = 20;
/** A supply that carries less than this share of before has dropped its load. */
const DROPPED = 0.1;
/** Load counts as taken when the others rose by this share of it; the host itself may draw less meanwhile. */
const TAKEN = 0.3;
/** Polls after which a new distribution of load is the usual one. */
const SETTLES_AFTER = 3;
/** Cold redundancy: the supply is well and carries nothing, by order of the platform. */
const STANDBY: readonly (string | null)[] = ['StandbySpare', 'StandbyOffline', 'Quiesced'];

export class SupplyWatch {
  readonly #host: string;
  readonly #edges: Edges;
  /** Input voltage of each supply while it was well. */
  readonly #volts = new Map<string, number>();
  /** Load of every supply when last nothing was wrong with any. */
  #shared = new Map<string, number>();
  /** Polls for which a supply has carried nothing that is not explained. */
  #unsettled = 0;
  #present = new Set<string>();
  /** Empty bays whose failure is that they are empty. */
  readonly #removed = new Set<string>();

  constructor(host: string, edges: Edges) {
    this.#host = host;
    this.#edges = edges;
  }

  observe(supplies: readonly TimedSupply[], observedMs: number, stamped: (supply: Supply) => Interval[]): EventInput[] {
    const events: EventInput[] = [];
    for (const supply of supplies) {
      const lost = inputLost(supply, supplies);
      const change = this.#edges.step(`input ${supply.slot}`, lost, supply);
      if (change !== null) events.push(this.#input(supply, narrowed(change, stamped(supply)), observedMs));
      else if (lost === false && supply.inputVoltage !== null) this.#volts.set(supply.slot, supply.inputVoltage);
      const failed = this.#edges.step(`failure ${supply.slot}`, this.#failed(supply, lost), supply);
      if (failed !== null) events.push(this.#failure(supply, narrowed(failed, stamped(supply)), observedMs));
      if (supply.state !== 'Absent') this.#present.add(supply.slot);
    }
    events.push(...this.#failover(supplies, observedMs));
    return events;
  }

  #input(supply: TimedSupply, change: Change, observedMs: number): EventInput {
    const component = supplyComponent(this.#host, supply.slot);
    const before = this.#volts.get(supply.slot) ?? null;
    const after = supply.inputVoltage;
    const shown = supply.line === null ? volts(after) : `line input ${supply.line}, ${volts(after)}`;
    const lost = change.edge === 'onset';
    if (!lost && after !== null) this.#volts.set(supply.slot, after);
    const numbers = lost && before !== null && after !== null && before > after;
    return bmcEvent({
      kind: 'psu.input_lost',
      component,
      change,
      observedMs,
      text: `${componentText(component)}: ${shown}; state ${supply.state ?? '-'}, health ${supply.health ?? '-'}`,
      attributes: {
        line_input: supply.line,
        ...(numbers ? { quantity: 'input_voltage', before, after, unit: 'V' } : {}),
      },
    });
  }

  /** Critical though its input is there; or gone though it was there. Null: its input explains it, or it is not known. */
  #failed(supply: TimedSupply, lost: boolean | null): boolean | null {
    if (supply.state === 'Absent') {
      if (this.#present.has(supply.slot)) this.#removed.add(supply.slot);
      return this.#present.has(supply.slot) ? true : null;
    }
    // The bay is filled: what is wrong with the supply in it begins with the next reading.
    if (this.#removed.delete(supply.slot)) return false;
    if (lost === true || STANDBY.includes(supply.state))
      return this.#edges.isOpen(`failure ${supply.slot}`) ? null : false;
    if (supply.state === 'UnavailableOffline' && supply.health !== 'OK' && supply.health !== null) return true;
    return supply.health === null ? null : supply.health === 'Critical';
  }

  #failure(supply: TimedSupply, change: Change, observedMs: number): EventInput {
    const component = supplyComponent(this.#host, supply.slot);
    const what = supply.state === 'Absent' ? 'removed' : `health ${supply.health ?? '-'}, state ${supply.state ?? '-'}`;
    const said = supply.conditions.map(({ text }) => text).join('; ');
    const text = `${componentText(component)}: ${what}${said === '' ? '' : ` (${said})`}`;
    const away = supply.state === 'Absent' ? { why: 'not_there', action: 'inspect_hardware' } : {};
    const attributes = { health: supply.health, state: supply.state, ...away };
    return bmcEvent({ kind: 'psu.failure', component, change, observedMs, text, attributes });
  }

  /** The load of a supply fell to nothing while that of the others rose. */
  #failover(supplies: readonly TimedSupply[], observedMs: number): EventInput[] {
    const loads = new Map(
      supplies.flatMap((one) => (loadOf(one) === null ? [] : [[one.slot, loadOf(one) ?? 0] as const])),
    );
    if (loads.size < 2 || loads.size < supplies.filter(({ state }) => state !== 'Absent').length) return [];
    const at: Asked = {
      sentMs: Math.min(...supplies.map(({ sentMs }) => sentMs)),
      timeMs: Math.max(...supplies.map(({ timeMs }) => timeMs)),
    };
    const events: EventInput[] = [];
    for (const supply of supplies) {
      const { slot } = supply;
      const now = loads.get(slot);
      const before = this.#shared.get(slot);
      if (now === undefined || STANDBY.includes(supply.state)) continue;
      const others = [...loads.keys()].filter((other) => other !== slot);
      const rise = others.reduce((sum, other) => sum + (loads.get(other) ?? 0) - (this.#shared.get(other) ?? 0), 0);
      const dropped = before !== undefined && before >= LEAST_LOAD && now <= DROPPED * before;
      const moved = dropped && rise >= TAKEN * before;
      const open = this.#edges.isOpen(`failover ${slot}`);
      // While it carries nothing the move lasts, whatever the host draws; not carrying alone is not a failover.
      const bad = moved || (open && now < LEAST_LOAD) ? true : now >= LEAST_LOAD ? false : null;
      const change = this.#edges.step(`failover ${slot}`, bad, at);
      if (change !== null) events.push(this.#moved(supply, change, before ?? null, now, others, loads, observedMs));
    }
    this.#settle(supplies, loads);
    return events;
  }

  /** Takes the loads as the usual ones, unless something is wrong or a supply went idle just now: the next poll tells. */
  #settle(supplies: readonly TimedSupply[], loads: ReadonlyMap<string, number>): void {
    const idle = supplies.some(({ slot, state }) => {
      const before = this.#shared.get(slot) ?? 0;
      return !STANDBY.includes(state) && before >= LEAST_LOAD && (loads.get(slot) ?? 0) <= DROPPED * before;
    });
    this.#unsettled = idle ? this.#unsettled + 1 : 0;
    const wrong = ['input ', 'failure ', 'failover '].some((kind) => this.#edges.any(kind));
    if (!wrong && (this.#unsettled === 0 || this.#unsettled > SETTLES_AFTER)) this.#shared = new Map(loads);
  }

  #moved(
    supply: TimedSupply,
    change: Change,
    before: number | null,
    after: number,
    others: readonly string[],
    loads: ReadonlyMap<string, number>,
    observedMs: number,
  ): EventInput {
    const component = supplyComponent(this.#host, supply.slot);
    const taker = others.toSorted((a, b) => this.#rise(loads, b) - this.#rise(loads, a))[0];
    const alsoBefore = taker === undefined ? undefined : this.#shared.get(taker);
    const alsoAfter = taker === undefined ? undefined : loads.get(taker);
    const onset = change.edge === 'onset';
    const also =
      onset && taker !== undefined && alsoBefore !== undefined && alsoAfter !== undefined
        ? {
            also_quantity: `psu_${taker}_load`,
            also_before: alsoBefore,
            also_after: alsoAfter,
            also_unit: 'W',
            taken_by: `psu/${this.#host}/${taker}`,
          }
        : {};
    const numbers = onset && before !== null ? { quantity: 'load', before, after, unit: 'W' } : {};
    const text = onset
      ? `${componentText(component)}: load ${before ?? '-'} → ${after} W; psu ${taker ?? '-'} ${alsoBefore ?? '-'} → ${alsoAfter ?? '-'} W`
      : `${componentText(component)}: carries ${after} W again`;
    return bmcEvent({ kind: 'psu.failover', component, change, observedMs, text, attributes: { ...numbers, ...also } });
  }

  #rise(loads: ReadonlyMap<string, number>, slot: string): number {
    return (loads.get(slot) ?? 0) - (this.#shared.get(slot) ?? 0);
  }
}

/** True: no usable input. False: it has one. Null: the BMC does not tell. */
export function inputLost(supply: Supply, all: readonly Supply[]): boolean | null {
  if (supply.state === 'Absent') return null;
  if (supply.line === 'LossOfInput' || supply.line === 'OutOfRange') return true;
  if (supply.line === 'Normal') return false;
  if (supply.health !== 'OK' && supply.conditions.some(({ text }) => saysInputLost(text))) return true;
  if (supply.inputVoltage !== null && supply.inputVoltage >= DEAD_VOLTAGE) return false;
  if (STANDBY.includes(supply.state)) return null;
  // A voltage is missing everywhere on boards that do not measure it; on one of several it is lost.
  const fed = all.some((other) => other !== supply && (other.inputVoltage ?? 0) >= DEAD_VOLTAGE);
  if (!fed) return null;
  if (supply.inputVoltage !== null) return true;
  // Offline with no voltage where the others have one: a supply that failed continues to read its input.
  if (supply.state === 'UnavailableOffline') return true;
  return supply.health === 'Critical' && (supply.lineType === null || supply.lineType === 'Unknown') ? true : null;
}

function loadOf(supply: Supply): number | null {
  return supply.outputPower ?? supply.inputPower;
}

function volts(value: number | null): string {
  return value === null ? 'input voltage not given' : `input ${value} V`;
}

/** What the BMC stamped itself bounds the change closer than two polls do, where both agree. */
function narrowed(change: Change, stamps: readonly Interval[]): Change {
  const afterMs = change.afterMs ?? Number.NEGATIVE_INFINITY;
  const inside = stamps.find(({ earliestMs, latestMs }) => latestMs >= afterMs && earliestMs <= change.timeMs);
  if (inside === undefined || change.edge === 'clear') return change;
  return {
    edge: change.edge,
    afterMs: Math.max(afterMs, inside.earliestMs),
    timeMs: Math.min(change.timeMs, inside.latestMs),
  };
}

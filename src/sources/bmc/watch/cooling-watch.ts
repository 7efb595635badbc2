// Sees what happens to coolant as a unit's own service, or a host's BMC, tells it: leaks, flow, supply temperature, pumps. No I/O.

import type { EventInput } from '../../../model/record.ts';
import { coolingComponent } from '../components.ts';
import { type Asked, type CoolantLoop, type Leak, ofPart, type Pump, type TimedPart } from '../decode/parts.ts';
import { bmcEvent, type Change, type Edges, type EventParts } from './bmc-event.ts';

type Timed<P> = P & Asked;

/** Readings in a row; what the device itself calls critical counts at once. */
const CONFIRM = 2;
/** Flow under this share of what the loop is rated for, or of the most that was seen of it, is lost: pumps do not turn down so far. */
const LOST = 0.1;
/** Over its limit by this share it flows again. */
const FLOWS = 1.05;
/** °C under its limit at which coolant counts as cool again. */
const COOLED = 2;

export class CoolingWatch {
  readonly #host: string;
  readonly #edges: Edges;
  /** Most flow seen, L/s, by loop. */
  readonly #most = new Map<string, number>();

  constructor(host: string, edges: Edges) {
    this.#host = host;
    this.#edges = edges;
  }

  observe(parts: readonly TimedPart[], observedMs: number): EventInput[] {
    const pumps = ofPart(parts, 'pump');
    return [
      ...ofPart(parts, 'leak').flatMap((part) => this.#leak(part, observedMs)),
      ...ofPart(parts, 'loop').flatMap((part) => [...this.#flow(part, observedMs), ...this.#supply(part, observedMs)]),
      ...pumps.flatMap((part) => this.#pump(part, pumps, observedMs)),
    ];
  }

  /** Critical is a leak; Warning is the trace of one, which a detector with two levels tells first. */
  #leak(part: Timed<Leak>, observedMs: number): EventInput[] {
    const { unit, slot, name, detector } = part;
    const known = detector !== null && LEVELS.includes(detector);
    return LEVELS.slice(1).flatMap((level) => {
      const change = this.#edges.step(
        `leak ${unit} ${slot} ${level}`,
        known ? detector === level : null,
        part,
        level === 'Critical' ? 1 : CONFIRM,
      );
      if (change === null) return [];
      const text = `leak detector ${name ?? slot}: ${detector}`;
      const attributes = { detector: name ?? slot, detector_state: detector };
      return [
        this.#event('cooling.leak', unit, change, observedMs, text, {
          attributes,
          discriminator: `leak ${slot} ${level}`,
          ...(level === 'Warning' ? { severity: 'warning' as const } : {}),
        }),
      ];
    });
  }

  /** Below the device's own limit; where it tells none, next to nothing of what flowed before. */
  #flow(part: Timed<CoolantLoop>, observedMs: number): EventInput[] {
    const { unit, name, flow, ratedFlow, leastFlow } = part;
    if (flow === null) return [];
    const key = `flow ${unit} ${name}`;
    const most = Math.max(flow, this.#most.get(key) ?? 0);
    this.#most.set(key, most);
    const limit = leastFlow ?? LOST * (ratedFlow ?? most);
    const bad = flow < limit ? true : flow >= FLOWS * limit ? false : null;
    // A loop that was never seen to flow is not in use.
    if (bad === true && !this.#edges.wasGood(key)) return [];
    const change = this.#edges.step(key, limit > 0 ? bad : null, part, CONFIRM);
    if (change === null) return [];
    const text = `${label(part)}: flow ${litersPerMinute(flow)} L/min, ${change.edge === 'onset' ? 'under' : 'limit'} ${litersPerMinute(limit)} L/min`;
    const attributes = { loop: name, flow_l_min: litersPerMinute(flow), limit: litersPerMinute(limit), unit: 'L/min' };
    return [
      this.#event('cooling.flow_low', unit, change, observedMs, text, { attributes, discriminator: `flow ${name}` }),
    ];
  }

  #supply(part: Timed<CoolantLoop>, observedMs: number): EventInput[] {
    const { unit, name, supplyCelsius: celsius, mostCelsius: limit } = part;
    if (celsius === null || limit === null) return [];
    const bad = celsius >= limit ? true : celsius < limit - COOLED ? false : null;
    const change = this.#edges.step(`supply ${unit} ${name}`, bad, part, CONFIRM);
    if (change === null) return [];
    const text = `${label(part)}: supply ${celsius} °C, critical from ${limit} °C`;
    const attributes = { loop: name, celsius, limit, unit: 'Cel' };
    return [
      this.#event('cooling.inlet_overtemp', unit, change, observedMs, text, {
        attributes,
        discriminator: `supply ${name}`,
      }),
    ];
  }

  /** A warning while another pump of the unit works. */
  #pump(part: Timed<Pump>, all: readonly Pump[], observedMs: number): EventInput[] {
    const { unit, slot, name, health, state } = part;
    const change = this.#edges.step(`pump ${unit} ${slot}`, health === null ? null : health === 'Critical', part);
    if (change === null) return [];
    const others = all.filter((other) => other.unit === unit && other.slot !== slot);
    const work = others.filter((other) => other.health === 'OK' && other.state !== 'Disabled').length;
    const text = `pump ${name ?? slot}: health ${health}, state ${state ?? '-'}; ${work} of ${others.length} others work`;
    const attributes = { pump: name ?? slot, health, others_working: work };
    return [
      this.#event('cooling.flow_low', unit, change, observedMs, text, {
        attributes,
        discriminator: `pump ${slot}`,
        ...(work > 0 ? { severity: 'warning' as const } : {}),
      }),
    ];
  }

  #event(
    kind: EventInput['kind'],
    unit: string | null,
    change: Change,
    observedMs: number,
    text: string,
    more: Pick<EventParts, 'attributes' | 'discriminator' | 'severity'>,
  ): EventInput {
    return bmcEvent({ kind, component: coolingComponent(this.#host, unit), change, observedMs, text, ...more });
  }
}

const LEVELS: readonly string[] = ['OK', 'Warning', 'Critical'];

function label({ name, label: given }: CoolantLoop): string {
  return given === null ? `${name} loop` : `${name} loop (${given})`;
}

function litersPerMinute(litersPerSecond: number): number {
  return Math.round(litersPerSecond * 600) / 10;
}

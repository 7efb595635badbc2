// Sees what happens to the host as its BMC tells it: redundancy, power cap, fans, temperatures, health. No I/O.

import { componentText } from '../../../model/component.ts';
import type { EventInput } from '../../../model/record.ts';
import { fanComponent, hostComponent } from '../components.ts';
import {
  type Asked,
  type Fan,
  type Health,
  ofPart,
  type PowerLimit,
  type Redundancy,
  type Temperature,
  type TimedPart,
} from '../decode/parts.ts';
import { AT_LIMIT } from '../readings.ts';
import { isLost } from '../redundancy.ts';
import { bmcEvent, type Edges } from './bmc-event.ts';

/** Readings that only one poll shows are noise; a state that the BMC itself calls critical is not. */
const CONFIRM = 2;
/** A limit changed when it moved by more than this share; firmware rounds. */
const LIMIT_STEP = 0.02;
/** Released when the draw is this far under the limit again. */
const OFF_LIMIT = 0.94;
/** °C under its threshold at which a temperature counts as over. */
const COOLED = 2;

type Timed<P> = P & Asked;

export class HostWatch {
  readonly #host: string;
  readonly #edges: Edges;
  /** The limit that is in force when nothing caps the host. */
  #usualLimit: number | null = null;
  #watts: Timed<{ watts: number }> | null = null;

  constructor(host: string, edges: Edges) {
    this.#host = host;
    this.#edges = edges;
  }

  observe(parts: readonly TimedPart[], observedMs: number): EventInput[] {
    this.#watts = ofPart(parts, 'power')[0] ?? null;
    return [
      ...ofPart(parts, 'redundancy').flatMap((part) => this.#redundancy(part, observedMs)),
      ...ofPart(parts, 'limit')
        .slice(0, 1)
        .flatMap((part) => this.#limit(part, observedMs)),
      ...ofPart(parts, 'fan').flatMap((part) => this.#fan(part, observedMs)),
      ...ofPart(parts, 'temperature').flatMap((part) => this.#temperature(part, observedMs)),
      ...ofPart(parts, 'health').flatMap((part) => this.#health(part, observedMs)),
    ];
  }

  #redundancy(part: Timed<Redundancy>, observedMs: number): EventInput[] {
    const key = `redundancy ${part.name}`;
    const bad = isLost(part);
    // A group that was never redundant is how the host was built or set up.
    if (bad === true && !this.#edges.wasGood(key)) return [];
    const change = this.#edges.step(key, bad, part);
    if (change === null) return [];
    const { name, health, state, mode, needed, supported } = part;
    const text = `${name}: redundancy health ${health}, state ${state ?? '-'}, mode ${mode ?? '-'}, needed ${needed ?? '-'} of ${supported ?? '-'}`;
    const attributes = { group: name, health, state, needed, supported };
    const component = hostComponent(this.#host);
    return [
      bmcEvent({ kind: 'psu.redundancy_lost', component, change, observedMs, text, attributes, discriminator: name }),
    ];
  }

  /** Lowered, or pressed against. A limit that is merely set is configured; one that holds is not a fault by itself. */
  #limit(part: Timed<PowerLimit>, observedMs: number): EventInput[] {
    const events: EventInput[] = [];
    const component = hostComponent(this.#host);
    const usual = this.#usualLimit;
    const lowered = part.watts !== null && usual !== null && part.watts < usual * (1 - LIMIT_STEP);
    const change = this.#edges.step('limit', lowered, part);
    if (change !== null) {
      const onset = change.edge === 'onset';
      const numbers = { quantity: 'power_limit', before: usual, after: part.watts, unit: 'W' };
      const text = onset ? `power limit ${usual} → ${part.watts} W` : `power limit ${part.watts ?? 'off'} W again`;
      const attributes = onset ? { ...numbers, limit_state: 'lowered' } : { limit_state: 'restored' };
      events.push(
        bmcEvent({ kind: 'host.power_cap', component, change, observedMs, text, attributes, discriminator: 'limit' }),
      );
    }
    if (!lowered && part.watts !== null) this.#usualLimit = part.watts;
    const watts = this.#watts?.watts ?? null;
    if (part.watts === null || watts === null) return events;
    const pressed = watts >= AT_LIMIT * part.watts ? true : watts < OFF_LIMIT * part.watts ? false : null;
    const applied = this.#edges.step('cap', pressed, part, CONFIRM);
    if (applied === null || this.#edges.isOpen('limit')) return events;
    const text = `draws ${watts} W of a limit of ${part.watts} W`;
    const attributes = {
      limit_state: applied.edge === 'onset' ? 'applied' : 'configured',
      watts,
      limit: part.watts,
      unit: 'W',
      // Load that rose to the limit may explain slower steps; load that was there from the first reading is how the host runs.
      ...(applied.edge === 'onset' && applied.afterMs !== null ? { may_explain: true } : {}),
    };
    events.push(
      bmcEvent({
        kind: 'host.power_cap',
        component,
        change: applied,
        observedMs,
        text,
        attributes,
        discriminator: 'cap',
        severity: 'info',
      }),
    );
    return events;
  }

  #fan(part: Timed<Fan>, observedMs: number): EventInput[] {
    const component = fanComponent(this.#host, part.slot);
    const speed = part.rpm ?? part.percent;
    const slow = speed !== null && part.lowerCritical !== null && speed < part.lowerCritical;
    const critical = part.health === 'Critical';
    const bad =
      part.health === null && speed === null ? null : critical || slow || (speed === 0 && part.health !== 'OK');
    const change = this.#edges.step(`fan ${part.slot}`, bad, part, critical ? 1 : CONFIRM);
    if (change === null) return [];
    const shown =
      part.rpm !== null ? `${part.rpm} rpm` : part.percent !== null ? `${part.percent} %` : 'speed not given';
    const text = `${componentText(component)}: ${shown}, health ${part.health ?? '-'}, state ${part.state ?? '-'}`;
    const attributes = { name: part.name, health: part.health, rpm: part.rpm };
    return [bmcEvent({ kind: 'host.fan_failure', component, change, observedMs, text, attributes })];
  }

  #temperature(part: Timed<Temperature>, observedMs: number): EventInput[] {
    const { quantity, celsius, upperCritical, health, name } = part;
    const hot = upperCritical === null ? health === 'Critical' : celsius >= upperCritical;
    const cooled = upperCritical === null ? health !== 'Critical' : celsius < upperCritical - COOLED;
    const bad = upperCritical === null && health === null ? null : hot ? true : cooled ? false : null;
    const change = this.#edges.step(`temperature ${quantity}`, bad, part, CONFIRM);
    if (change === null) return [];
    const text = `${name}: ${celsius} °C, critical from ${upperCritical ?? '-'} °C, health ${health ?? '-'}`;
    const attributes = { sensor: name, celsius, limit: upperCritical, unit: 'Cel' };
    const component = hostComponent(this.#host);
    return [
      bmcEvent({ kind: 'host.overtemp', component, change, observedMs, text, attributes, discriminator: quantity }),
    ];
  }

  /** The rollup of the system, where nothing that has an event of its own explains it. */
  #health(part: Timed<Health>, observedMs: number): EventInput[] {
    if (part.of !== 'system') return [];
    const key = `health ${part.id}`;
    const critical = part.rollup === null ? null : part.rollup === 'Critical';
    const explained = ['input ', 'failure ', 'fan ', 'temperature ', 'redundancy ', 'leak ', 'flow ', 'pump '].some(
      (kind) => this.#edges.any(kind),
    );
    if (critical === true && (explained || !this.#edges.wasGood(key))) return [];
    const change = this.#edges.step(key, critical, part, CONFIRM);
    if (change === null) return [];
    const text = `system ${part.id}: health ${part.rollup}, power ${part.powerState ?? '-'}`;
    const attributes = { health: part.rollup, power_state: part.powerState };
    const component = hostComponent(this.#host);
    return [bmcEvent({ kind: 'host.degraded', component, change, observedMs, text, attributes })];
  }
}

// Health store: hw.errors and hw.status, which come from events and open incidents, not from samples.

import { hasRoom } from '../helpers/has-room.ts';
import { remember } from '../helpers/remember.ts';
import { type Component, componentText, parseComponent } from '../model/component.ts';
import type { FaultEvent } from '../model/event.ts';
import type { Incident } from '../model/incident.ts';
import { isInjected } from '../model/made.ts';
import { compareSeverity, type Severity } from '../model/severity.ts';
import { componentAttributes, hardwareType } from './metric-table.ts';

export interface HealthPoint {
  readonly metric: 'hw.errors' | 'hw.status';
  /** Whose state it is, as text; null for what counts over the life of a device, whoever it works for. */
  readonly component: string | null;
  readonly attributes: Readonly<Record<string, string>>;
  readonly value: number;
  readonly startMs: number;
}

const STATES = ['ok', 'degraded', 'failed'] as const;
const MOST_ERRORS = 1024;
const MOST_COMPONENTS = 512;
const MOST_EVENTS = 4096;

interface ErrorCount {
  readonly attributes: Readonly<Record<string, string>>;
  readonly startMs: number;
  value: number;
}

/** Written over each time: thousands of new ones at once would outlive the young generation. */
interface StatePoint extends HealthPoint {
  readonly state: (typeof STATES)[number];
  value: number;
}

export class HealthStore {
  readonly #startMs: number;
  readonly #errors = new Map<string, ErrorCount>();
  /** Count that was added for an event: the same one comes again as its repeats add up. */
  readonly #counted = new Map<string, number>();
  readonly #open = new Map<string, Incident>();
  /** Hardware that was part of an incident: still reported as ok when it is over. */
  readonly #hit = new Map<string, Component>();
  /** Of a component's text: its three points, null for anything but hardware. */
  readonly #states = new Map<string, readonly StatePoint[] | null>();

  constructor(nowMs: number) {
    this.#startMs = nowMs;
  }

  event(event: FaultEvent): void {
    const { component, kind, severity, state, count, id } = event;
    if (isInjected(event)) return; // what acts on the health of hardware must not act on what was put in
    if (component === null || state === 'clear' || compareSeverity(severity, 'warning') < 0) return;
    if (hardwareType(component.type) === null) return;
    const before = this.#counted.get(id) ?? 0;
    remember(this.#counted, id, Math.max(count, before), MOST_EVENTS);
    const key = `${componentText(component)} ${kind}`;
    if (!hasRoom(this.#errors, key, MOST_ERRORS)) return;
    const attributes = { ...componentAttributes(component.type, component.id), 'error.type': kind };
    const error = this.#errors.get(key) ?? { attributes, startMs: this.#startMs, value: 0 };
    error.value += Math.max(count - before, 0);
    this.#errors.set(key, error);
  }

  incident(incident: Incident): void {
    if (incident.made === 'injected') return;
    if (incident.state === 'open') remember(this.#open, incident.id, incident, MOST_EVENTS);
    else this.#open.delete(incident.id);
    for (const { component } of incident.chain) {
      if (component === null || hardwareType(component.type) === null) continue;
      remember(this.#hit, componentText(component), component, MOST_COMPONENTS);
    }
  }

  /** `watched`: components that have series. What is given is good until the next call. */
  points(watched: ReadonlySet<string>): HealthPoint[] {
    const points: HealthPoint[] = [...this.#errors.values()].map((error) => ({
      metric: 'hw.errors',
      component: null,
      ...error,
    }));
    const worst = this.#worst();
    for (const text of [...new Set([...this.#hit.keys(), ...watched])].slice(0, MOST_COMPONENTS)) {
      const states = this.#statesOf(text);
      if (states === null) continue;
      const severity = worst.get(text);
      const holds = severity === undefined ? 'ok' : severity === 'critical' ? 'failed' : 'degraded';
      for (const point of states) {
        point.value = point.state === holds ? 1 : 0;
        points.push(point);
      }
    }
    return points;
  }

  /** For each state; the same objects every time, so that what is made of them is kept. */
  #statesOf(text: string): readonly StatePoint[] | null {
    const known = this.#states.get(text);
    if (known !== undefined) return known;
    const component = parseComponent(text);
    const isHardware = component !== null && hardwareType(component.type) !== null;
    const own = isHardware ? componentAttributes(component.type, component.id) : null;
    const pointOf = (state: StatePoint['state']): StatePoint => {
      const attributes = { ...own, 'hw.state': state };
      return { metric: 'hw.status', component: text, attributes, state, value: 0, startMs: this.#startMs };
    };
    const states = own === null ? null : STATES.map(pointOf);
    remember(this.#states, text, states, 2 * MOST_COMPONENTS);
    return states;
  }

  /** Worst severity that an open incident gives each component; what is only information is ok. */
  #worst(): Map<string, Severity> {
    const worst = new Map<string, Severity>();
    for (const { chain } of this.#open.values()) {
      for (const { component, severity } of chain) {
        if (component === null || severity === 'info') continue;
        const text = componentText(component);
        const known = worst.get(text);
        if (known === undefined || compareSeverity(severity, known) > 0) worst.set(text, severity);
      }
    }
    return worst;
  }
}

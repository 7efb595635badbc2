// Tells a run while it happens: like events that come together are one line, and no run tells more than fits a screen.

import { componentText } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import type { ScenarioClock } from '../scenario-clock.ts';
import { eventLine } from './event-line.ts';

/** Eight GPUs read in turn show the same thing within this time. */
const GROUP_MS = 700;
const MAX_EVENT_LINES = 10;
const MAX_INCIDENT_LINES = 3;

/** Shadows of an event that is reported: the report has them, the screen has not the room. */
const TOLD_LATER: ReadonlySet<string> = new Set(['psu.failover', 'psu.redundancy_lost']);

export class Story {
  readonly #clock: ScenarioClock;
  readonly #print: (line: string) => void;
  readonly #groups = new Map<string, { readonly atMs: number; readonly events: FaultEvent[] }>();
  readonly #reported = new Set<string>();
  /** Events that were said: what a later line of the same one adds is in the report. */
  readonly #said = new Set<string>();
  #lines = 0;
  #left = 0;

  constructor(clock: ScenarioClock, print: (line: string) => void) {
    this.#clock = clock;
    this.#print = print;
  }

  event(event: FaultEvent): void {
    if (event.severity === 'info') return;
    // What ends is in the report's times.
    if (event.state === 'clear') return;
    if (TOLD_LATER.has(event.kind)) return;
    const type = event.component?.type ?? '';
    // GPUs are reported together, PDUs and their phases one by one.
    const own = type.startsWith('pdu') && event.component !== null ? componentText(event.component) : type;
    const key = `${event.kind} ${event.state} ${own}`;
    const group = this.#groups.get(key);
    if (group !== undefined) {
      const at = group.events.findIndex(({ id }) => id === event.id);
      group.events.splice(at < 0 ? group.events.length : at, 1, event);
      return;
    }
    if (this.#said.has(event.id)) return;
    this.#groups.set(key, { atMs: this.#clock.now(), events: [event] });
    this.#clock.at(this.#clock.now() + GROUP_MS, () => this.#tell(key));
  }

  /** Tells that an incident has opened; its later revisions are reported at the end. */
  incident(incident: Incident): void {
    if (this.#reported.has(incident.id) || this.#reported.size >= MAX_INCIDENT_LINES) return;
    this.#reported.add(incident.id);
    const sure = `${Math.round(incident.confidence * 100)} %`;
    const text = `INCIDENT ${incident.id.slice(0, 6)} opens · ${incident.root.kind} · ${incident.severity} · ${sure}`;
    const atMs = this.#clock.now();
    // After the events that opened it, which still wait for company.
    this.#clock.at(atMs + GROUP_MS, () => this.line(text, atMs));
  }

  line(text: string, atMs: number = this.#clock.now()): void {
    this.#print(`${elapsed(atMs)}  ${text}`);
  }

  /** Tells what still waits for company. */
  flush(): void {
    for (const key of [...this.#groups.keys()]) this.#tell(key);
    if (this.#left > 0) this.line(`… and ${this.#left} more events`);
    this.#left = 0;
  }

  #tell(key: string): void {
    const group = this.#groups.get(key);
    if (group === undefined) return;
    this.#groups.delete(key);
    for (const { id } of group.events) this.#said.add(id);
    if (this.#lines >= MAX_EVENT_LINES) {
      this.#left += group.events.length;
      return;
    }
    this.#lines += 1;
    this.line(eventLine(group.events), group.atMs);
  }
}

/** `mm:ss`. */
export function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
}

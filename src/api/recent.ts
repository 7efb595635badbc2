// Recent: the last events and incidents, held for those who ask and reported to those who listen.

import { remember } from '../helpers/remember.ts';
import type { FaultEvent } from '../model/event.ts';
import type { Incident } from '../model/incident.ts';

const KEPT_EVENTS = 1_000;
const KEPT_INCIDENTS = 500;

export class Recent {
  #sinceMs: number;
  #incidentsSinceMs: number;
  #hasAllOpen = true;
  readonly #events = new Map<string, FaultEvent>();
  readonly #incidents = new Map<string, Incident>();
  readonly #eventListeners = new Set<(event: FaultEvent) => void>();
  readonly #incidentListeners = new Set<(incident: Incident) => void>();

  /** `sinceMs`: when the first could come. */
  constructor(sinceMs = 0) {
    this.#sinceMs = sinceMs;
    this.#incidentsSinceMs = sinceMs;
  }

  /** From when on every event is kept. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  /** Every incident that changed since is kept. */
  get incidentsSinceMs(): number {
    return this.#incidentsSinceMs;
  }

  /** Whether every incident that is open is kept. */
  get hasAllOpen(): boolean {
    return this.#hasAllOpen;
  }

  event(event: FaultEvent): void {
    const [oldest] = this.#events.values();
    if (oldest !== undefined && this.#events.size >= KEPT_EVENTS && !this.#events.has(event.id))
      this.#sinceMs = Math.max(this.#sinceMs, oldest.timeMs);
    remember(this.#events, event.id, event, KEPT_EVENTS);
    for (const listener of this.#eventListeners) listener(event);
  }

  incident(incident: Incident): void {
    this.#incidents.delete(incident.id);
    this.#incidents.set(incident.id, incident);
    if (this.#incidents.size > KEPT_INCIDENTS) this.#forgetIncident();
    for (const listener of this.#incidentListeners) listener(incident);
  }

  /** Tells the incident once more, for what people said about it; nothing where it is not kept. */
  again(incidentId: string): void {
    const incident = this.#incidents.get(incidentId);
    if (incident === undefined) return;
    for (const listener of this.#incidentListeners) listener(incident);
  }

  events(): readonly FaultEvent[] {
    return [...this.#events.values()];
  }

  incidents(): readonly Incident[] {
    return [...this.#incidents.values()];
  }

  /** The one that changed longest ago makes room, one that is over before one that is open. */
  #forgetIncident(): void {
    const all = [...this.#incidents.values()];
    const oldest = all.find((one) => !isOpen(one)) ?? all[0];
    if (oldest === undefined) return;
    if (isOpen(oldest)) this.#hasAllOpen = false;
    this.#incidents.delete(oldest.id);
    this.#incidentsSinceMs = Math.max(this.#incidentsSinceMs, oldest.updatedMs + 1);
  }

  onEvent(listener: (event: FaultEvent) => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  onIncident(listener: (incident: Incident) => void): () => void {
    this.#incidentListeners.add(listener);
    return () => this.#incidentListeners.delete(listener);
  }
}

function isOpen({ state, mergedInto }: Incident): boolean {
  return state === 'open' && mergedInto === null;
}

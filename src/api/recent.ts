// Recent: the last events and incidents, held for those who ask and reported to those who listen.

import { remember } from '../helpers/remember.ts';
import type { FaultEvent } from '../model/event.ts';
import type { Incident } from '../model/incident.ts';

const KEPT_EVENTS = 1_000;
const KEPT_INCIDENTS = 500;

export class Recent {
  #sinceMs: number;
  readonly #events = new Map<string, FaultEvent>();
  readonly #incidents = new Map<string, Incident>();
  readonly #eventListeners = new Set<(event: FaultEvent) => void>();
  readonly #incidentListeners = new Set<(incident: Incident) => void>();

  /** `sinceMs`: when the first could come. */
  constructor(sinceMs = 0) {
    this.#sinceMs = sinceMs;
  }

  /** From when on every event and incident is kept. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  event(event: FaultEvent): void {
    this.#forgets(this.#events, event.id, KEPT_EVENTS, ({ timeMs }) => timeMs);
    remember(this.#events, event.id, event, KEPT_EVENTS);
    for (const listener of this.#eventListeners) listener(event);
  }

  incident(incident: Incident): void {
    this.#forgets(this.#incidents, incident.id, KEPT_INCIDENTS, ({ updatedMs }) => updatedMs);
    remember(this.#incidents, incident.id, incident, KEPT_INCIDENTS);
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

  /** The oldest makes room for what comes: what was before it is not all there any more. */
  #forgets<T>(kept: ReadonlyMap<string, T>, id: string, most: number, timeOf: (one: T) => number): void {
    if (kept.size < most || kept.has(id)) return;
    const [oldest] = kept.values();
    if (oldest !== undefined) this.#sinceMs = Math.max(this.#sinceMs, timeOf(oldest));
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

// Left open: the incidents of an earlier run, and which of them show a sign of life in this one.

import { componentText } from '../model/component.ts';
import type { FaultEvent } from '../model/event.ts';
import type { Incident } from '../model/incident.ts';

type Sign = Pick<FaultEvent, 'kind' | 'component'>;

function signOf({ kind, component }: Sign): string {
  return `${kind} ${component === null ? '?' : componentText(component)}`;
}

/**
 * A sign of life is an event of the same kind at the same place, newer than the last word of the earlier run: whether
 * it changes what is believed does not matter, and a record that is merely read again is none. A lasting fault that
 * only a reset ends is not an exception: what polls the device tells it again, so that its silence means something.
 */
export class StaleIncidents {
  readonly #restored = new Map<string, Incident>();
  readonly #bySign = new Map<string, Set<string>>();
  /** Incidents that were given up, and when, ms. */
  readonly #givenUp = new Map<string, number>();

  constructor(restored: readonly Incident[]) {
    for (const incident of restored) {
      this.#restored.set(incident.id, incident);
      for (const event of incident.events) {
        const sign = signOf(event);
        this.#bySign.set(sign, (this.#bySign.get(sign) ?? new Set()).add(incident.id));
      }
    }
  }

  /**
   * Takes note of an event; the end of a condition shows nothing that continues. `continues`: the incident is not over by what is
   * known of it: of one that is, no one would report the end a second time.
   */
  saw(event: FaultEvent, continues: (id: string) => boolean = () => true): void {
    if (this.#restored.size === 0 || event.state === 'clear') return;
    for (const id of this.#bySign.get(signOf(event)) ?? []) {
      const incident = this.#restored.get(id);
      if (incident !== undefined && event.timeMs > incident.updatedMs && continues(id)) this.alive(id);
    }
  }

  /** The incident is one of this run now. */
  alive(id: string): void {
    this.#restored.delete(id);
    this.#givenUp.delete(id);
    if (this.#restored.size === 0) this.#bySign.clear();
  }

  /** Ids of those without a sign of life, each once; from `nowMs` on only news brings them back. */
  giveUp(nowMs: number): readonly string[] {
    const ids = [...this.#restored.keys()].filter((id) => !this.#givenUp.has(id));
    for (const id of ids) this.#givenUp.set(id, nowMs);
    return ids;
  }

  /** False for an incident that was given up, where nothing supports it but what was known then. */
  supports(id: string, events: readonly FaultEvent[]): boolean {
    const sinceMs = this.#givenUp.get(id);
    return sinceMs === undefined || events.some(({ observedMs }) => observedMs > sinceMs);
  }
}

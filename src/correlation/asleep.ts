// Asleep: faults under a plan that an earlier run saw begin. Whether they last, the sources of this run say: one that is reported
// again is the same one and began when it began, and one that is not is over.

import { componentText } from '../model/component.ts';
import type { FaultEvent } from '../model/event.ts';
import { isExplaining } from './graph/kind-roles.ts';

/** By then every source has looked; what begins later is another one. */
const AWAKE_MS = 600_000;

export class Asleep {
  readonly #events = new Map<string, FaultEvent>();
  #untilMs = Number.NEGATIVE_INFINITY;

  /** Keeps what a source will report again; returns the others. */
  restore(events: readonly FaultEvent[], nowMs: number): FaultEvent[] {
    this.#untilMs = nowMs + AWAKE_MS;
    return events.filter((event) => {
      const sleeps = event.state === 'onset' && !isExplaining(event.kind);
      if (sleeps) this.#events.set(nameOf(event), event);
      return !sleeps;
    });
  }

  /** What began then and is reported again by this event; null for anything else. */
  wake(event: FaultEvent): FaultEvent | null {
    if (this.#events.size === 0) return null;
    if (event.timeMs > this.#untilMs) this.#events.clear();
    const name = nameOf(event);
    const begun = this.#events.get(name) ?? null;
    if (begun !== null) this.#events.delete(name);
    return event.state === 'onset' ? begun : null;
  }
}

function nameOf({ kind, component }: FaultEvent): string {
  return `${kind} ${component === null ? '?' : componentText(component)}`;
}

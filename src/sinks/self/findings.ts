// Findings: events and incidents as counters, and the incidents that are open now.

import type { Counter } from '@opentelemetry/api';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { SEVERITIES, type Severity } from '../../model/severity.ts';
import { remember } from '../remember.ts';
import type { Instruments } from './instruments.ts';

/** Events whose last count is remembered, so that only their growth is added; more than can repeat at once. */
const MAX_EVENTS = 4096;
/** Open incidents that are told apart; past it the oldest counts as closed. */
const MAX_OPEN = 4096;

export class Findings {
  readonly #events: Counter;
  readonly #incidents: Counter;
  readonly #counted = new Map<string, number>();
  readonly #open = new Map<string, Severity>();

  /** `restored`: incidents that an earlier run left open. */
  constructor(instruments: Instruments, restored: readonly Incident[]) {
    this.#events = instruments.counter('faultline.events');
    this.#incidents = instruments.counter('faultline.incidents');
    for (const severity of SEVERITIES) this.#incidents.add(0, { severity });
    for (const incident of restored) this.#keep(incident);
    instruments.observableUpDownCounter('faultline.incidents.open').addCallback((result) => {
      for (const severity of SEVERITIES) result.observe(this.#openWith(severity), { severity });
    });
  }

  event(event: FaultEvent): void {
    const { id, kind, severity, state, count } = event;
    if (state === 'clear') return;
    const before = this.#counted.get(id) ?? 0;
    remember(this.#counted, id, Math.max(before, count), MAX_EVENTS);
    if (count > before) this.#events.add(count - before, { kind, severity });
  }

  incident(incident: Incident): void {
    if (incident.revision === 1 && !this.#open.has(incident.id)) {
      this.#incidents.add(1, { severity: incident.severity });
    }
    this.#keep(incident);
  }

  #keep(incident: Incident): void {
    if (incident.state === 'open' && incident.mergedInto === null) {
      remember(this.#open, incident.id, incident.severity, MAX_OPEN);
    } else this.#open.delete(incident.id);
  }

  #openWith(severity: Severity): number {
    let open = 0;
    for (const each of this.#open.values()) if (each === severity) open += 1;
    return open;
  }
}

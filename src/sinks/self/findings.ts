// Findings: events and incidents as counters, and the incidents that are open now.

import type { Counter } from '@opentelemetry/api';
import { remember } from '../../helpers/remember.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { isInjected } from '../../model/made.ts';
import { SEVERITIES, type Severity } from '../../model/severity.ts';
import type { Instruments } from './instruments.ts';

/** Events whose last count is remembered, so that only their growth is added; more than can repeat at once. */
const MAX_EVENTS = 4096;
/** Open incidents that are counted one by one; past it the oldest counts as closed. */
const MAX_OPEN = 4096;

/** Counted separately, so that it is not taken for what happened here. */
const INJECTED = { injected: true } as const;

interface Open {
  readonly severity: Severity;
  readonly injected: boolean;
  readonly pattern: string | null;
}

export class Findings {
  readonly #events: Counter;
  readonly #incidents: Counter;
  readonly #counted = new Map<string, number>();
  readonly #open = new Map<string, Open>();
  /** Series of patterns that were open once stay, with 0: an alert ends by it, not by what is missing. */
  readonly #patterns = new Map<
    string,
    { readonly pattern: string; readonly severity: Severity; readonly injected: boolean }
  >();
  /** Something was injected since the start: only then there are numbers of that. */
  #injected = false;

  /** `restored`: incidents that an earlier run left open. */
  constructor(instruments: Instruments, restored: readonly Incident[]) {
    this.#events = instruments.counter('faultline.events');
    this.#incidents = instruments.counter('faultline.incidents');
    for (const severity of SEVERITIES) this.#incidents.add(0, { severity });
    for (const incident of restored) this.#keep(incident);
    instruments.observableUpDownCounter('faultline.incidents.open').addCallback((result) => {
      for (const severity of SEVERITIES) {
        result.observe(this.#openWith(severity, false), { severity });
        if (this.#injected) result.observe(this.#openWith(severity, true), { severity, ...INJECTED });
      }
    });
    instruments.observableUpDownCounter('faultline.patterns.open').addCallback((result) => {
      for (const { pattern, severity, injected } of this.#patterns.values()) {
        const open = [...this.#open.values()].filter(
          (each) => each.pattern === pattern && each.severity === severity && each.injected === injected,
        );
        result.observe(open.length, { pattern, severity, ...(injected ? INJECTED : {}) });
      }
    });
  }

  event(event: FaultEvent): void {
    const { id, kind, severity, state, count } = event;
    const own = isInjected(event) ? INJECTED : {};
    if (state === 'clear') return;
    const before = this.#counted.get(id) ?? 0;
    remember(this.#counted, id, Math.max(before, count), MAX_EVENTS);
    if (count > before) this.#events.add(count - before, { kind, severity, ...own });
  }

  incident(incident: Incident): void {
    if (incident.revision === 1 && !this.#open.has(incident.id)) {
      this.#incidents.add(1, { severity: incident.severity, ...(incident.made === 'injected' ? INJECTED : {}) });
    }
    this.#keep(incident);
  }

  #keep(incident: Incident): void {
    const injected = incident.made === 'injected';
    this.#injected ||= injected;
    if (incident.state === 'open' && incident.mergedInto === null) {
      const { severity, pattern } = incident;
      remember(this.#open, incident.id, { severity, injected, pattern }, MAX_OPEN);
      if (pattern !== null) this.#patterns.set(`${pattern} ${severity} ${injected}`, { pattern, severity, injected });
    } else this.#open.delete(incident.id);
  }

  #openWith(severity: Severity, injected: boolean): number {
    let open = 0;
    for (const each of this.#open.values()) if (each.severity === severity && each.injected === injected) open += 1;
    return open;
  }
}

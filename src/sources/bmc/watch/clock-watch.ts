// Sees that the BMC's clock is far off. Times of its records are moved by the offset; whoever reads its log by hand moves nothing.

import type { EventInput } from '../../../model/record.ts';
import { hostComponent } from '../components.ts';
import { bmcEvent, type Edges } from './bmc-event.ts';

/** RFC 4120, the usual clock skew of Kerberos: from here on other systems refuse what such a clock says. s */
const OFF = 300;
/** Looks that must show it: an answer that was long on its way shows little. */
const CONFIRM = 3;

export class ClockWatch {
  readonly #host: string;
  readonly #edges: Edges;

  constructor(host: string, edges: Edges) {
    this.#host = host;
    this.#edges = edges;
  }

  /** `offset`: BMC minus ours, s; null while it is not known. */
  observe(offset: number | null, observedMs: number): EventInput[] {
    if (offset === null) return [];
    const change = this.#edges.step(
      'clock',
      Math.abs(offset) >= OFF,
      { sentMs: observedMs, timeMs: observedMs },
      CONFIRM,
    );
    if (change === null) return [];
    const text = `the BMC's clock is ${offset} s from the host's`;
    const attributes = { device: 'bmc', offset_s: offset };
    const component = hostComponent(this.#host);
    // What it records is dated all the same, so that nothing has to be done at night.
    return [
      bmcEvent({ kind: 'agent.clock_offset', component, change, observedMs, text, attributes, severity: 'info' }),
    ];
  }
}

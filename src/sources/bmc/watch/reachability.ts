// Whether a BMC answers: a silent one is told as a failed source, which says nothing about the host's power.

import type { EventInput } from '../../../model/record.ts';
import type { RedfishError } from '../http/redfish-error.ts';
import { hostComponent } from '../readings.ts';
import { bmcEvent } from './bmc-event.ts';

/** Failed polls before it counts. */
const UNREACHABLE_AFTER = 3;

/** What a poll changed: an event for the line and a text for the log, null where there is nothing to tell. */
export interface ReachChange {
  readonly event: EventInput | null;
  readonly text: string | null;
}

export class Reachability {
  readonly #host: string;
  readonly #url: string;
  #failures = 0;
  #error: RedfishError | null = null;
  #lastGoodMs: number | null = null;
  #firstFailedMs = 0;
  #lastFailedMs = 0;
  #told = false;

  constructor(host: string, url: string) {
    this.#host = host;
    this.#url = url;
  }

  get failures(): number {
    return this.#failures;
  }

  get error(): RedfishError | null {
    return this.#error;
  }

  get wasGood(): boolean {
    return this.#lastGoodMs !== null;
  }

  succeeded(nowMs: number): ReachChange {
    const text = this.#error === null ? null : 'the BMC answers again';
    const event = this.#told
      ? this.#event({ edge: 'clear', afterMs: this.#lastFailedMs, timeMs: nowMs }, nowMs, `${this.#url} answers again`)
      : null;
    this.#failures = 0;
    this.#error = null;
    this.#told = false;
    this.#lastGoodMs = nowMs;
    return { event, text };
  }

  failed(error: RedfishError, startedMs: number, nowMs: number): ReachChange {
    const text = this.#error?.fault === error.fault ? null : error.message;
    if (this.#failures === 0) this.#firstFailedMs = startedMs;
    this.#failures += 1;
    this.#lastFailedMs = startedMs;
    this.#error = error;
    // One that never answered has not stopped answering: health says why it is silent.
    if (this.#failures < UNREACHABLE_AFTER || this.#told || this.#lastGoodMs === null) return { event: null, text };
    this.#told = true;
    const change = { edge: 'onset', afterMs: this.#lastGoodMs, timeMs: this.#firstFailedMs } as const;
    const event = this.#event(change, nowMs, error.message, { failed_polls: this.#failures, code: error.code });
    return { event, text };
  }

  #event(
    change: Parameters<typeof bmcEvent>[0]['change'],
    observedMs: number,
    text: string,
    attributes: EventInput['attributes'] = {},
  ): EventInput {
    return bmcEvent({
      kind: 'agent.source_failed',
      component: hostComponent(this.#host),
      severity: 'info',
      change,
      observedMs,
      text,
      attributes: { ...attributes, failed_source: `bmc/${this.#host}` },
    });
  }
}

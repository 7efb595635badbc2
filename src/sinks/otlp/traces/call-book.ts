// Call book: spans of calls out. Those about an incident are in its trace; others are traces of their own, where asked for.

import { randomBytes } from 'node:crypto';
import type { Call, CallParent, CallStart } from '../../../helpers/calls.ts';
import { remember } from '../../../helpers/remember.ts';
import { formatTraceparent, isSampled } from '../../../model/trace.ts';
import type { Origin } from '../logs/log-records.ts';
import type { EndedCall } from './ended-call.ts';
import { callSpan, type Span } from './spans.ts';

export interface CallBookOptions {
  readonly origin: Origin;
  readonly ratio: number;
  /** Also calls that belong to no incident. */
  readonly all: boolean;
  readonly now: () => number;
}

/** Calls that belong to nothing: a poll of every device would otherwise be most of what a backend holds. */
const MOST_A_MINUTE = 120;
/** Those that failed come on top. */
const MOST_FAILED_A_MINUTE = 60;
/** A receiver that is down for a week is tried some thousand times. */
const MOST_OF_INCIDENT = 128;
const MOST_INCIDENTS = 4096;
const MOST_WAITING = 1024;
const MINUTE_MS = 60_000;

export class CallBook {
  readonly #options: CallBookOptions;
  #spans: Span[] = [];
  #minute = -1;
  #well = 0;
  #failed = 0;
  #left = 0;
  /** By trace. */
  readonly #ofIncident = new Map<string, number>();

  constructor(options: CallBookOptions) {
    this.#options = options;
  }

  readonly observe = (start: CallStart, parent: CallParent | null): Call | null => {
    const { all, ratio, now } = this.#options;
    if (parent === null && !all) return null;
    const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
    if (!isSampled(traceId, ratio)) return null;
    const spanId = randomBytes(8).toString('hex');
    const startMs = now();
    let over = false;
    return {
      traceparent: formatTraceparent({ traceId, spanId, sampled: true }),
      end: (how = {}) => {
        if (over) return;
        over = true;
        this.#ended({ traceId, spanId, parent, start, how, startMs, endMs: now() });
      },
    };
  };

  take(): Span[] {
    return this.#spans.splice(0);
  }

  #ended(call: EndedCall): void {
    if (
      this.#spans.length >= MOST_WAITING ||
      !(call.parent === null ? this.#hasRoom(call) : this.#ofIncidentHasRoom(call))
    ) {
      this.#left += 1;
      return;
    }
    this.#spans.push(callSpan(call, this.#left, this.#options.origin));
    this.#left = 0;
  }

  #ofIncidentHasRoom({ traceId }: EndedCall): boolean {
    const count = (this.#ofIncident.get(traceId) ?? 0) + 1;
    remember(this.#ofIncident, traceId, count, MOST_INCIDENTS);
    return count <= MOST_OF_INCIDENT;
  }

  #hasRoom({ endMs, how }: EndedCall): boolean {
    const minute = Math.floor(endMs / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#well = 0;
      this.#failed = 0;
    }
    if (how.error === undefined) {
      this.#well += 1;
      return this.#well <= MOST_A_MINUTE;
    }
    this.#failed += 1;
    return this.#failed <= MOST_FAILED_A_MINUTE;
  }
}

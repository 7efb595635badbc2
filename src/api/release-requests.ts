// Release requests: lets go of the devices for a caller, and reports who asked: in the log, as an event, in the caller's trace.

import { randomBytes } from 'node:crypto';
import type { EventInput } from '../model/record.ts';
import { formatTraceparent, logContext, parseTraceparent, type TraceContext } from '../model/trace.ts';
import type { OnWork } from '../model/work.ts';
import type { Notice } from '../native.ts';
import type { ReleaseResult } from './backend.ts';
import { type Caller, callerDocument, callerText } from './caller.ts';

export interface ReleaseRequestsOptions {
  readonly host: string;
  /** False when no source holds a device; a trace context comes back with the notice that they are let go. */
  readonly release: (durationMs: number, traceparent?: string) => boolean;
  /** The steady clock, epoch ms. */
  readonly now: () => number;
  readonly onWork: () => OnWork;
  readonly log: (fields: object, text: string) => void;
  readonly emit: (event: EventInput) => void;
}

interface Pending {
  readonly parent: TraceContext;
  readonly own: TraceContext;
  readonly startMs: number;
}

export class ReleaseRequests {
  readonly #options: ReleaseRequestsOptions;
  #pending: Pending | null = null;

  constructor(options: ReleaseRequestsOptions) {
    this.#options = options;
  }

  /** `parent`: the span of the caller, null where it has none; `caller`: null where the kernel does not know it. */
  ask(durationMs: number, parent: TraceContext | null, caller: Caller | null): ReleaseResult {
    if (this.#pending !== null) this.#end(this.#pending, { skipped: 'a later request overtook this one' });
    this.#pending = null;
    const own = parent === null ? null : { ...parent, spanId: newSpanId() };
    const startMs = this.#options.now();
    const released =
      own === null ? this.#options.release(durationMs) : this.#options.release(durationMs, formatTraceparent(own));
    const who = callerText(caller);
    const text = `${who} asked to let go of the devices${released ? '' : '; no source holds any'}`;
    const asked_by = callerDocument(caller);
    this.#options.log({ for_ms: durationMs, asked_by, ...(own === null ? {} : logContext(own)) }, text);
    if (released) this.#options.emit(this.#event(durationMs, startMs, caller));
    if (parent !== null && own !== null) {
      const pending = { parent, own, startMs };
      if (released) this.#pending = pending;
      else this.#end(pending, { skipped: 'no source holds a device' });
    }
    return { released, forMs: durationMs };
  }

  /** What native code tells: the answer brings the trace context back that it was asked with. */
  notices(notices: readonly Notice[]): void {
    for (const notice of notices) {
      const pending = this.#pending;
      if (pending === null || notice.name !== 'state' || notice.traceparent === null) continue;
      const { traceparent, timeMs, reason } = notice;
      if (parseTraceparent(traceparent)?.spanId !== pending.own.spanId) continue;
      this.#pending = null;
      this.#options.log(
        logContext(pending.own),
        reason === '' ? 'the devices are let go' : `the devices are let go: ${reason}`,
      );
      this.#end(pending, reason === '' ? {} : { error: reason }, timeMs);
    }
  }

  /** For a while no GPU is read: what is missing then must be explainable by a name. */
  #event(durationMs: number, timeMs: number, caller: Caller | null): EventInput {
    const text = `${callerText(caller)} asked to let go of the devices for ${durationMs / 1000} s`;
    return {
      kind: 'agent.devices_released',
      component: { type: 'host', id: this.#options.host },
      timeMs,
      observedMs: timeMs,
      trust: 'system',
      source: 'api',
      attributes: { by: caller?.user ?? null, uid: caller?.uid ?? null, pid: caller?.pid ?? null, for_ms: durationMs },
      evidence: [{ source: 'api', timeMs, text }],
      discriminator: `release:${timeMs}`,
    };
  }

  #end({ parent, own, startMs }: Pending, outcome: { skipped?: string; error?: string }, atMs?: number): void {
    const endMs = Math.max(atMs ?? this.#options.now(), startMs);
    this.#options.onWork()?.({ name: 'VendorChild/Release', parent, spanId: own.spanId, startMs, endMs, ...outcome });
  }
}

function newSpanId(): string {
  const id = randomBytes(8).toString('hex');
  return /^0+$/.test(id) ? newSpanId() : id;
}

// Log batch: holds events for a moment, until it is clear whether an incident takes them up, then hands out records.

import type { FaultEvent } from '../../../model/event.ts';
import type { Incident } from '../../../model/incident.ts';
import { isSampled } from '../../../model/trace.ts';
import { ContextBook } from './context-book.ts';
import { eventRecord, incidentRecord, type LogRecord, type Origin, summaryRecord } from './log-records.ts';

export interface LogBatchOptions {
  readonly origin: Origin;
  /** Share of traces that are exported; 0 where traces are off. */
  readonly ratio: number;
  readonly now: () => number;
}

/** An event that no incident took up within this time goes out without trace and span. */
const HOLD_MS = 1_000;
const MOST_HELD = 2_048;

export class LogBatch {
  readonly #options: LogBatchOptions;
  readonly #contexts = new ContextBook();
  /** By event id, oldest first. */
  readonly #held = new Map<string, { readonly event: FaultEvent; readonly sinceMs: number }>();
  #ready: LogRecord[] = [];

  constructor(options: LogBatchOptions) {
    this.#options = options;
  }

  /** Records that are due whatever the time is. */
  get ready(): number {
    return this.#ready.length;
  }

  event(event: FaultEvent): void {
    if (this.#contexts.of(event) !== null) {
      this.#write(event);
      return;
    }
    const sinceMs = this.#held.get(event.id)?.sinceMs ?? this.#options.now();
    this.#held.set(event.id, { event, sinceMs });
    if (this.#held.size > MOST_HELD) this.#release(1);
  }

  incident(incident: Incident): void {
    this.#contexts.incident(incident);
    for (const { event } of [...this.#held.values()]) {
      if (this.#contexts.of(event) === null) continue;
      this.#held.delete(event.id);
      this.#write(event);
    }
    const { ratio, origin } = this.#options;
    this.#ready.push(incidentRecord(incident, isSampled(incident.traceId, ratio), origin));
  }

  summary(job: string, text: string, timeMs: number): void {
    this.#ready.push(summaryRecord(job, text, timeMs, this.#options.origin));
  }

  /** Records that are due, at most `limit`; `all` does not wait for incidents any more. */
  take(limit: number, all = false): LogRecord[] {
    const dueMs = this.#options.now() - HOLD_MS;
    const due = [...this.#held.values()].filter(({ sinceMs }) => all || sinceMs <= dueMs).length;
    this.#release(due);
    return this.#ready.splice(0, limit);
  }

  #release(count: number): void {
    for (const { event } of [...this.#held.values()].slice(0, count)) {
      this.#held.delete(event.id);
      this.#write(event);
    }
  }

  #write(event: FaultEvent): void {
    const context = this.#contexts.of(event);
    const { ratio, origin } = this.#options;
    this.#ready.push(eventRecord(event, context, context !== null && isSampled(context.traceId, ratio), origin));
  }
}

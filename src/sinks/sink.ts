// Sink: the one interface of the line's right end.

import type { FaultEvent } from '../model/event.ts';
import type { Incident } from '../model/incident.ts';
import type { Discovery } from '../model/record.ts';
import type { Work } from '../model/work.ts';

/** One series over one second, as native code aggregated it. SI units, epoch ms on the steady clock. */
export interface SeriesAggregate {
  /** `<component>#<quantity>`. */
  readonly key: string;
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly last: number;
  readonly lastTimeMs: number;
}

export interface SinkHealth {
  readonly sink: string;
  readonly status: 'works' | 'failing' | 'off';
  readonly detail: string;
}

/** What a sink sent and what waits in it; `exports` only grow. */
export interface SinkCounts {
  /** "otlp/metrics", "otlp/logs" ... */
  readonly sink: string;
  /** Requests by result: success, partial, retried, rejected, dropped ... */
  readonly exports: Readonly<Record<string, number>>;
  readonly waitingItems?: number;
  readonly waitingBytes?: number;
}

/**
 * Takes what the line found and hands it to the outside. Calls return at once, never throw and never hold up the line;
 * an incident arrives after it was written to the log (or marked `log: "unavailable"`). `stop` flushes, bounded to a
 * second. A sink that is off is not made.
 */
export interface Sink {
  readonly name: string;
  start(signal: AbortSignal): void;
  event(event: FaultEvent): void;
  incident(incident: Incident): void;
  /** Once a second, all series that had samples; left out where a sink wants no metrics. */
  series?(aggregates: readonly SeriesAggregate[], nowMs: number): void;
  /** What sources found on the host, again whenever they find it again. */
  discovery?(discovery: Discovery): void;
  /** A summary of a job's flight-recorder dumps on this host, JSON text of at most a MiB. */
  summary?(job: string, text: string, timeMs: number): void;
  /** Whether `work` is to be called: where no sink wants it, nobody measures what the daemon does. */
  readonly wantsWork?: boolean;
  /** What the daemon did on an event, on an incident or for a caller. */
  work?(work: Work): void;
  health(): SinkHealth;
  counts?(): readonly SinkCounts[];
  stop(): Promise<void>;
}

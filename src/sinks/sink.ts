// Sink: the one interface of the line's right end.

import type { FaultEvent } from '../model/event.ts';
import type { Incident } from '../model/incident.ts';

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
  health(): SinkHealth;
  stop(): Promise<void>;
}

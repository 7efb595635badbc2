// Sink: the one interface at the end of the pipeline.

import type { Listen } from '../config/listen.ts';
import type { FaultEvent } from '../model/event.ts';
import type { Incident } from '../model/incident.ts';
import type { Discovery } from '../model/record.ts';
import type { SentNotification } from '../model/sent-notification.ts';
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

/** What a scraper of metrics gets. */
export interface Exposition {
  readonly contentType: string;
  /** As bytes: however many ask in the same moment, there is one of it. */
  readonly body: Buffer;
  /** To be called once by each who was given it, when it is sent to its last byte or given up: then it may be written over. */
  readonly sent?: () => void;
}

/**
 * Takes what the pipeline found and sends it outside. Calls return at once, never throw and never hold the pipeline up;
 * an incident arrives after it was written to the log (or marked `log: "unavailable"`). `stop` flushes, bounded to a
 * second. A sink that is off is not made.
 */
export interface Sink {
  readonly name: string;
  start(signal: AbortSignal): void;
  event(event: FaultEvent): void;
  incident(incident: Incident): void;
  /** Once a second, all series that had samples, in objects that are others with the next call; left out where a sink wants no metrics. */
  series?(aggregates: readonly SeriesAggregate[], nowMs: number): void;
  /** What sources found on the host, again whenever they find it again. */
  discovery?(discovery: Discovery): void;
  /** A summary of a job's flight-recorder dumps on this host, JSON text of at most a MiB. */
  summary?(job: string, text: string, timeMs: number): void;
  /** Whether `work` is to be called: where no sink wants it, the daemon's work is not measured. */
  readonly wantsWork?: boolean;
  /** What the daemon did on an event, on an incident or for a caller. */
  work?(work: Work): void;
  /** Whether spans of this trace go out; left out where a sink sends none. */
  sendsTrace?(traceId: string): boolean;
  /** What a scraper with this Accept header gets; left out where a sink shows no metrics. */
  scrape?(accept: string | undefined): Promise<Exposition>;
  /** Where scrapers also come over TCP; null for the local socket alone. */
  readonly listen?: Listen | null;
  /** What people were sent by it, oldest first, as far as it remembers. */
  notifications?(): readonly SentNotification[];
  health(): SinkHealth;
  counts?(): readonly SinkCounts[];
  stop(): Promise<void>;
}

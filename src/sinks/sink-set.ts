// Sink set: the sinks that a configuration asks for, and what the end of the pipeline hands to all of them.

import type { Listen } from '../config/listen.ts';
import type { FaultEvent } from '../model/event.ts';
import type { Incident } from '../model/incident.ts';
import type { Discovery } from '../model/record.ts';
import type { SentNotification } from '../model/sent-notification.ts';
import type { OnWork } from '../model/work.ts';
import type { Aggregates, NativeCore } from '../native.ts';
import { SeriesList } from './series-list.ts';
import type { Exposition, Sink, SinkHealth } from './sink.ts';

export class SinkSet {
  readonly #sinks: readonly Sink[];
  readonly #core: Pick<NativeCore, 'seriesKeys' | 'now'>;
  readonly #list = new SeriesList();
  #keys: readonly string[] = [];

  constructor(sinks: readonly Sink[], core: Pick<NativeCore, 'seriesKeys' | 'now'>) {
    this.#sinks = sinks;
    this.#core = core;
  }

  /** Whether any sink takes series: without one there is no timer for them. */
  get wantsSeries(): boolean {
    return this.#sinks.some((sink) => sink.series !== undefined);
  }

  /** Gives what a scraper gets; null where no metrics are shown. */
  get scrape(): ((accept: string | undefined) => Promise<Exposition>) | null {
    const sink = this.#sinks.find(({ scrape }) => scrape !== undefined);
    return sink === undefined ? null : (accept) => sink.scrape?.(accept) ?? Promise.reject(new Error('not shown'));
  }

  /** Where scrapers also come over TCP; null for the local socket alone. */
  get listen(): Listen | null {
    return this.#sinks.find(({ listen }) => listen != null)?.listen ?? null;
  }

  sendsTrace(traceId: string): boolean {
    return this.#sinks.some((sink) => sink.sendsTrace?.(traceId) === true);
  }

  /** Takes the daemon's own work; null where no sink wants it. */
  onWork(): OnWork {
    const takers = this.#sinks.filter((sink) => sink.wantsWork === true);
    if (takers.length === 0) return null;
    return (work) => {
      for (const sink of takers) sink.work?.(work);
    };
  }

  start(signal: AbortSignal): void {
    for (const sink of this.#sinks) sink.start(signal);
  }

  event(event: FaultEvent): void {
    for (const sink of this.#sinks) sink.event(event);
  }

  /** To be called when the incident was written to the log, or is marked as not written. */
  incident(incident: Incident): void {
    for (const sink of this.#sinks) sink.incident(incident);
  }

  discovery(discovery: Discovery): void {
    for (const sink of this.#sinks) sink.discovery?.(discovery);
  }

  /** What the flight-recorder source has for other hosts. */
  summary(job: string, text: string, timeMs: number): void {
    for (const sink of this.#sinks) sink.summary?.(job, text, timeMs);
  }

  /** Once a second, with what the core aggregated since. */
  series(aggregates: Aggregates): void {
    if (aggregates.ids.some((id) => id >= this.#keys.length)) this.#keys = this.#core.seriesKeys();
    const list = this.#list.of(aggregates, this.#keys);
    const nowMs = this.#core.now();
    for (const sink of this.#sinks) sink.series?.(list, nowMs);
  }

  notifications(): readonly SentNotification[] {
    return this.#sinks.flatMap((sink) => sink.notifications?.() ?? []);
  }

  health(): readonly SinkHealth[] {
    return this.#sinks.map((sink) => sink.health());
  }

  async stop(): Promise<void> {
    await Promise.all(this.#sinks.map((sink) => sink.stop()));
  }
}

// Trace book: decides when a span is settled and hands it out once; backends cannot take a span back.

import type { FaultEvent } from '../../../model/event.ts';
import type { ChainLink, Incident } from '../../../model/incident.ts';
import { remember } from '../../remember.ts';
import { isSampled } from '../ids.ts';
import { condition } from '../logs/context-book.ts';
import type { Origin } from '../logs/log-records.ts';
import { chainSpan, incidentSpan, type Span, type Work, workSpan } from './spans.ts';

export interface TraceBookOptions {
  readonly origin: Origin;
  readonly ratio: number;
  readonly now: () => number;
  /** A link that ended this long ago is sent although its incident is still open. */
  readonly settleMs?: number;
}

interface Page {
  incident: Incident;
  /** Event ids of the links whose spans went out. */
  readonly sent: Set<string>;
  /** Set once the span of the incident went out; later ones continue it. */
  rootSent: boolean;
  /** When it was opened again after that. */
  reopenedMs: number | null;
}

const SETTLE_MS = 120_000;
const MOST_PAGES = 2048;
const MOST_CONDITIONS = 8192;
const MOST_ARRIVALS = 4096;

export class TraceBook {
  readonly #options: TraceBookOptions;
  readonly #pages = new Map<string, Page>();
  /** By condition: what was last heard of it. */
  readonly #last = new Map<string, { readonly state: FaultEvent['state']; readonly latestMs: number }>();
  /** By event id: when it happened at the latest, and when it came out of detection. */
  readonly #arrivals = new Map<string, { readonly latestMs: number; readonly arrivedMs: number }>();
  #work: Span[] = [];

  constructor(options: TraceBookOptions) {
    this.#options = options;
  }

  event(event: FaultEvent): void {
    const latestMs = event.interval.latestMs;
    const key = condition(event);
    const known = this.#last.get(key);
    if (known === undefined || latestMs >= known.latestMs) {
      remember(this.#last, key, { state: event.state, latestMs }, MOST_CONDITIONS);
    }
    if (this.#arrivals.has(event.id)) return;
    remember(this.#arrivals, event.id, { latestMs, arrivedMs: this.#options.now() }, MOST_ARRIVALS);
  }

  /** Spans that this revision settles: all that are left where it is resolved. */
  incident(incident: Incident): Span[] {
    if (!isSampled(incident.traceId, this.#options.ratio)) return [];
    const known = this.#pages.get(incident.id);
    const page = known ?? { incident, sent: new Set<string>(), rootSent: false, reopenedMs: null };
    if (page.rootSent && incident.state === 'open') page.reopenedMs ??= incident.updatedMs;
    page.incident = incident;
    remember(this.#pages, incident.id, page, MOST_PAGES);
    if (known === undefined && incident.revision === 1) this.#detected(incident);
    return incident.state === 'resolved' ? this.#resolved(page) : [];
  }

  /** A piece of our own work on an incident. */
  work(work: Work): void {
    const page = this.#pages.get(work.incidentId);
    if (page !== undefined && this.#work.length < 1024) this.#work.push(workSpan(work, this.#options.origin));
  }

  /** Spans of our own work, and links of open incidents that ended long enough ago. */
  due(): Span[] {
    const spans = this.#work.splice(0);
    const beforeMs = this.#options.now() - (this.#options.settleMs ?? SETTLE_MS);
    for (const page of this.#pages.values()) {
      if (page.incident.state !== 'open') continue;
      for (const link of page.incident.chain) {
        const endMs = this.#endOf(link);
        if (endMs === null || endMs > beforeMs || page.sent.has(link.eventId)) continue;
        spans.push(this.#chainSpan(page, link, endMs));
      }
    }
    return spans;
  }

  #resolved(page: Page): Span[] {
    const { incident } = page;
    const overMs = incident.resolvedMs ?? incident.updatedMs;
    const spans: Span[] = [];
    let startMs = incident.openedMs;
    let endMs = overMs;
    // The links of a merged incident are told in the trace of the one that took it up.
    for (const link of incident.mergedInto === null ? incident.chain : []) {
      const linkEndMs = this.#endOf(link) ?? overMs;
      startMs = Math.min(startMs, link.interval.earliestMs);
      endMs = Math.max(endMs, linkEndMs);
      if (!page.sent.has(link.eventId)) spans.push(this.#chainSpan(page, link, linkEndMs));
    }
    const { origin } = this.#options;
    if (!page.rootSent) spans.push(incidentSpan(incident, startMs, endMs, origin));
    else if (page.reopenedMs !== null) {
      spans.push(incidentSpan(incident, page.reopenedMs, endMs, origin, `again ${incident.revision}`));
    }
    page.rootSent = true;
    page.reopenedMs = null;
    return spans;
  }

  #chainSpan(page: Page, link: ChainLink, endMs: number): Span {
    page.sent.add(link.eventId);
    return chainSpan(page.incident, link, endMs, this.#options.origin);
  }

  /** When the link's condition ended; null while it lasts. A point, and what was never heard of here, ends at once. */
  #endOf(link: ChainLink): number | null {
    const last = this.#last.get(condition(link));
    if (last === undefined) return null;
    if (last.state === 'onset') return null;
    return Math.max(last.latestMs, link.interval.latestMs);
  }

  /** From when it happened to when it came out of detection, for the event that opened the incident. */
  #detected(incident: Incident): void {
    const heard = incident.events.flatMap((event) => {
      const arrival = this.#arrivals.get(event.id);
      return arrival === undefined ? [] : [{ eventId: event.id, ...arrival }];
    });
    const first = heard.sort((a, b) => a.arrivedMs - b.arrivedMs)[0];
    if (first === undefined) return;
    const { eventId, latestMs, arrivedMs } = first;
    const startMs = Math.min(latestMs, arrivedMs);
    this.work({ name: 'Detector/Detect', incidentId: incident.id, startMs, endMs: arrivedMs, eventId });
  }
}

// Trace book: decides when a span is settled and hands it out once; backends cannot take a span back.

import { remember } from '../../../helpers/remember.ts';
import type { FaultEvent } from '../../../model/event.ts';
import type { ChainLink, Incident } from '../../../model/incident.ts';
import type { Stage } from '../../../model/stage.ts';
import { isSampled, traceIdOf } from '../../../model/trace.ts';
import type { EventWork, IncidentWork, Work } from '../../../model/work.ts';
import type { SentPart, SentParts } from '../../delivery/journal/sent-journal.ts';
import { condition, conditionOf } from '../logs/context-book.ts';
import type { Origin } from '../logs/log-records.ts';
import { chainSpan, incidentSpan, requestSpan, type Span, spanPart, stagePart, stageSpan, workSpan } from './spans.ts';

export interface TraceBookOptions {
  readonly origin: Origin;
  readonly ratio: number;
  readonly now: () => number;
  /** A link that ended this long ago is sent although its incident is still open. */
  readonly settleMs?: number;
  /** Spans that an earlier run sent, by incident. */
  readonly sent?: SentParts;
}

interface Page {
  incident: Incident;
  /** What went out: event ids of links, and the spans of the incident itself, one each time that it was resolved. */
  readonly sent: Set<string>;
}

const SETTLE_MS = 120_000;
const MOST_PAGES = 2048;
const MOST_CONDITIONS = 8192;
const MOST_WAITING = 4096;
/** Pieces of work of one event or incident that wait for its trace. */
const MOST_EACH = 16;
const MOST_WORK = 1024;
/** Notes of spans that wait for a disk that does not take them. */
const MOST_UNNOTED = 8192;

export class TraceBook {
  readonly #options: TraceBookOptions;
  readonly #pages = new Map<string, Page>();
  /** By condition: what was last heard of it. */
  readonly #last = new Map<string, { readonly state: FaultEvent['state']; readonly latestMs: number }>();
  /** By event or incident: work of before its incident was reported; an event that repeats is found once. */
  readonly #waiting = new Map<string, (EventWork | IncidentWork)[]>();
  readonly #found = new Map<string, true>();
  #work: Span[] = [];
  readonly #unnoted: SentPart[] = [];

  constructor(options: TraceBookOptions) {
    this.#options = options;
  }

  event(event: FaultEvent): void {
    const latestMs = event.interval.latestMs;
    const key = conditionOf(event);
    const known = this.#last.get(key);
    if (known === undefined || latestMs >= known.latestMs) {
      remember(this.#last, key, { state: event.state, latestMs }, MOST_CONDITIONS);
    }
  }

  /** Spans that this revision settles: all that are left where it is resolved. */
  incident(incident: Incident): Span[] {
    if (!isSampled(incident.traceId, this.#options.ratio)) return [];
    const known = this.#pages.get(incident.id);
    const page = known ?? this.#page(incident, wasResolved(incident));
    page.incident = incident;
    remember(this.#pages, incident.id, page, MOST_PAGES);
    this.#takeUp(incident);
    const stages = this.#stages(page);
    if (incident.state === 'open') return stages;
    const spans = [...this.#resolved(page), ...stages];
    page.incident = withoutEvidence(incident);
    return spans;
  }

  /** Takes up an incident whose last revision an earlier run sent. */
  restore(incident: Incident): void {
    const page = this.#page(incident, incident.state === 'resolved');
    if (incident.state === 'resolved') {
      for (const { eventId } of incident.chain) page.sent.add(eventId);
      for (const stage of incident.stages ?? []) if (isOver(stage)) page.sent.add(stagePart(stage));
      page.incident = withoutEvidence(incident);
    }
    remember(this.#pages, incident.id, page, MOST_PAGES);
  }

  /** Number of spans that were handed out and are not noted in the journal yet. */
  get unnoted(): number {
    return this.#unnoted.length;
  }

  /** The oldest `count` of them, to be noted. */
  takeUnnoted(count: number): SentPart[] {
    return this.#unnoted.splice(0, count);
  }

  #page(incident: Incident, rootSent: boolean): Page {
    const sent = new Set(this.#options.sent?.get(incident.id) ?? []);
    if (rootSent) sent.add(spanPart(incident.reopened));
    return { incident, sent };
  }

  #sent(page: Page, part: string): void {
    page.sent.add(part);
    this.#unnoted.push({ incidentId: page.incident.id, part });
    if (this.#unnoted.length > MOST_UNNOTED) this.#unnoted.shift();
  }

  /** A piece of our own work: kept until the incident that it belongs to is reported, unless its trace is not kept. */
  work(work: Work): void {
    if ('parent' in work) {
      if (work.parent.sampled) this.#add(requestSpan(work, this.#options.origin));
    } else if ('incidentId' in work) {
      const page = this.#pages.get(work.incidentId);
      if (page !== undefined) this.#add(this.#workSpan(work, page.incident));
      else if (isSampled(traceIdOf(work.incidentId), this.#options.ratio)) this.#wait(work.incidentId, work);
    } else {
      const key = `${work.name} ${work.eventId}`;
      if (this.#found.has(key)) return;
      remember(this.#found, key, true, MOST_WAITING);
      this.#wait(work.eventId, work);
    }
  }

  /** Spans of our own work, and links of open incidents that ended long enough ago. */
  due(): Span[] {
    const spans = this.#work.splice(0);
    const beforeMs = this.#options.now() - (this.#options.settleMs ?? SETTLE_MS);
    for (const page of this.#pages.values()) {
      if (page.incident.state !== 'open') continue;
      for (const link of page.incident.chain) {
        const endMs = this.#endOf(link, page.incident);
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
    const again = incident.reopened > 0;
    let startMs = again ? (incident.reopenedMs ?? incident.openedMs) : incident.openedMs;
    let endMs = overMs;
    // The links of a merged incident are in the trace of the one that took it up.
    for (const link of incident.mergedInto === null ? incident.chain : []) {
      const linkEndMs = this.#endOf(link, incident) ?? overMs;
      if (!again) startMs = Math.min(startMs, link.interval.earliestMs);
      endMs = Math.max(endMs, linkEndMs);
      if (!page.sent.has(link.eventId)) spans.push(this.#chainSpan(page, link, linkEndMs));
    }
    const part = spanPart(incident.reopened);
    if (!page.sent.has(part)) {
      this.#sent(page, part);
      spans.push(incidentSpan(incident, startMs, endMs, this.#options.origin));
    }
    return spans;
  }

  /** Stages that are over; each goes out once. What is done after an incident was resolved is in its trace as well. */
  #stages(page: Page): Span[] {
    const { incident } = page;
    const over = (incident.stages ?? []).filter((stage) => isOver(stage) && !page.sent.has(stagePart(stage)));
    return over.map((stage) => {
      this.#sent(page, stagePart(stage));
      return stageSpan(incident, stage, this.#options.origin);
    });
  }

  #chainSpan(page: Page, link: ChainLink, endMs: number): Span {
    this.#sent(page, link.eventId);
    return chainSpan(page.incident, link, endMs, this.#options.origin);
  }

  /** When the link's condition ended; null while it lasts. A point, and what was never heard of here, ends at once. */
  #endOf(link: ChainLink, { made }: Incident): number | null {
    const last = this.#last.get(condition(link, made));
    if (last === undefined) return null;
    if (last.state === 'onset') return null;
    return Math.max(last.latestMs, link.interval.latestMs);
  }

  #wait(id: string, work: EventWork | IncidentWork): void {
    const known = this.#waiting.get(id) ?? [];
    if (known.length < MOST_EACH) remember(this.#waiting, id, [...known, work], MOST_WAITING);
  }

  /** What was done before anybody knew of the incident, and on the events that it took up. */
  #takeUp(incident: Incident): void {
    for (const id of [incident.id, ...incident.events.map((event) => event.id)]) {
      for (const work of this.#waiting.get(id) ?? []) {
        this.#add(this.#workSpan({ ...work, incidentId: incident.id }, incident));
      }
      this.#waiting.delete(id);
    }
  }

  /** Linked to the span of the event, or of the condition that the event ends; to the incident where there is neither. */
  #workSpan(work: IncidentWork, { chain, events, made }: Incident): Span {
    const event = events.find(({ id }) => id === work.eventId);
    const about =
      chain.find(({ eventId }) => eventId === work.eventId) ??
      (event === undefined ? undefined : chain.find((link) => condition(link, made) === conditionOf(event)));
    return workSpan(work, about?.eventId, this.#options.origin, made);
  }

  #add(span: Span): void {
    if (this.#work.length < MOST_WORK) this.#work.push(span);
  }
}

function isOver({ outcome }: Stage): boolean {
  return outcome !== 'in_progress';
}

/** What is kept of thousands of resolved ones. */
function withoutEvidence(incident: Incident): Incident {
  return { ...incident, evidence: [], events: [], alternatives: [], ruledOut: [], confidenceParts: [], impact: [] };
}

/** Whether it was resolved before this revision already, as far as its document says. */
function wasResolved({ state, resolvedMs, updatedMs }: Incident): boolean {
  return state === 'resolved' && resolvedMs !== null && resolvedMs < updatedMs;
}

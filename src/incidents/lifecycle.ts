// Lifecycle: gives what correlation believes an identity and a history — opened, revised, resolved, opened again, merged.

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { incidentToDocument } from '../model/documents/incident.ts';
import type { FaultEvent } from '../model/event.ts';
import type { Explanation } from '../model/explanation.ts';
import { incidentId } from '../model/identity.ts';
import type { Incident } from '../model/incident.ts';
import type { StageReport } from '../model/stage.ts';
import { traceIdOf } from '../model/trace.ts';
import { joinWhose } from '../model/whose.ts';
import { GpuHourLedger } from './gpu-hour-ledger.ts';
import { LifeBook } from './life/life-book.ts';
import type { PastIncident } from './log/past.ts';

/** What must be known of an incident to continue with it, open or not. */
interface Page {
  readonly revision: number;
  readonly openedMs: number;
  readonly updatedMs: number;
  readonly resolvedMs: number | null;
  readonly reopened: number;
  readonly reopenedMs: number | null;
  /** Digest of everything that matters in the last revision. */
  readonly digest: string;
}

/** Resolved incidents that can be opened again under the same id. */
export const CLOSED_PAGES = 4096;
const OPEN_INCIDENTS = 4096;

/** Two incidents with equal digests say the same: times of writing, counts and the last per cent of doubt aside. */
function digestOf(incident: Incident): string {
  const { revision, opened_at, updated_at, resolved_at, reopened, reopened_at, log, ...rest } =
    incidentToDocument(incident);
  const said = JSON.stringify(rest, (key, value: unknown) => {
    if (key === 'gpu_hours' || key === 'cost') return undefined; // they grow with time alone
    if ((key === 'confidence' || key === 'delta') && typeof value === 'number') return Math.round(value * 100);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  return createHash('sha256').update(said).digest('base64');
}

/**
 * All incidents of one host. Every time in it is event time, so that the same explanations give the same documents.
 * Open incidents are held whole; of the resolved ones only what a re-opening needs, and of those the newest 4,096.
 */
export class IncidentBook {
  readonly #host: string;
  readonly #open = new Map<string, Incident>();
  readonly #pages = new Map<string, Page>();
  readonly #ledger = new GpuHourLedger();
  readonly #life: LifeBook;

  /**
   * `restored` are open; `closed` are resolved ones of an earlier run, whose revisions continue where they are opened again,
   * and `past` those and more, of which less is known.
   */
  constructor(
    host: string,
    restored: readonly Incident[],
    closed: readonly Incident[] = [],
    past: readonly PastIncident[] = [],
  ) {
    this.#host = host;
    this.#life = new LifeBook([...closed, ...restored]);
    for (const { id, ...page } of past) this.#pages.set(id, { ...page, digest: '' });
    for (const incident of closed) this.#keep(incident, digestOf(incident));
    for (const incident of restored) this.#keep(incident, digestOf(incident));
  }

  /** The open incidents, oldest first. */
  open(): readonly Incident[] {
    return [...this.#open.values()];
  }

  /** The next revision of the incident that this explanation is about; null when it says nothing new. */
  apply(explanation: Explanation): Incident | null {
    const id = incidentId(this.#host, explanation.firstEventId);
    const before = this.#pages.get(id);
    const merged = explanation.mergedInto === null ? null : incidentId(this.#host, explanation.mergedInto);
    // What was never reported needs no word about where it went.
    if (before === undefined && merged !== null) return null;
    const resolved = explanation.ended || (merged !== null && merged !== id);
    const updatedMs = Math.max(explanation.asOfMs, before?.updatedMs ?? explanation.firstEventMs);
    const again = !resolved && before !== undefined && before.resolvedMs !== null;
    const { firstEventId, firstEventMs, asOfMs, ended, ...believed } = explanation;
    const openedMs = before?.openedMs ?? firstEventMs;
    const whose = joinWhose(believed.events.flatMap((event) => event.whose ?? []));
    const incident = this.#life.with({
      ...believed,
      ...(whose.length === 0 ? {} : { whose }),
      impact: this.#ledger.shared({ id, openedMs, impact: believed.impact }),
      id,
      host: this.#host,
      state: resolved ? 'resolved' : 'open',
      revision: (before?.revision ?? 0) + 1,
      openedMs,
      updatedMs,
      resolvedMs: resolved ? (before?.resolvedMs ?? updatedMs) : null,
      reopened: (before?.reopened ?? 0) + Number(again),
      reopenedMs: again ? updatedMs : (before?.reopenedMs ?? null),
      mergedInto: merged === id ? null : merged,
      traceId: traceIdOf(id),
      log: 'written',
    });
    const digest = digestOf(incident);
    if (before?.digest === digest) return null;
    this.#keep(incident, digest);
    return incident;
  }

  /**
   * Resolves an open incident that no explanation will ever end: one that was restored and whose events did not come
   * again. Null when no such incident is open.
   */
  resolve(id: string, atMs: number): Incident | null {
    const open = this.#open.get(id);
    if (open === undefined) return null;
    const updatedMs = Math.max(atMs, open.updatedMs);
    const revision = open.revision + 1;
    const incident = this.#life.with({ ...open, state: 'resolved', revision, updatedMs, resolvedMs: updatedMs });
    this.#keep(incident, digestOf(incident));
    return incident;
  }

  /** Further revisions of open incidents of which this one, as it is now, counts GPU-hours, or does not any more. */
  recount(incident: Incident): Incident[] {
    const reported: Incident[] = [];
    for (const id of this.#ledger.later(incident)) {
      const open = this.#open.get(id);
      if (open === undefined) continue;
      const impact = this.#ledger.shared(open);
      const updatedMs = Math.max(open.updatedMs, incident.updatedMs);
      const next = this.#life.with({ ...open, impact, updatedMs, revision: open.revision + 1 });
      const digest = digestOf(next);
      if (this.#pages.get(id)?.digest === digest) continue;
      this.#keep(next, digest);
      reported.push(next);
    }
    return reported;
  }

  /** Further revisions of incidents about which something was done: `event` shows it. */
  lived(event: FaultEvent): Incident[] {
    return this.#lived(this.#life.take(event), event.timeMs);
  }

  /** The same of what this daemon did itself, or did not. */
  acted(report: StageReport): Incident[] {
    const incident = this.#life.report(report);
    return incident === null ? [] : this.#lived([incident], report.endedMs ?? report.beganMs);
  }

  /** The same of what only time decides: a fault that is still there after its remedy. */
  livedOn(nowMs: number): Incident[] {
    return this.#lived(this.#life.advance(nowMs), nowMs);
  }

  /** Whether time alone may still decide something. */
  get waiting(): boolean {
    return this.#life.waiting;
  }

  #lived(incidents: readonly Incident[], atMs: number): Incident[] {
    return incidents.flatMap((incident) => {
      const { stages } = this.#life.with(incident);
      if (isDeepStrictEqual(stages, incident.stages)) return [];
      const updatedMs = Math.max(incident.updatedMs, atMs);
      const next = this.#life.with({ ...incident, updatedMs, revision: incident.revision + 1, log: 'written' });
      this.#keep(next, digestOf(next));
      return [next];
    });
  }

  #keep(incident: Incident, digest: string): void {
    this.#ledger.take(incident);
    this.#life.keep(incident);
    const { id, revision, openedMs, updatedMs, resolvedMs, reopened, reopenedMs } = incident;
    this.#pages.delete(id); // so that the page moves to the young end
    this.#pages.set(id, { revision, openedMs, updatedMs, resolvedMs, reopened, reopenedMs, digest });
    if (incident.state === 'open') this.#open.set(id, incident);
    else this.#open.delete(id);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= OPEN_INCIDENTS) break;
      this.#open.delete(oldest);
    }
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size - this.#open.size <= CLOSED_PAGES) break;
      if (!this.#open.has(oldest)) this.#pages.delete(oldest);
    }
  }
}

// Incident search: which of many incidents fit what is asked for; of each no more is kept than the answer needs.

import type { Incident } from '../../model/incident.ts';
import type { AskedIncidents, FoundIncidents } from './asked.ts';
import { conditionsOf } from './conditions.ts';
import { pageOf, STANDARD_LIMIT } from './page.ts';
import { searchedIncident } from './searched-incident.ts';
import { type Counted, countedIncident, incidentStatistics } from './statistics.ts';

/** Incidents that one search looks at; of more, those that changed last. */
const MOST = 20_000;

interface Seen {
  readonly revision: number;
  readonly openedMs: number;
  readonly updatedMs: number;
  readonly mergedInto: string | null;
  readonly fits: boolean;
  /** Null where nothing is to be counted. */
  readonly counted: Counted | null;
}

export class IncidentSearch {
  readonly #asked: AskedIncidents;
  readonly #given: URLSearchParams;
  readonly #fits: (incident: Incident) => boolean;
  /** Those that changed last at the end, as far as they come in that order. */
  readonly #seen = new Map<string, Seen>();
  #leftOutMs = Number.NEGATIVE_INFINITY;

  constructor(asked: AskedIncidents) {
    this.#asked = asked;
    this.#given = new URLSearchParams(asked.parameters);
    const fits = conditionsOf(this.#given, asked.nowMs);
    const log = this.#given.get('log');
    this.#fits = (incident) =>
      (asked.want !== 'groups' || incident.mergedInto === null) &&
      (log === null || incident.log === log) &&
      fits(searchedIncident(incident));
  }

  /** Of the same incident the latest revision counts. */
  take(incident: Incident): void {
    const { id, revision, openedMs, updatedMs, mergedInto } = incident;
    if ((this.#seen.get(id)?.revision ?? -1) > revision) return;
    const fits = this.#fits(incident);
    const counted = fits && this.#asked.want === 'statistics' ? countedIncident(incident) : null;
    this.#seen.delete(id);
    this.#seen.set(id, { revision, openedMs, updatedMs, mergedInto, fits, counted });
    if (this.#seen.size <= MOST) return;
    for (const [oldest, { updatedMs: goneMs }] of this.#seen) {
      this.#leftOutMs = Math.max(this.#leftOutMs, goneMs);
      this.#seen.delete(oldest);
      return;
    }
  }

  /** When what was too many to look at changed last, epoch ms; minus infinity where nothing was. */
  get leftOutMs(): number {
    return this.#leftOutMs;
  }

  found(): Pick<FoundIncidents, 'nextCursor' | 'total' | 'merged' | 'statistics'> & {
    readonly ids: readonly string[];
  } {
    const all = [...this.#seen].filter(([, { fits }]) => fits);
    if (this.#asked.want === 'statistics') {
      const statistics = incidentStatistics(all.flatMap(([, { counted }]) => counted ?? []));
      return { ids: [], nextCursor: null, total: all.length, merged: {}, statistics };
    }
    const placed = all.map(([id, { openedMs }]) => ({ id, timeMs: openedMs }));
    const { items, nextCursor, total } = pageOf(placed, this.#given, STANDARD_LIMIT);
    const ids = items.map(({ id }) => id);
    return { ids, nextCursor, total, merged: this.#mergedInto(ids), statistics: null };
  }

  #mergedInto(ids: readonly string[]): Record<string, string[]> {
    if (this.#asked.want !== 'groups') return {};
    const merged: Record<string, string[]> = Object.fromEntries(ids.map((id) => [id, []]));
    for (const [id, { mergedInto }] of this.#seen) if (mergedInto !== null) merged[mergedInto]?.push(id);
    return merged;
  }
}

// History: the incidents of all runs, for the API: out of memory where that is enough, else out of the log, read in its own thread.

import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ApiError } from '../api/api-error.ts';
import type { KnownIncident } from '../api/backend.ts';
import type { AskedIncidents, FoundIncidents } from '../api/query/asked.ts';
import { sinceOf } from '../api/query/conditions.ts';
import { findIncidents } from '../api/query/find-incidents.ts';
import type { LogSearch } from '../api/query/log-search.ts';
import type { Recent } from '../api/recent.ts';
import { errorText } from '../helpers/error-text.ts';
import { remember } from '../helpers/remember.ts';
import type { Incident } from '../model/incident.ts';
import { NOTHING_SAID } from '../model/note.ts';

/** In the same folder both as source and in the bundle. */
const THREAD = join(import.meta.dirname, `history-thread${extname(import.meta.filename)}`);
/** The longest log that can be configured by default, 700 MB, takes ten seconds of one core. */
const LONGEST_MS = 60_000;
/** What a search needs besides the page that is asked for; the daemon's own limit is 192 MiB for all. */
const HEAP = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };
/** Who asks while so many wait already is refused: each waits for all before. */
const MOST_WAITING = 8;
/** Reading the log for an incident that it has not may take this share of the time: one who makes ids up keeps no core busy. */
const SHARE_OF_UNKNOWN = 0.1;
/** As commands take ids: at least four digits. */
const DIGITS = /^[0-9a-f]{4,64}$/;
const AMBIGUOUS_SHOWN = 10;
/** Incidents of which it is known that the log has them. */
const MOST_KNOWN = 20_000;

/** Of the two one is asked: what is found by conditions, or one incident by the first digits of its id. */
export interface LogQuestion {
  readonly search: LogSearch;
  readonly asked: AskedIncidents | null;
  readonly id: string;
}

export interface HistoryOptions {
  readonly recent: Recent;
  /** Of the incident log; null where there is none. */
  readonly directory: string | null;
  readonly longestMs?: number;
}

export class History {
  readonly #recent: Recent;
  readonly #directory: string | null;
  readonly #longestMs: number;
  #waiting = 0;
  readonly #known = new Map<string, true>();
  /** Until then nothing is read for an id that no list has given out, ms of the steady clock. */
  #restsUntilMs = 0;
  /** One thread at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ recent, directory, longestMs = LONGEST_MS }: HistoryOptions) {
    this.#recent = recent;
    this.#directory = directory;
    this.#longestMs = longestMs;
  }

  async find(asked: AskedIncidents): Promise<FoundIncidents> {
    const { incidentsSinceMs } = this.#recent;
    if (this.#directory === null || this.#isInMemory(asked))
      return findIncidents(this.#recent.incidents(), asked, incidentsSinceMs);
    const found = await this.#ask<FoundIncidents>(this.#directory, { asked, id: '' });
    for (const { id } of found.incidents) remember(this.#known, id, true, MOST_KNOWN);
    return { ...found, completeSinceMs: Math.min(found.completeSinceMs, incidentsSinceMs) };
  }

  /** By its id or the first digits of it, as people have them; of those that memory has before those of the log alone. */
  async one(given: string): Promise<KnownIncident | null> {
    const id = given.toLowerCase();
    if (!DIGITS.test(id)) return null;
    const kept = only(this.#recent.incidents(), id);
    if (kept !== null || this.#directory === null) return kept === null ? null : { incident: kept, said: NOTHING_SAID };
    const begunMs = performance.now();
    const waitsMs = this.#restsUntilMs - begunMs;
    if (waitsMs > 0 && !this.#isKnown(id))
      throw refused(
        `ids that the incident log does not have were asked for, and each of them takes a whole reading of it`,
        waitsMs,
      );
    const { incidents, said } = await this.#ask<FoundIncidents>(this.#directory, { asked: null, id });
    const incident = only(incidents, id);
    if (incident === null) {
      const nowMs = performance.now();
      this.#restsUntilMs = nowMs + Math.min((nowMs - begunMs) / SHARE_OF_UNKNOWN, this.#longestMs);
    } else remember(this.#known, incident.id, true, MOST_KNOWN);
    return incident === null ? null : { incident, said: said[incident.id] ?? NOTHING_SAID };
  }

  #isKnown(id: string): boolean {
    return this.#known.has(id) || [...this.#known.keys()].some((one) => one.startsWith(id));
  }

  /** Everything that changed since is there, what is open, and what the log has not. */
  #isInMemory({ parameters, nowMs }: AskedIncidents): boolean {
    const { incidentsSinceMs, hasAllOpen } = this.#recent;
    const given = new URLSearchParams(parameters);
    if (given.get('log') === 'unavailable') return true;
    return hasAllOpen && (given.get('state') === 'open' || sinceOf(given, nowMs) >= incidentsSinceMs);
  }

  async #ask<T>(directory: string, question: Omit<LogQuestion, 'search'>): Promise<T> {
    if (this.#waiting >= MOST_WAITING) throw refused(`${MOST_WAITING} questions wait for the incident log already`);
    this.#waiting += 1;
    const turn = this.#last.then(() => {
      const held = this.#recent.incidents().filter(({ log }) => log !== 'written');
      return inThread<T>({ ...question, search: { directory, held } }, this.#longestMs);
    });
    this.#last = turn.catch(() => undefined);
    return await turn.finally(() => {
      this.#waiting -= 1;
    });
  }
}

/** The one whose id begins so; null where there is none. Throws where there are several and none has just this id. */
function only(incidents: readonly Incident[], id: string): Incident | null {
  const found = incidents.filter((one) => one.id.startsWith(id));
  const exact = found.find((one) => one.id === id) ?? (found.length === 1 ? found[0] : undefined);
  if (exact !== undefined) return exact;
  if (found.length === 0) return null;
  const ids = found.slice(0, AMBIGUOUS_SHOWN).map((one) => one.id);
  throw new ApiError(409, 'FL4124', `several incidents begin with ${id}: ${ids.join(', ')}. Give more digits`);
}

function inThread<T>(question: LogQuestion, longestMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(THREAD, {
      execArgv: [],
      workerData: question,
      resourceLimits: HEAP,
    });
    const timer = setTimeout(() => {
      reject(refused(`reading the incident log took longer than ${longestMs / 1000} s`));
      void thread.terminate();
    }, longestMs);
    const failed = (why: string) => {
      clearTimeout(timer);
      reject(refused(`the incident log could not be read (${why})`));
    };
    thread.once('message', (answer: T) => {
      clearTimeout(timer);
      resolve(answer);
    });
    thread.once('error', (error) => failed(errorText(error)));
    thread.once('exit', (status) => failed(`its thread ended with ${status}`));
  });
}

function refused(why: string, afterMs = 10_000): ApiError {
  const text = `${why}. Ask for less of it: since=24h, limit=20; or read it on the host: faultline incidents`;
  return new ApiError(503, 'FL4123', text, { 'retry-after': String(Math.max(1, Math.ceil(afterMs / 1000))) });
}

// Reads what is new in one log: services list the newest first or last, page or do not, and begin again after a log was cleared.

import { at, linkAt, numberAt, sameLink } from '../decode/json.ts';
import type { RedfishClient } from '../http/client.ts';
import { RedfishError } from '../http/redfish-error.ts';
import type { Resource } from '../http/resource.ts';
import { decodeEntry, type LogEntry } from './log-entry.ts';
import type { LogPlace } from './log-place.ts';
import type { LogPlan } from './log-services.ts';

/** Pages of one reading; what is further back is older than what matters. */
const MOST_PAGES = 8;
/** Entries of the end of a long log. */
const TAIL = 50;
/** Of the last reading, to know them again. */
const KEPT_KEYS = 2000;
/** Members of a page that are links and not entries: fetched one by one, the newest first. */
const MOST_LINKS = 20;

export interface LogNews {
  /** Oldest first. */
  readonly entries: readonly LogEntry[];
  /** Nothing was known of this log before: all of it is new to us, and old. */
  readonly first: boolean;
  readonly resources: readonly Resource[];
}

interface Page {
  readonly entries: readonly LogEntry[];
  readonly next: string | null;
  readonly count: number | null;
}

export class LogReader {
  readonly plan: LogPlan;
  #place: LogPlace | null;
  #known = new Set<string>();
  /** How many entries the log had; only where it can be read from there on. */
  #count: number | null = null;
  /** $skip is obeyed; null: not tried. */
  #skips: boolean | null = null;
  #first: boolean;
  #resources: Resource[] = [];

  constructor(plan: LogPlan, place: LogPlace | null) {
    this.plan = plan;
    this.#place = place;
    this.#first = place === null;
  }

  get place(): LogPlace | null {
    return this.#place;
  }

  /** Null where the log is not to be had; rejects where the BMC is not. */
  async read(client: RedfishClient): Promise<LogNews | null> {
    this.#resources = [];
    const found = (await this.#fromLast(client)) ?? (await this.#whole(client));
    if (found === null) return null;
    const entries = inOrder(found).filter((entry) => this.#isNew(entry));
    const first = this.#first;
    this.#first = false;
    this.#remember(found);
    return { entries, first, resources: this.#resources };
  }

  /** The rest after what was read last, where the service obeys $skip; null where that cannot be relied on. */
  async #fromLast(client: RedfishClient): Promise<LogEntry[] | null> {
    if (this.#skips !== true || this.#count === null) return null;
    const page = await this.#page(client, this.#from(this.#count));
    // Cleared or wrapped: what is there is not the continuation.
    if (page === null || page.count === null || page.count < this.#count) return null;
    const found = [...page.entries];
    let next = page.next;
    for (let pages = 1; next !== null && pages < MOST_PAGES; pages += 1) {
      const more = await this.#page(client, next);
      found.push(...(more?.entries ?? []));
      next = more?.next ?? null;
    }
    this.#count = page.count;
    return found;
  }

  async #whole(client: RedfishClient): Promise<LogEntry[] | null> {
    const page = await this.#page(client, this.plan.path);
    if (page === null) return null;
    if (page.next === null) {
      this.#count = isOldestFirst(page.entries) ? page.count : null;
      if (this.#count !== null && this.#skips === null && page.entries.length >= TAIL)
        await this.#trySkip(client, page);
      return [...page.entries];
    }
    return isOldestFirst(page.entries) ? this.#tail(client, page) : this.#backwards(client, page);
  }

  /** Newest first: back to what is known. */
  async #backwards(client: RedfishClient, start: Page): Promise<LogEntry[]> {
    const found = [...start.entries];
    let page: Page | null = start;
    for (let pages = 1; page !== null && page.next !== null && pages < MOST_PAGES; pages += 1) {
      if (this.#first || page.entries.some((entry) => !this.#isNew(entry))) break;
      page = await this.#page(client, page.next);
      found.push(...(page?.entries ?? []));
    }
    return found;
  }

  /** Oldest first, in pages: the end of it. */
  async #tail(client: RedfishClient, start: Page): Promise<LogEntry[]> {
    if (this.#skips !== false && start.count !== null && start.count > start.entries.length) {
      const last = await this.#trySkip(client, start);
      if (last !== null) return last;
    }
    let found = [...start.entries];
    let page: Page | null = start;
    for (let pages = 1; page !== null && page.next !== null && pages < MOST_PAGES; pages += 1) {
      page = await this.#page(client, page.next);
      found = [...found, ...(page?.entries ?? [])].slice(-KEPT_KEYS);
    }
    return found;
  }

  /** The last entries by $skip; null where the service does as if it had not been asked for. */
  async #trySkip(client: RedfishClient, start: Page): Promise<LogEntry[] | null> {
    const { count } = start;
    if (count === null) return null;
    const page = await this.#page(client, this.#from(Math.max(0, count - TAIL)));
    const same = page?.entries[0]?.key === start.entries[0]?.key;
    this.#skips = page !== null && page.entries.length > 0 && (!same || count <= TAIL) && page.entries.length <= TAIL;
    if (!this.#skips || page === null) return null;
    this.#count = page.count ?? count;
    return [...page.entries];
  }

  #from(skip: number): string {
    return `${this.plan.path}${this.plan.path.includes('?') ? '&' : '?'}$skip=${skip}`;
  }

  async #page(client: RedfishClient, path: string): Promise<Page | null> {
    client.beginLook();
    const resource = await client.tryGet(path).catch((error: unknown) => {
      // A service that knows no $skip may refuse the whole request.
      if (error instanceof RedfishError && error.fault === 'too_large') return null;
      throw error;
    });
    if (resource === null) return null;
    this.#resources.push(resource);
    const next = linkAt(resource.body, 'Members@odata.nextLink') ?? linkAt(resource.body, '@odata.nextLink');
    return {
      entries: await this.#entries(client, resource.body),
      next: sameLink(next, path) ? null : next,
      count: numberAt(resource.body, 'Members@odata.count'),
    };
  }

  async #entries(client: RedfishClient, body: unknown): Promise<LogEntry[]> {
    // Not cut to a list's usual length: the newest may be the last. The body as a whole is bounded.
    const listed = at(body, 'Members');
    const members: readonly unknown[] = Array.isArray(listed) ? listed : [];
    const found: LogEntry[] = [];
    const links: string[] = [];
    for (const member of members) {
      const entry = decodeEntry(member, this.plan.zone);
      const link = linkAt(member);
      if (entry !== null) found.push(entry);
      else if (link !== null && at(member, 'Id') === undefined) links.push(link);
    }
    for (const link of links.slice(-MOST_LINKS)) {
      const resource = await client.tryGet(link);
      const entry = decodeEntry(resource?.body, this.plan.zone);
      if (entry !== null) found.push(entry);
    }
    return found;
  }

  #isNew({ key, id, createdMs }: LogEntry): boolean {
    if (this.#known.has(key)) return false;
    const place = this.#place;
    // What this run has read it knows by name: a clock that was set back hides nothing then.
    if (place === null || this.#known.size > 0 || place.createdMs === null || createdMs === null) {
      return place === null || id !== place.id;
    }
    return createdMs > place.createdMs || (createdMs === place.createdMs && id !== place.id);
  }

  #remember(found: readonly LogEntry[]): void {
    for (const { key } of found) this.#known.add(key);
    while (this.#known.size > KEPT_KEYS) this.#known.delete(this.#known.values().next().value ?? '');
    const last = inOrder(found).at(-1);
    if (last !== undefined) this.#place = { id: last.id, createdMs: last.createdMs };
  }
}

/** Numbers of ids where both are, else as they came; false where it cannot be told. */
function isOldestFirst(entries: readonly LogEntry[]): boolean {
  const [a, b] = [entries[0], entries.at(-1)];
  if (a === undefined || b === undefined || a === b) return true;
  if (a.createdMs !== null && b.createdMs !== null && a.createdMs !== b.createdMs) return a.createdMs < b.createdMs;
  const [idA, idB] = [Number(a.id), Number(b.id)];
  return Number.isNaN(idA) || Number.isNaN(idB) || idA <= idB;
}

/** Oldest first. */
function inOrder(found: readonly LogEntry[]): LogEntry[] {
  const list = isOldestFirst(found) ? [...found] : found.toReversed();
  return list.every(({ createdMs }) => createdMs !== null)
    ? list.toSorted((a, b) => (a.createdMs ?? 0) - (b.createdMs ?? 0))
    : list;
}

// NameBook: host names of devices and collectors, looked up once and in the background; the last good address stays.

import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { backOffMs } from './back-off.ts';
import { within } from './within.ts';

/** A lookup holds one of the four threads that also read files: with a dead name server each takes half a minute. */
const MOST_LOOKUPS = 2;
/** An address is asked for again after this, by the way; sooner where what is there does not answer. */
const FRESH_MS = 300_000;
const SUSPECT_MS = 30_000;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/** How long whoever needs a name that was never resolved waits for it. */
const WAIT_MS = 5_000;

type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

interface Entry {
  addresses: readonly LookupAddress[];
  error: Error | null;
  failures: number;
  askedMs: number;
  dueMs: number;
  running: Promise<void> | null;
}

export class NameBook {
  readonly #resolve: Resolve;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #waiting: (() => void)[] = [];
  #lookups = 0;

  constructor(resolve: Resolve = lookUp, now = () => performance.now()) {
    this.#resolve = resolve;
    this.#now = now;
  }

  /** At least one address; rejects where none was ever known. `waitMs`: how long one that was never asked for is waited for. */
  async addresses(host: string, waitMs = WAIT_MS): Promise<readonly LookupAddress[]> {
    const family = isIP(host.split('%', 1)[0] ?? '');
    if (family !== 0) return [{ address: host, family }];
    const entry = this.#entry(host);
    if (this.#now() >= entry.dueMs) this.#refresh(host, entry);
    if (entry.addresses.length === 0 && entry.running !== null) await within(waitMs, entry.running);
    if (entry.addresses.length === 0) throw entry.error ?? unresolved(host);
    return entry.addresses;
  }

  /** What is at the address does not answer: another one is looked for soon. */
  failed(host: string): void {
    const entry = this.#entries.get(host);
    if (entry?.failures === 0) entry.dueMs = Math.min(entry.dueMs, entry.askedMs + SUSPECT_MS);
  }

  /** For sockets of node:net, node:http and node:https. */
  readonly lookup: LookupFunction = (host, options, done) => {
    this.addresses(host).then(
      (all) => {
        const wanted = all.filter(({ family }) => !options.family || options.family === family);
        const [first] = wanted;
        if (first === undefined) done(unresolved(host), '');
        else if (options.all === true) done(null, [...wanted]);
        else done(null, first.address, first.family);
      },
      (error: unknown) => done(error instanceof Error ? error : unresolved(host), ''),
    );
  };

  #entry(host: string): Entry {
    const known = this.#entries.get(host);
    if (known !== undefined) return known;
    const entry: Entry = { addresses: [], error: null, failures: 0, askedMs: 0, dueMs: -1, running: null };
    this.#entries.set(host, entry);
    return entry;
  }

  #refresh(host: string, entry: Entry): void {
    entry.running ??= this.#ask(host, entry).finally(() => {
      entry.running = null;
    });
  }

  async #ask(host: string, entry: Entry): Promise<void> {
    if (this.#lookups >= MOST_LOOKUPS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#lookups += 1;
    entry.askedMs = this.#now();
    try {
      const addresses = await this.#resolve(host);
      if (addresses.length === 0) throw unresolved(host);
      Object.assign(entry, { addresses, error: null, failures: 0, dueMs: this.#now() + FRESH_MS });
    } catch (error) {
      entry.error = error instanceof Error ? error : unresolved(host);
      entry.dueMs = this.#now() + backOffMs(FIRST_PAUSE_MS, entry.failures, LONGEST_PAUSE_MS);
      entry.failures += 1;
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#lookups -= 1;
      else next();
    }
  }
}

/** Loaded with the first name: its resolver reads the host's files at once, which addresses alone do not need. */
async function lookUp(name: string): Promise<readonly LookupAddress[]> {
  return process.getBuiltinModule('node:dns/promises').lookup(name, { all: true });
}

/** One for the process: the threads are the process's. */
export const names = new NameBook();

function unresolved(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} does not resolve`), { code: 'ENOTFOUND' });
}

// What one run of the daemon leaves for the next of every BMC, in the state folder. No secret is in it: of a session its place.

import { StateFile } from '../../../helpers/files/state-file.ts';
import { linkAt, numberAt, textAt } from '../decode/json.ts';
import type { LogPlace } from '../log/log-place.ts';
import { type BmcFacts, BmcRecord, type OpenSession } from './bmc-record.ts';

const SCHEMA = 'faultline/bmc/1';
const MOST_BYTES = 512 * 1024;
const SETTLE_MS = 200;

export interface MemoryOptions {
  /** The state folder; null to keep nothing. */
  readonly directory: string | null;
  /** False for a look of a moment: it reads which certificate is the right one, leaves nothing, and ends no session of the daemon's. */
  readonly keep: boolean;
  readonly onTrouble?: (detail: string) => void;
}

export class BmcMemory {
  readonly #records = new Map<string, BmcRecord>();
  readonly #file: StateFile;
  readonly #keep: boolean;
  #reading: Promise<void> | null = null;

  /** `urls`: those that are watched; what is known of others is let go. */
  constructor(urls: readonly string[], { directory, keep, onTrouble }: MemoryOptions) {
    this.#file = new StateFile({
      directory,
      name: 'bmc.json',
      schema: SCHEMA,
      maxBytes: MOST_BYTES,
      settleMs: SETTLE_MS,
      content: () => ({ bmcs: Object.fromEntries([...this.#records].map(([url, { facts }]) => [url, facts])) }),
      onTrouble: (_, detail) => onTrouble?.(detail),
    });
    this.#keep = keep;
    const changed = (): void => {
      if (keep) this.#file.changed();
    };
    for (const url of urls) this.#records.set(url, new BmcRecord(undefined, changed));
  }

  of(url: string): BmcRecord {
    return this.#records.get(url) ?? new BmcRecord();
  }

  /** What an earlier run left; to be awaited before the first request. */
  read(): Promise<void> {
    this.#reading ??= this.#file.read(({ bmcs }) => {
      if (typeof bmcs !== 'object' || bmcs === null) return false;
      for (const [url, record] of this.#records) {
        if (!Object.hasOwn(bmcs, url)) continue;
        const facts = factsOf((bmcs as Record<string, unknown>)[url]);
        record.recall(this.#keep ? facts : { ...facts, session: null });
      }
      return true;
    });
    return this.#reading;
  }

  async stop(): Promise<void> {
    if (this.#keep) await this.#file.stop();
  }
}

function factsOf(value: unknown): BmcFacts {
  const fingerprint = textAt(value, 'fingerprint');
  const logs = Object.keys(Object(asObject(value, 'logs'))).flatMap((path): [string, LogPlace][] => {
    const id = textAt(value, 'logs', path, 'id');
    return id === null ? [] : [[path, { id, createdMs: numberAt(value, 'logs', path, 'createdMs') }]];
  });
  return {
    fingerprint: fingerprint !== null && /^[0-9a-f]{64}$/.test(fingerprint) ? fingerprint : null,
    session: sessionOf(asObject(value, 'session')),
    logs: Object.fromEntries(logs),
  };
}

function sessionOf(value: unknown): OpenSession | null {
  const location = linkAt(value, 'location');
  const user = textAt(value, 'user');
  if (location === null || user === null) return null;
  return { location, user, created: textAt(value, 'created') };
}

function asObject(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : null;
}

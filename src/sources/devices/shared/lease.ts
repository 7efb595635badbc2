// Lease: which of the hosts of a rack polls a device that all of them want to know of, by a file in a folder that they share. Who holds
// it says so again and again; who has seen no change for a while, by his own clock, takes it. Two may hold it for a moment, which
// costs the device a few requests: nothing more hangs on it.

import { randomBytes } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceOwn } from '../../../helpers/files/own-file.ts';
import { textAt } from './json.ts';
import { readShared } from './read-shared.ts';

const SCHEMA = 'faultline/lease/1';
const MOST_BYTES = 4096;
/** Until a claim of another that came at the same moment is seen. */
const SETTLE_MS = 300;

export interface LeaseOptions {
  readonly folder: string;
  /** Of the device; a file's name. */
  readonly name: string;
  readonly host: string;
  /** Unchanged for so long it is free. */
  readonly ttlMs: number;
  /** Steady ms. */
  readonly now: () => number;
}

interface Claim {
  readonly id: string;
  readonly host: string;
  readonly count: number;
}

export class Lease {
  readonly #options: LeaseOptions;
  readonly #path: string;
  readonly #id = randomBytes(8).toString('hex');
  #count = 0;
  #seen: string | null = null;
  #seenMs = 0;
  #changes = 0;
  #holder: string | null = null;
  #held = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#path = join(options.folder, `${options.name}.lease`);
  }

  /** Whoever holds it, as far as is known. */
  get holder(): string | null {
    return this.#held ? this.#options.host : this.#holder;
  }

  get isHeld(): boolean {
    return this.#held;
  }

  /** Another renewed it while we watched: what he writes is of now. */
  get isAlive(): boolean {
    return !this.#held && this.#changes > 1;
  }

  /** Whether it is ours now: renewed, or taken where it is free. Rejects where the folder cannot be used. */
  async hold(): Promise<boolean> {
    const claim = await this.#read();
    if (claim !== null && claim.id === this.#id) return this.#write();
    // Another took it: this one was stopped for too long.
    this.#held = false;
    this.#holder = claim?.host ?? null;
    const now = this.#options.now();
    const text = claim === null ? null : `${claim.id} ${claim.count}`;
    if (text !== null && text !== this.#seen) {
      this.#seen = text;
      this.#seenMs = now;
      this.#changes += 1;
      return false;
    }
    if (text !== null && now - this.#seenMs < this.#options.ttlMs) return false;
    await this.#write();
    this.#held = false;
    await sleep(SETTLE_MS * (1 + Math.random()));
    this.#held = (await this.#read())?.id === this.#id;
    return this.#held;
  }

  /** Gives it back, so that another takes it at once. */
  async release(): Promise<void> {
    if (!this.#held) return;
    this.#held = false;
    if ((await this.#read().catch(() => null))?.id === this.#id) await unlink(this.#path).catch(() => undefined);
  }

  async #write(): Promise<boolean> {
    this.#count += 1;
    const claim = { schema: SCHEMA, id: this.#id, host: this.#options.host, count: this.#count };
    await replaceOwn(this.#path, `${JSON.stringify(claim)}\n`, { sync: false });
    this.#held = true;
    return true;
  }

  async #read(): Promise<Claim | null> {
    const value = await readShared(this.#path, MOST_BYTES);
    const id = textAt(value, 'id');
    const count = (value as { count?: unknown } | null)?.count;
    if (textAt(value, 'schema') !== SCHEMA || id === null || typeof count !== 'number') return null;
    return { id, host: textAt(value, 'host') ?? 'another host', count };
  }
}

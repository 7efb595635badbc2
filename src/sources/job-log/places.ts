// Places: how far each log was read, kept for the next run: by the file itself and how it begins, as names come and go.

import { createHash } from 'node:crypto';
import { StateFile } from '../../helpers/files/state-file.ts';
import { remember } from '../../helpers/remember.ts';
import type { CheckedFile } from '../files/checked-file.ts';
import { HandedOver } from './handed-over.ts';

/** How a file begins. A log that was emptied, or another one under its name, begins otherwise. */
export interface Mark {
  readonly length: number;
  readonly hash: string;
}

export interface Place {
  /** Device and inode. */
  readonly identity: string;
  /** Where the first line begins that was not handed over. */
  readonly offset: number;
  readonly mark: Mark;
}

/** Of a longer file no more is looked at. */
export const MARK_BYTES = 256;
const MOST = 1024;
/** Of a log that grows a file is written and synced each time; what was read since then is known by what was handed over. */
const SETTLE_MS = 10_000;

export function markOfBytes(bytes: Buffer): Mark {
  const head = bytes.subarray(0, MARK_BYTES);
  return { length: head.length, hash: createHash('sha256').update(head).digest('hex').slice(0, 32) };
}

/** The bytes that the mark of a file of `size` bytes is of. */
export async function headOf(file: CheckedFile, size: number): Promise<Buffer> {
  const length = Math.min(MARK_BYTES, size);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}

export async function hasMark(file: CheckedFile, { length, hash }: Mark): Promise<boolean> {
  if (length === 0) return true;
  const found = markOfBytes(await headOf(file, length));
  return found.length === length && found.hash === hash;
}

export class LogPlaces {
  readonly #places = new Map<string, Place>();
  readonly #state: StateFile;
  /** What was handed over beyond the places that are on the disk. */
  readonly handedOver: HandedOver;
  /** Resolves when those of the last run are known. */
  readonly ready: Promise<void>;

  /** `directory`: the state folder; null to keep nothing. */
  constructor(directory: string | null) {
    this.#state = new StateFile({
      directory,
      name: 'log-places.json',
      schema: 'faultline/log-places/1',
      maxBytes: 1024 * 1024,
      settleMs: SETTLE_MS,
      content: () => ({ places: Object.fromEntries(this.#places) }),
    });
    this.handedOver = new HandedOver(directory);
    const places = this.#state.read((document) => this.#take(document.places));
    this.ready = Promise.all([places, this.handedOver.read()]).then(() => undefined);
  }

  of(path: string): Place | null {
    return this.#places.get(path) ?? null;
  }

  keep(path: string, place: Place): void {
    const known = this.#places.get(path);
    if (known?.identity === place.identity && known.offset === place.offset) return;
    remember(this.#places, path, place, MOST);
    this.#state.changed();
  }

  /** At once, and not a moment later. */
  async save(): Promise<void> {
    await this.#state.save();
  }

  async stop(): Promise<void> {
    await this.#state.stop();
    await this.handedOver.stop();
  }

  /** Whatever is in the file. */
  #take(places: unknown): boolean {
    if (typeof places !== 'object' || places === null) return false;
    for (const [path, value] of Object.entries(places).slice(0, MOST)) {
      const { identity, offset, mark } = (value ?? {}) as Record<string, unknown>; // each is looked at
      const { length, hash } = (mark ?? {}) as Record<string, unknown>;
      if (typeof identity !== 'string' || typeof offset !== 'number' || !Number.isSafeInteger(offset) || offset < 0)
        continue;
      if (typeof length !== 'number' || typeof hash !== 'string' || length < 0 || length > MARK_BYTES) continue;
      this.#places.set(path, { identity, offset, mark: { length, hash } });
    }
    return true;
  }
}

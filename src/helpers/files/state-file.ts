// State file: what one run of the daemon leaves for the next, as JSON in the state folder. It is written whole a moment after
// something changed, and read with care: whatever is in the folder, or wrong with the disk, ends nothing.

import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../error-code.ts';
import { errorText } from '../error-text.ts';
import { readOwn, replaceOwn } from './own-file.ts';

/** A disk that was full, or could not be written, is tried again even where nothing changes. */
const AGAIN_MS = 60_000;

export type StateDocument = Readonly<Record<string, unknown>>;

export interface StateFileOptions {
  /** The state folder; null to keep nothing. */
  readonly directory: string | null;
  readonly name: string;
  /** `faultline/plans/1`: a file of another one is not understood. */
  readonly schema: string;
  /** More is not read. */
  readonly maxBytes: number;
  /** One write for what comes together; a kill in between loses that much. */
  readonly settleMs: number;
  /** What is to be kept. Nothing is written where it is what the file has. */
  readonly content: () => StateDocument;
  /** When and by whom it was written: never a reason to write. */
  readonly head?: () => StateDocument;
  /** Heard once until it works again. */
  readonly onTrouble?: (what: 'unwritten' | 'damaged', detail: string) => void;
}

export class StateFile {
  readonly name: string;
  readonly #options: StateFileOptions;
  readonly #path: string | null;
  #written: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  /** Something changed while it was written. */
  #again = false;
  #stopped = false;
  /** Why it cannot be written; null where it can. */
  unwritten: string | null = null;
  /** Why this run could not take up what was there; null where it could. */
  damaged: string | null = null;
  /** This run has written it. */
  isWritten = false;

  constructor(options: StateFileOptions) {
    const { directory, name } = options;
    this.name = name;
    this.#options = options;
    this.#path = directory === null ? null : join(directory, name);
  }

  /** To be called once, before anything is kept. `take`: false where the document makes no sense; must not throw. */
  async read(take: (document: StateDocument) => boolean): Promise<void> {
    this.#written = this.#text(); // of nothing no file is made
    if (this.#path === null) return;
    let text: string;
    try {
      text = await readOwn(this.#path, this.#options.maxBytes + 1);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') this.#damage(`${this.#path} cannot be read: ${errorText(error)}`);
      return;
    }
    const document = this.#understood(text);
    if (typeof document === 'string') await this.#setAside(document);
    else if (!take(document)) await this.#setAside('is damaged');
    else this.#written = this.#textOf(document);
  }

  /** Something that is kept changed. */
  changed(): void {
    this.#writeIn(this.#options.settleMs);
  }

  /** Writes what waits, without settling. */
  async save(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#save();
  }

  /** The last write. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.save();
  }

  /** The document, or what is wrong with the file. */
  #understood(text: string): StateDocument | string {
    if (Buffer.byteLength(text) > this.#options.maxBytes) return `is larger than ${this.#options.maxBytes} bytes`;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return text === '' ? 'is empty' : 'is damaged';
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is damaged';
    const document = { ...value } as StateDocument; // an object, and not an array
    return document.schema === this.#options.schema ? document : `is not of this version (${this.#options.schema})`;
  }

  /** Kept for whoever wants to know what happened to it, in place of an earlier one: never more than one. */
  async #setAside(why: string): Promise<void> {
    if (this.#path === null) return;
    const kept = await rename(this.#path, `${this.#path}.damaged`).then(
      () => `it is kept as ${this.name}.damaged`,
      (error: unknown) => `it cannot be set aside: ${errorText(error)}`,
    );
    this.#damage(`${this.#path} ${why}; ${kept}`);
  }

  #damage(detail: string): void {
    this.damaged = detail;
    this.#options.onTrouble?.('damaged', detail);
  }

  #writeIn(ms: number): void {
    if (this.#path === null || this.#timer !== null || this.#stopped) return;
    this.#timer = setTimeout(() => void this.#save(), ms).unref();
  }

  /** One write at a time: a disk that hangs holds one, and what changed meanwhile is in the next. */
  #save(): Promise<void> {
    this.#timer = null;
    this.#again = true;
    this.#running ??= this.#write().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #write(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await this.#writeOnce();
    }
  }

  async #writeOnce(): Promise<void> {
    const text = this.#text();
    // A start that failed before anything was read leaves nothing, and takes nothing away.
    if (this.#path === null || this.#written === null || text === this.#written) return;
    const { schema, head } = this.#options;
    const start = JSON.stringify({ schema, ...head?.() }).slice(0, -1);
    try {
      await replaceOwn(this.#path, `${start},${text.slice(1)}\n`, { sync: true });
      this.#written = text;
      this.unwritten = null;
      this.isWritten = true;
    } catch (error) {
      const first = this.unwritten === null;
      this.unwritten = `${this.#path}: ${errorText(error)}`;
      if (first) this.#options.onTrouble?.('unwritten', this.unwritten);
      this.#writeIn(AGAIN_MS);
    }
  }

  #text(): string {
    return JSON.stringify(this.#options.content());
  }

  /** The same of a file. */
  #textOf(document: StateDocument): string {
    const names = Object.keys(this.#options.content());
    return JSON.stringify(Object.fromEntries(names.map((name) => [name, document[name]])));
  }
}

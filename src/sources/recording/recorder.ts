// Recorder: keeps what the sources emit in a file, off the JavaScript thread, within a byte cap.

import { close, write } from 'node:fs';
import { promisify } from 'node:util';
import { errorText } from '../../helpers/error-text.ts';
import type { Discovery, EventInput, SampleBatch, TextRecord } from '../../model/record.ts';
import { safeJson } from '../../model/safe-text.ts';
import { createFile } from './create-file.ts';
import type { RecordedWork, RecordingEntry, RecordingHeader } from './format.ts';

/** What may wait in memory while the disk is slow; beyond it entries are dropped and counted in the recording. */
const MAX_PENDING_BYTES = 8 * 1024 * 1024;
/** Bytes kept free under the cap for the closing lines. */
const RESERVE = 256;

const writeOf = promisify(write);
const closeOf = promisify(close);

export class Recorder {
  readonly #file: number;
  readonly #maxBytes: number;
  #pending: string[] = [];
  #pendingBytes = 0;
  #accepted = 0;
  #lost = 0;
  #writing: Promise<void> | null = null;
  #failure: string | null = null;
  /** As it was written last. */
  #work = JSON.stringify({ works: [], devices: [], conflicts: [] });

  private constructor(file: number, maxBytes: number) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /**
   * Creates `path` (mode 0640, no link of others is followed); an earlier recording is kept as `path.1`, anything else
   * is left alone. A descriptor in its place is a new file that `createFile` made. Throws FL1303 when it cannot.
   */
  static async create(path: string | number, header: RecordingHeader, maxBytes: number): Promise<Recorder> {
    const recorder = new Recorder(typeof path === 'number' ? path : await createFile(path), maxBytes);
    recorder.#append(`${JSON.stringify(header)}\n`);
    return recorder;
  }

  samples(samples: SampleBatch, at: number): void {
    this.#write({ at, samples });
  }

  background(background: SampleBatch, at: number): void {
    this.#write({ at, background });
  }

  text(text: TextRecord, at: number): void {
    this.#write({ at, text });
  }

  event(event: EventInput, at: number): void {
    this.#write({ at, event });
  }

  discovery(discovery: Discovery, at: number): void {
    this.#write({ at, discovery });
  }

  /** Whose work is on the host; the same again is not written. */
  work({ works, devices, conflicts }: RecordedWork, at: number): void {
    const work = { works, devices, conflicts };
    const text = JSON.stringify(work);
    if (text === this.#work) return;
    this.#work = text;
    this.#write({ at, work });
  }

  /** Entries that did not fit, and the error that the disk gave, if any. */
  state(): { lost: number; bytes: number; failure: string | null } {
    return { lost: this.#lost, bytes: this.#accepted, failure: this.#failure };
  }

  /** Writes the closing line and everything that waits. */
  async close(at: number): Promise<void> {
    if (this.#lost > 0) this.#append(`${JSON.stringify({ at, lost: this.#lost } satisfies RecordingEntry)}\n`);
    this.#append(`${JSON.stringify({ at, end: true } satisfies RecordingEntry)}\n`);
    while (this.#writing !== null) await this.#writing;
    await closeOf(this.#file).catch(() => {});
  }

  #write(entry: RecordingEntry): void {
    const line = `${safeJson(JSON.stringify(entry))}\n`;
    const bytes = Buffer.byteLength(line);
    const full = this.#accepted + bytes + RESERVE > this.#maxBytes;
    if (full || this.#pendingBytes + bytes > MAX_PENDING_BYTES || this.#failure !== null) this.#lost += 1;
    else this.#append(line, bytes);
  }

  #append(line: string, bytes = Buffer.byteLength(line)): void {
    this.#accepted += bytes;
    this.#pendingBytes += bytes;
    this.#pending.push(line);
    this.#writing ??= this.#flush();
  }

  async #flush(): Promise<void> {
    // Let the turn that emitted continue first: one write then takes all of its entries.
    await null;
    while (this.#pending.length > 0) {
      const chunk = this.#pending.join('');
      this.#pending = [];
      this.#pendingBytes = 0;
      try {
        await writeAll(this.#file, Buffer.from(chunk));
      } catch (error) {
        this.#failure = errorText(error);
        this.#lost += chunk.split('\n').length - 1;
      }
    }
    this.#writing = null;
  }
}

async function writeAll(file: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await writeOf(file, bytes, at, bytes.length - at, null);
    at += bytesWritten;
  }
}

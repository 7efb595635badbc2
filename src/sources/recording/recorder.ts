// Recorder: keeps what the sources emit in a file, off the JavaScript thread, within a byte cap.

import { constants } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import type { Discovery, EventInput, SampleBatch, TextRecord } from '../../model/record.ts';
import { safeJson } from '../../model/safe-text.ts';
import { RECORDING_SCHEMA, type RecordingEntry, type RecordingHeader } from './format.ts';

/** What may wait in memory while the disk is slow; beyond it entries are dropped and counted in the recording. */
const MAX_PENDING_BYTES = 8 * 1024 * 1024;
/** Bytes kept free under the cap for the closing lines. */
const RESERVE = 256;

export class Recorder {
  readonly #file: FileHandle;
  readonly #maxBytes: number;
  #pending: string[] = [];
  #pendingBytes = 0;
  #accepted = 0;
  #lost = 0;
  #writing: Promise<void> | null = null;
  #failure: string | null = null;

  private constructor(file: FileHandle, maxBytes: number) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /**
   * Creates `path` anew (mode 0640, no link is followed); an earlier recording is kept as
   * `path.1`, anything else is left alone.
   * Throws FL1303 when it cannot.
   */
  static async create(path: string, header: RecordingHeader, maxBytes: number): Promise<Recorder> {
    const recorder = new Recorder(await openAnew(path), maxBytes);
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

  /** Entries that did not fit, and the error that the disk gave, if any. */
  state(): { lost: number; bytes: number; failure: string | null } {
    return { lost: this.#lost, bytes: this.#accepted, failure: this.#failure };
  }

  /** Writes the closing line and everything that waits. */
  async close(at: number): Promise<void> {
    if (this.#lost > 0) this.#append(`${JSON.stringify({ at, lost: this.#lost } satisfies RecordingEntry)}\n`);
    this.#append(`${JSON.stringify({ at, end: true } satisfies RecordingEntry)}\n`);
    while (this.#writing !== null) await this.#writing;
    await this.#file.close().catch(() => {});
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
    // Let the turn that emitted go on first: one write then takes all of its entries.
    await null;
    while (this.#pending.length > 0) {
      const chunk = this.#pending.join('');
      this.#pending = [];
      this.#pendingBytes = 0;
      try {
        await this.#file.appendFile(chunk);
      } catch (error) {
        this.#failure = error instanceof Error ? error.message : String(error);
        this.#lost += chunk.split('\n').length - 1;
      }
    }
    this.#writing = null;
  }
}

async function openAnew(path: string): Promise<FileHandle> {
  const refused = (why: string) => new Error(`FL1303 the recording ${path} cannot be written: ${why}`);
  let file: FileHandle;
  try {
    // Non-blocking: a FIFO that nobody reads would otherwise hold up the daemon for ever.
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    file = await open(path, flags, 0o640);
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error));
  }
  try {
    const why = await objection(file);
    if (why !== null) throw refused(why);
    if ((await file.stat()).size === 0) return file;
    // The recording of the run before may be the one that shows why it ended: it is kept once, as FILE.1.
    await file.close();
    await rename(path, `${path}.1`);
    return await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o640);
  } catch (error) {
    await file.close().catch(() => {});
    throw error instanceof Error && error.message.startsWith('FL') ? error : refused(String(error));
  }
}

/** Why the file must not be written over; null where it is empty or a recording. */
async function objection(file: FileHandle): Promise<string | null> {
  const stat = await file.stat();
  if (!stat.isFile()) return 'it is no regular file';
  const start = Buffer.from(`{"schema":${JSON.stringify(RECORDING_SCHEMA)}`);
  const found = Buffer.alloc(start.length);
  await file.read(found, 0, found.length, 0);
  const ours = stat.size === 0 || found.equals(start);
  return ours ? null : 'it holds something that is no recording. Name a file that does not exist yet';
}

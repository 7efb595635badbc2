// Spool: messages on disk, oldest first, under a byte and an age cap; survives an end at any byte.

import { join } from 'node:path';
import { Cursor } from './cursor.ts';
import { findFrame, frameOf, HEADER_BYTES, type Message, readFrame, readHeader } from './frame.ts';
import { type Segment, segmentName, segmentNumber, surveySegment } from './segment.ts';
import type { SpoolFiles, SpoolHandle } from './spool-files.ts';

export interface SpoolOptions {
  readonly directory: string;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly files: SpoolFiles;
  readonly now: () => number;
  /** Messages and items that were given up, and why. */
  readonly onDropped: (reason: 'cap' | 'age' | 'damage', messages: number, items: number) => void;
  /** A new file is begun at this size. */
  readonly segmentBytes?: number;
}

/** A message and where it lies, to say later that it was sent. */
export interface Spooled {
  readonly message: Message;
  readonly segment: number;
  readonly start: number;
  readonly end: number;
}

/** One call at a time: the owner waits for each before the next. Every call may reject with the error of the disk. */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #segmentBytes: number;
  readonly #cursor: Cursor;
  /** Oldest first; the last one may be the one that is written to. */
  #segments: Segment[] = [];
  #offset = 0;
  /** What of the oldest segment was sent or passed over. */
  #done = { messages: 0, items: 0 };
  #writing: SpoolHandle | null = null;
  #reading: { readonly number: number; readonly handle: SpoolHandle } | null = null;
  #nextNumber = 1;

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#segmentBytes =
      options.segmentBytes ?? Math.min(Math.max(Math.floor(options.maxBytes / 16), 65_536), 4_194_304);
    this.#cursor = new Cursor(join(options.directory, 'cursor'), options.files);
  }

  get bytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.bytes, 0) - this.#offset;
  }

  /** Messages that wait. */
  get waiting(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.messages, 0) - this.#done.messages;
  }

  /** Takes up what an earlier run left. Resolves with the bytes that belong to no whole message. */
  async open(): Promise<number> {
    const { directory, files } = this.#options;
    await files.mkdir(directory);
    const position = await this.#cursor.read();
    const numbers = (await files.readdir(directory)).map(segmentNumber).filter((number) => number !== null);
    this.#nextNumber = Math.max(0, position?.segment ?? 0, ...numbers) + 1;
    this.#segments = [];
    this.#offset = 0;
    let damaged = 0;
    for (const number of numbers.sort((a, b) => a - b)) {
      if (position !== null && number < position.segment) {
        await files.unlink(this.#path(number));
        continue;
      }
      const from = position?.segment === number ? position.offset : 0;
      const { segment, damagedBytes } = surveySegment(number, await this.#content(number), from);
      damaged += damagedBytes;
      if (segment.messages === 0) {
        await files.unlink(this.#path(number));
        continue;
      }
      if (this.#segments.length === 0) this.#offset = from;
      this.#segments.push(segment);
    }
    return damaged;
  }

  /** Resolves once the messages are in the file, and on disk where `sync` is set. Drops the oldest ones over the caps. */
  async append(messages: readonly Message[], sync: boolean): Promise<void> {
    const frames = messages.map(frameOf);
    for (const [index, frame] of frames.entries()) {
      const message = messages[index];
      if (message === undefined) continue;
      const segment = await this.#writable(frame.length);
      try {
        await this.#write(segment, frame);
      } catch (error) {
        await this.#leave(); // what is torn stays behind the last whole frame of a file that is not written to again
        throw error;
      }
      segment.bytes += frame.length;
      segment.messages += 1;
      segment.items += message.items;
      segment.newestMs = Math.max(segment.newestMs, message.timeMs);
    }
    if (sync) await this.#writing?.datasync();
    await this.prune();
  }

  /** The oldest message that waits, null when none does. It stays until `sent` is called. */
  async peek(): Promise<Spooled | null> {
    await this.prune();
    for (;;) {
      const segment = this.#segments[0];
      if (segment === undefined || (this.#offset >= segment.bytes && this.#writes(segment))) return null;
      if (this.#offset >= segment.bytes) {
        await this.#remove(segment, 'damage');
        continue;
      }
      const found = await this.#read(segment);
      if (found === null) {
        await this.#remove(segment, 'damage');
        continue;
      }
      if (this.#options.now() - found.message.timeMs <= this.#options.maxAgeMs) return found;
      this.#options.onDropped('age', 1, found.message.items);
      this.sent(found);
      await this.settle();
    }
  }

  /** Moves on behind a message that `peek` gave; at once, so that a slow disk does not make it be sent again. */
  sent(spooled: Spooled): void {
    const segment = this.#segments[0];
    if (segment?.number !== spooled.segment || this.#offset > spooled.start) return; // dropped meanwhile
    this.#offset = spooled.end;
    this.#done = { messages: this.#done.messages + 1, items: this.#done.items + spooled.message.items };
  }

  /** Brings to disk how far `sent` got, and deletes what it left behind. */
  async settle(): Promise<void> {
    const segment = this.#segments[0];
    if (segment === undefined) return;
    if (this.#offset >= segment.bytes && !this.#writes(segment)) await this.#remove(segment, 'damage');
    else await this.#cursor.write({ segment: segment.number, offset: this.#offset });
  }

  /** Drops whole files, oldest first, that are over the caps. */
  async prune(): Promise<void> {
    const { maxBytes, maxAgeMs, now } = this.#options;
    for (let oldest = this.#segments[0]; oldest !== undefined; oldest = this.#segments[0]) {
      const old = now() - oldest.newestMs > maxAgeMs && oldest.messages > 0;
      const over = this.#segments.reduce((sum, segment) => sum + segment.bytes, 0) > maxBytes;
      if (!old && !(over && this.#segments.length > 1)) return;
      await this.#remove(oldest, old ? 'age' : 'cap');
    }
  }

  async close(): Promise<void> {
    await this.#leave();
    await this.#stopReading();
    await this.#cursor.close();
  }

  #path(number: number): string {
    return join(this.#options.directory, segmentName(number));
  }

  #writes(segment: Segment): boolean {
    return this.#writing !== null && this.#segments.at(-1) === segment;
  }

  async #writable(length: number): Promise<Segment> {
    const last = this.#segments.at(-1);
    if (this.#writing !== null && last !== undefined && last.bytes + length <= this.#segmentBytes) return last;
    await this.#leave();
    const number = this.#nextNumber;
    this.#nextNumber += 1;
    this.#writing = await this.#options.files.open(this.#path(number), 'create');
    const segment: Segment = { number, bytes: 0, messages: 0, items: 0, newestMs: 0 };
    this.#segments.push(segment);
    const first = this.#segments[0];
    if (first !== undefined && first !== segment && this.#offset >= first.bytes) await this.#remove(first, 'damage');
    return segment;
  }

  async #write(segment: Segment, frame: Buffer): Promise<void> {
    let done = 0;
    while (done < frame.length) {
      const written = await this.#writing?.write(frame, done, frame.length - done, segment.bytes + done);
      if (written === undefined || written.bytesWritten === 0)
        throw Object.assign(new Error('nothing written'), { code: 'EIO' });
      done += written.bytesWritten;
    }
  }

  /** Stops writing to the present file. */
  async #leave(): Promise<void> {
    const handle = this.#writing;
    this.#writing = null;
    await handle?.close();
  }

  async #stopReading(): Promise<void> {
    const reading = this.#reading;
    this.#reading = null;
    await reading?.handle.close();
  }

  async #handle(number: number): Promise<SpoolHandle> {
    if (this.#reading?.number === number) return this.#reading.handle;
    await this.#stopReading();
    const handle = await this.#options.files.open(this.#path(number), 'read');
    this.#reading = { number, handle };
    return handle;
  }

  async #content(number: number): Promise<Buffer> {
    const handle = await this.#options.files.open(this.#path(number), 'read');
    try {
      return await part(handle, 0, Math.min((await handle.stat()).size, 2 ** 30));
    } finally {
      await handle.close();
    }
  }

  /** The message at the offset, or the first one behind what is damaged there; null when the file has no more. */
  async #read(segment: Segment): Promise<Spooled | null> {
    const handle = await this.#handle(segment.number);
    const start = this.#offset;
    const header = readHeader(await part(handle, start, HEADER_BYTES));
    const frame = header === null ? Buffer.alloc(0) : await part(handle, start, HEADER_BYTES + header.length);
    const message = readFrame(frame);
    if (message !== null) return { message, segment: segment.number, start, end: start + frame.length };
    const rest = await part(handle, start, segment.bytes - start);
    const at = findFrame(rest, 1);
    const next = at < 0 ? null : readFrame(rest.subarray(at));
    if (next === null) return null;
    const from = start + at;
    return { message: next, segment: segment.number, start: from, end: from + HEADER_BYTES + next.bytes.length };
  }

  /** Forgets the oldest file; what in it was neither sent nor reported as lost is reported now. */
  async #remove(segment: Segment, reason: 'cap' | 'age' | 'damage'): Promise<void> {
    const messages = segment.messages - this.#done.messages;
    if (messages > 0) this.#options.onDropped(reason, messages, segment.items - this.#done.items);
    if (this.#writes(segment)) await this.#leave();
    this.#segments.shift();
    this.#offset = 0;
    this.#done = { messages: 0, items: 0 };
    if (this.#reading?.number === segment.number) await this.#stopReading();
    await this.#options.files.unlink(this.#path(segment.number));
  }
}

async function part(handle: SpoolHandle, from: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.max(length, 0));
  let done = 0;
  while (done < buffer.length) {
    const { bytesRead } = await handle.read(buffer, done, buffer.length - done, from + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}

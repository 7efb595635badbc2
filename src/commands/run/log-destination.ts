// Where the daemon's own log goes: written by another thread, never waited for, and bounded where it is not taken.

import { writeSync, write as writeTo } from 'node:fs';
import { errorCode } from '../../helpers/error-code.ts';

/** Of a pipe that is full: it may be read at any time. */
const FULL_MS = 100;
/** Of a disk that is full, of a reader that is gone: either may come back. */
const FAILED_MS = 1000;
const FLUSH_STEP_MS = 10;

interface Piece {
  readonly bytes: Buffer;
  written: number;
}

export interface LogDestinationOptions {
  readonly descriptor: number;
  /** Lines that are not taken are kept up to this many bytes, then dropped and counted. */
  readonly mostBytes: number;
  /** Lines are taken again after `dropped` of them were not kept; what it writes is where these would be. */
  readonly resumed: (dropped: number) => void;
}

/**
 * SonicBoom, pino's own, waits as long as a full pipe does: in each line where it is synchronous, and at the end of the process
 * where it is not, there also for a full disk.
 */
export class LogDestination {
  readonly #options: LogDestinationOptions;
  #lines: string[] = [];
  /** Of the lines that wait and of the piece. */
  #bytes = 0;
  #dropped = 0;
  /** The line about those that were dropped is being written. */
  #telling = false;
  #piece: Piece | null = null;
  #writing = false;
  #pause: NodeJS.Timeout | null = null;

  constructor(options: LogDestinationOptions) {
    this.#options = options;
  }

  /** Takes a whole line of ASCII with its end, and returns at once. `always`: also where it does not fit. */
  write(line: string, always = false): void {
    // Once one is dropped all are, until that is reported: there is one gap then, and the line that reports it is in its place.
    const fits = this.#dropped === 0 && this.#bytes + line.length <= this.#options.mostBytes;
    if (!fits && !always && !this.#telling) {
      this.#dropped += 1;
      return;
    }
    this.#lines.push(line);
    this.#bytes += line.length;
    this.#next();
  }

  /** Resolves once all is written, after `limitMs` at the latest. */
  async settled(limitMs: number): Promise<void> {
    for (const end = performance.now() + limitMs; this.#bytes > 0 && performance.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, FLUSH_STEP_MS));
    }
  }

  /** The same for a process that ends now and comes to no other turn: holds it for `limitMs` at most. */
  flush(limitMs: number): void {
    // A write that is under way is another thread's, which the end of the process waits for.
    const begun = this.#writing ? null : this.#piece;
    let rest = Buffer.concat([begun?.bytes.subarray(begun.written) ?? Buffer.of(), Buffer.from(this.#lines.join(''))]);
    this.#lines = [];
    this.#piece = null;
    for (const end = performance.now() + limitMs; rest.length > 0 && performance.now() < end; ) {
      try {
        rest = rest.subarray(writeSync(this.#options.descriptor, rest));
      } catch (error) {
        if (errorCode(error) !== 'EAGAIN') return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FLUSH_STEP_MS);
      }
    }
  }

  #next(): void {
    if (this.#writing || this.#pause !== null) return;
    if (this.#piece === null) {
      if (this.#lines.length === 0) return;
      this.#piece = { bytes: Buffer.from(this.#lines.join(''), 'latin1'), written: 0 };
      this.#lines = [];
    }
    const { bytes, written } = this.#piece;
    this.#writing = true;
    writeTo(this.#options.descriptor, bytes, written, bytes.length - written, null, (error, count) => {
      this.#writing = false;
      if (error === null) this.#took(count);
      else this.#failed(error);
    });
  }

  #took(count: number): void {
    this.#bytes -= count;
    const piece = this.#piece;
    if (piece !== null) {
      piece.written += count;
      if (piece.written === piece.bytes.length) this.#piece = null;
    }
    const dropped = this.#dropped;
    if (this.#piece === null && dropped > 0) {
      this.#dropped = 0;
      this.#telling = true;
      this.#options.resumed(dropped);
      this.#telling = false;
    }
    this.#next();
  }

  #failed(error: unknown): void {
    const pauseMs = errorCode(error) === 'EAGAIN' ? FULL_MS : FAILED_MS;
    this.#pause = setTimeout(() => {
      this.#pause = null;
      this.#next();
    }, pauseMs).unref();
  }
}

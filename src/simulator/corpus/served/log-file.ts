// A log file that its writer appends to, read as the source reads it: bytes, in pieces that end anywhere, through its splitter.

import { LineSplitter, type SplitLine } from '../../../sources/job-log/line-splitter.ts';
import type { RandomStream } from '../../random.ts';

export class LogFile {
  readonly #splitter = new LineSplitter(0);
  readonly #random: RandomStream;

  /** `random` says where the pieces end. */
  constructor(random: RandomStream) {
    this.#random = random;
  }

  /** One line; the lines that a reader has after it. */
  append(text: string): SplitLine[] {
    const bytes = Buffer.from(`${text}\n`);
    const cut = Math.floor(this.#random() * bytes.length);
    const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
    return pieces.flatMap((piece) => this.#splitter.push(piece)).filter((line) => line.text.trim() !== '');
  }
}

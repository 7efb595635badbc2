// Book memory: keeps over a restart of the daemon what correlation counted over hours and jobs, in a file of the state folder.

import { type StateDocument, StateFile } from '../../helpers/files/state-file.ts';
import { clockHead, type Placed, placing, type RunClock } from './run-clock.ts';

const MAX_BYTES = 4 * 1024 * 1024;

/** What is kept, by the part of correlation that counts it. */
export interface Book {
  /** Times are epoch ms. */
  document(): StateDocument;
  /** False where the document makes no sense; an entry that does not is left out. */
  restore(document: StateDocument, place: Placed): boolean;
}

export interface BookMemoryOptions extends RunClock {
  /** The state folder; null to remember nothing. */
  readonly directory: string | null;
  readonly name: string;
  readonly schema: string;
  readonly settleMs: number;
  readonly onTrouble: (what: 'unwritten' | 'damaged', detail: string) => void;
}

export class BookMemory {
  readonly #book: Book;
  readonly #clock: RunClock;
  readonly file: StateFile;

  constructor(book: Book, options: BookMemoryOptions) {
    this.#book = book;
    this.#clock = options;
    this.file = new StateFile({
      ...options,
      maxBytes: MAX_BYTES,
      head: () => clockHead(options),
      content: () => book.document(),
    });
  }

  async read(): Promise<void> {
    await this.file.read((document) => this.#book.restore(document, placing(document, this.#clock)));
  }
}

// Sent marks: keeps the journal at what the spool has, never ahead of it.

import type { Mark, SentJournal, SentPart } from './sent-journal.ts';

/** Parts that a sink handed to its deliveries and that are not in the journal yet. */
export interface UnnotedParts {
  readonly unnoted: number;
  /** The oldest `count` of them, which are then noted. */
  takeUnnoted(count: number): SentPart[];
}

export class SentMarks {
  readonly #journal: SentJournal;
  readonly #flushed: () => Promise<boolean>;
  readonly #parts: UnnotedParts | null;
  /** The revision that was handed to the deliveries last, and that of which it is written down. */
  #last: Mark | null = null;
  #written: Mark | null = null;
  #due = false;
  #writing: Promise<void> | null = null;

  /** `flushed` resolves when all that was handed over before is on disk (true) or has to wait in memory (false). */
  constructor(journal: SentJournal, flushed: () => Promise<boolean>, parts: UnnotedParts | null = null) {
    this.#journal = journal;
    this.#flushed = flushed;
    this.#parts = parts;
  }

  /** This revision, with all before it, was handed to the deliveries. */
  handedOver({ id, revision }: Mark): void {
    this.#last = { id, revision };
  }

  /** Writes down which revision the spool has, with all that came before it, and the parts that they settled. */
  write(): Promise<void> {
    this.#due = true;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#due) {
      this.#due = false;
      const last = this.#last;
      const parts = this.#parts?.unnoted ?? 0;
      if (!(await this.#flushed())) continue;
      await this.#journal.add(this.#parts?.takeUnnoted(parts) ?? [], last === this.#written ? null : last);
      this.#written = last;
    }
  }
}

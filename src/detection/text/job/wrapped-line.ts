// Megatron lines that a terminal or a copy broke in two or three: put together again before they are read.

import type { TextRecord } from '../../../model/record.ts';

const MAX_PARTS = 3;
const MAX_LENGTH = 4096;

interface Whole {
  readonly record: TextRecord;
  readonly text: string;
}

/** One stream's open line. A whole Megatron line ends with a bar; one that does not waits for its rest. */
export class WrappedLine {
  #open: (Whole & { parts: number }) | null = null;
  /** Two step lines in a row came whole without a bar at the end: this writer leaves it out, nothing waits any more. */
  #barless = false;

  /**
   * The lines that are whole now, with the record of their first part. `isStep` says whether a text starts a progress
   * line; such a text never continues another one.
   */
  add(record: TextRecord, text: string, isStep: (text: string) => boolean): Whole[] {
    const open = this.#open;
    if (isStep(text)) {
      if (open?.parts === 1) this.#barless = true;
      const whole = this.flush();
      if (ends(text) || this.#barless) return [...whole, { record, text }];
      this.#open = { record, text, parts: 1 };
      return whole;
    }
    if (open === null) return [{ record, text }];
    const joined = open.text + text;
    if (!text.includes('|') || joined.length > MAX_LENGTH || open.parts >= MAX_PARTS) {
      return [...this.flush(), { record, text }];
    }
    this.#open = { ...open, text: joined, parts: open.parts + 1 };
    return ends(joined) ? this.flush() : [];
  }

  get open(): boolean {
    return this.#open !== null;
  }

  /** The open line as far as it came. */
  flush(): Whole[] {
    const open = this.#open;
    this.#open = null;
    return open === null ? [] : [{ record: open.record, text: open.text }];
  }
}

function ends(text: string): boolean {
  return text.trimEnd().endsWith('|');
}

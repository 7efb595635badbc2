// Broken line: one that a terminal or a page broke at its width, where nothing shows it but that both parts together are known.

import type { TextRecord } from '../../model/record.ts';

/** Of terminals, mails and pages, in characters. */
const WIDTHS: ReadonlySet<number> = new Set([72, 76, 78, 79, 80, 100, 120, 132, 160]);
/** Behind its head, which was taken off, a line of the kernel has so many at least. */
const LEAST_OF_KERNEL = 40;
const MOST = 2048;
/** A rest does not begin as a whole line does. */
const RESTS = /^(?![A-Z[<{]|\d\d:\d\d|\d{4}-|\s{2})\S?/;

export class BrokenLine {
  #before: TextRecord | null = null;
  #width = 0;

  /** A line of which no rule took anything: the next one may be its rest. */
  begin(record: TextRecord): void {
    this.#before = record;
    this.#width = record.text.length;
  }

  drop(): void {
    this.#before = null;
  }

  /** The lines that this one may be the rest of, whole, as they were before the break; it may be broken again behind it. */
  whole(record: TextRecord): readonly TextRecord[] {
    const before = this.#before;
    this.#before = null;
    if (before === null || record.position !== before.position + 1 || !RESTS.test(record.text)) return [];
    const isWide = before.source === 'job-log' ? WIDTHS.has(this.#width) : this.#width >= LEAST_OF_KERNEL;
    if (!isWide || before.text.length + record.text.length > MOST) return [];
    const joined = ['', ' '].map((between) => ({ ...before, text: `${before.text}${between}${record.text}` }));
    if (record.text.length === this.#width) this.#before = { ...before, position: record.position, text: `${before.text}${record.text}` }; // biome-ignore format: one rule
    return joined;
  }
}

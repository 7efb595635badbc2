// Notices that reading a file makes the kernel log errors: then the read is given up, and reported.

import { opensWithUserWords } from '../../detection/text/kernel/user-words.ts';
import type { KernelRecord } from '../../native.ts';

const FACILITY_KERNEL = 0;
/** The kernel writes the line while it answers; its clock and ours differ by less than this. */
const SLACK_MS = 20;
/** One line in the moment of a read is chance, three in three reads are not. */
const STRIKES = 3;
const MAX_READS = 256;

interface Watched {
  readonly pattern: RegExp;
  startMs: number;
  /** Infinity while the read is under way. */
  endMs: number;
  strikes: number;
  /** The read that the last strike was for. */
  struckMs: number;
}

export class KernelEcho {
  readonly #reads = new Map<string, Watched>();

  /** A read begins, epoch ms on the steady clock; `pattern` is what its errors look like. */
  begins(path: string, pattern: RegExp, timeMs: number): void {
    const before = this.#reads.get(path);
    if (before === undefined && this.#reads.size >= MAX_READS) return;
    const strikes = before?.strikes ?? 0;
    const struckMs = before?.struckMs ?? Number.NEGATIVE_INFINITY;
    this.#reads.set(path, { pattern, startMs: timeMs, endMs: Number.POSITIVE_INFINITY, strikes, struckMs });
  }

  ends(path: string, timeMs: number): void {
    const read = this.#reads.get(path);
    if (read !== undefined) read.endMs = timeMs;
  }

  /** Files whose reads the kernel answered with errors three times now, each with the last line; they are reported once. */
  hear(records: readonly KernelRecord[]): { path: string; record: KernelRecord }[] {
    const found: { path: string; record: KernelRecord }[] = [];
    if (this.#reads.size === 0) return found;
    for (const record of records) {
      // A process that crashes under such a name would else end our reads.
      if (record.facility !== FACILITY_KERNEL || opensWithUserWords(record.text)) continue;
      for (const [path, read] of this.#reads) {
        const { startMs, endMs, struckMs, pattern } = read;
        if (record.timeMs < startMs - SLACK_MS || record.timeMs > endMs + SLACK_MS) continue;
        if (struckMs === startMs || !pattern.test(record.text)) continue;
        read.strikes += 1;
        read.struckMs = startMs;
        if (read.strikes < STRIKES) continue;
        this.#reads.delete(path);
        found.push({ path, record });
      }
    }
    return found;
  }
}

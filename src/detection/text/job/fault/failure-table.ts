// Failure table: torchelastic lists the workers that failed, and last the one that failed first: that one is the root.

import type { Fault } from './fault.ts';

const FAILURES = /^Failures:\s*$/;
const ROOT = /^Root Cause \(first observed failure\):/;
const END = /^={5,}\s*$/;
/** A table of more workers than run on a host is none. */
const MOST = 1024;

export class FailureTable {
  /** Of the other workers, until the first is named; null outside a table. */
  #others: Fault[] | null = null;
  #atRoot = false;

  /** Takes a line that may be part of the frame; returns what is reported now that no root follows any more. */
  frame(body: string): readonly Fault[] {
    if (FAILURES.test(body)) {
      this.#atRoot = false;
      return this.#swap([]);
    }
    if (ROOT.test(body)) this.#atRoot = true;
    return END.test(body) ? this.#swap(null) : [];
  }

  /** What is reported now that a worker of the table, or a fault outside it, was read. */
  take(fault: Fault): readonly Fault[] {
    if (this.#others === null) return [fault];
    if (this.#atRoot) return [{ ...fault, beforeMs: 1 }, ...this.#swap(null)];
    // What a traceback within the table says is not how a worker ended: its words count wherever they are.
    if (fault.byLauncher !== true) return [fault];
    if (this.#others.length >= MOST) return [...this.#swap(null), fault];
    this.#others.push(fault);
    return [];
  }

  /** Of a table that is cut off before its root. */
  end(): readonly Fault[] {
    return this.#swap(null);
  }

  get open(): boolean {
    return this.#others !== null;
  }

  #swap(next: Fault[] | null): readonly Fault[] {
    const before = this.#others ?? [];
    this.#others = next;
    return before;
  }
}

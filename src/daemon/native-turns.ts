// Native turns: takes what native code has, and of a storm of kernel records only so many in one turn of the thread.

import type { DetectorEdge, Drained, KernelRecord, NativeCore } from '../native.ts';

/** A few milliseconds of work each. */
const RECORDS_PER_TURN = 32;

export interface NativeTaken {
  readonly onEdges: (edges: readonly DetectorEdge[]) => void;
  /** Kernel records and notices of the core. */
  readonly onNative?: (drained: Drained) => void;
  /** Takes what is thrown in a turn that no source waits for. Left out: it ends the process. */
  readonly caught?: (error: unknown) => void;
}

export class NativeTurns {
  readonly #core: Pick<NativeCore, 'drain'>;
  readonly #taken: NativeTaken;
  #draining = false;
  /** Kernel records that were taken from the core and not handed on yet. */
  #waiting: readonly KernelRecord[] = [];

  constructor(core: Pick<NativeCore, 'drain'>, taken: NativeTaken) {
    this.#core = core;
    this.#taken = taken;
  }

  /** Hands on what there is. Does nothing while it is at work: what one record leads to is taken behind the records after it. */
  drain(): void {
    // What one record leads to must not take the records behind it: they would overtake the rest of this batch, and a
    // storm would never let go of the thread. The core wakes us again for whatever comes meanwhile.
    if (this.#draining || this.#waiting.length > 0) return;
    this.#during(() => {
      const { edges, records, notices } = this.#core.drain();
      this.#taken.onEdges(edges);
      if (records.length === 0 && notices.length === 0) return;
      this.#waiting = records.slice(RECORDS_PER_TURN);
      this.#taken.onNative?.({ edges: [], records: records.slice(0, RECORDS_PER_TURN), notices });
      if (this.#waiting.length > 0) this.#soon();
    });
  }

  #soon(): void {
    setImmediate(() => {
      try {
        this.#next();
      } catch (error) {
        if (this.#taken.caught === undefined) throw error;
        this.#taken.caught(error);
      }
    });
  }

  /** A storm is taken in slices, so that the API, the log and a signal get their turns between them. */
  #next(): void {
    const records = this.#waiting.slice(0, RECORDS_PER_TURN);
    this.#waiting = this.#waiting.slice(RECORDS_PER_TURN);
    this.#during(() => this.#taken.onNative?.({ edges: [], records, notices: [] }));
    if (this.#waiting.length > 0) this.#soon();
    else this.drain();
  }

  #during(work: () => void): void {
    this.#draining = true;
    try {
      work();
    } finally {
      this.#draining = false;
    }
  }
}

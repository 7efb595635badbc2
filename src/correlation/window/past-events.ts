// Past events: how often conditions of each kind were over on this host, and how many of them had a consequence.

import { isKind, type Kind } from '../../model/kind.ts';
import type { Facts } from './facts.ts';

/** What is known of one kind before a moment. */
export interface Past {
  readonly withConsequence: number;
  readonly without: number;
}

/** Of each kind so many are remembered, the latest. */
const KEPT = 64;
/** What is older says little of the host as it is now. */
const OLDEST_MS = 30 * 86_400_000;
const NOTHING: Past = { withConsequence: 0, without: 0 };

/** The latest of one kind, as a ring. */
interface Shelf {
  readonly atMs: Float64Array;
  readonly consequence: Uint8Array;
  size: number;
  /** Where the oldest is, and so the next one goes once all are taken. */
  oldest: number;
  withConsequence: number;
  /** Of all of them, once it was asked for: nearly always all are meant. */
  total: Past | null;
}

/** Bounded by the number of kinds. */
export class PastEvents {
  readonly #byKind = new Map<Kind, Shelf>();
  #latenessMs: number;
  readonly #changed: () => void;

  /** `changed`: called after what `document` returns changed. */
  constructor(latenessMs: number, changed: () => void = () => {}) {
    this.#latenessMs = latenessMs;
    this.#changed = changed;
  }

  /** How late events may come, from now on. */
  lateness(ms: number): void {
    this.#latenessMs = ms;
  }

  /** A condition is given up, long after it ended: no consequence can follow any more. */
  ended({ kind, history }: Facts, consequence: boolean, atMs: number): void {
    if (history) return;
    this.#put(kind, consequence, atMs);
    this.#changed();
  }

  #put(kind: Kind, consequence: boolean, atMs: number): void {
    let shelf = this.#byKind.get(kind);
    if (shelf === undefined) {
      shelf = emptyShelf();
      this.#byKind.set(kind, shelf);
    }
    const at = shelf.size < KEPT ? shelf.size : shelf.oldest;
    if (shelf.size < KEPT) shelf.size += 1;
    else shelf.oldest = (at + 1) % KEPT;
    shelf.withConsequence += Number(consequence) - (shelf.consequence[at] ?? 0);
    shelf.atMs[at] = atMs;
    shelf.consequence[at] = Number(consequence);
    shelf.total = null;
  }

  /** What the next run must know: of each kind when they were given up, oldest first, and whether each had a consequence (1 or 0). */
  document(): { readonly kinds: readonly object[] } {
    const kinds = [...this.#byKind].map(([kind, shelf]) => ({ kind, ended: inOrder(shelf) }));
    return { kinds };
  }

  /**
   * Takes up what an earlier run left, before any event of this one. `place`: a time of that run by this one's clock; null where
   * it cannot be placed. False where the document makes no sense; an entry that does not is left out.
   */
  restore({ kinds }: Readonly<Record<string, unknown>>, place: (timeMs: number) => number | null): boolean {
    if (!Array.isArray(kinds)) return false;
    for (const entry of kinds) {
      const { kind, ended } = typeof entry === 'object' && entry !== null ? { ...entry } : {};
      if (typeof kind !== 'string' || !isKind(kind) || !Array.isArray(ended)) continue;
      for (const one of ended.slice(-KEPT)) {
        const [time, consequence] = Array.isArray(one) ? one : [];
        if (typeof time !== 'number' || !Number.isFinite(time) || (consequence !== 0 && consequence !== 1)) continue;
        const atMs = place(time);
        if (atMs !== null) this.#put(kind, consequence === 1, atMs);
      }
    }
    return true;
  }

  /** Those that were settled before this one began: whenever that is asked, the answer is the same. */
  readonly of = ({ kind, onset }: Facts): Past => {
    const shelf = this.#byKind.get(kind);
    if (shelf === undefined) return NOTHING;
    const { atMs, size, oldest, withConsequence } = shelf;
    const toMs = onset.earliestMs - this.#latenessMs;
    const first = atMs[oldest] ?? 0;
    const last = atMs[(oldest + size - 1) % KEPT] ?? 0;
    if (last > toMs || first < toMs - OLDEST_MS) return counted(shelf, toMs - OLDEST_MS, toMs);
    shelf.total ??= { withConsequence, without: size - withConsequence };
    return shelf.total;
  };
}

function emptyShelf(): Shelf {
  const [atMs, consequence] = [new Float64Array(KEPT), new Uint8Array(KEPT)];
  return { atMs, consequence, size: 0, oldest: 0, withConsequence: 0, total: null };
}

function inOrder({ atMs, consequence, size, oldest }: Shelf): (readonly [number, number])[] {
  return Array.from({ length: size }, (_, i) => {
    const at = (oldest + i) % KEPT;
    return [atMs[at] ?? 0, consequence[at] ?? 0] as const;
  });
}

function counted({ atMs, consequence, size }: Shelf, fromMs: number, toMs: number): Past {
  let all = 0;
  let withConsequence = 0;
  for (let i = 0; i < size; i += 1) {
    const at = atMs[i] ?? 0;
    if (at > toMs || at < fromMs) continue;
    all += 1;
    withConsequence += consequence[i] ?? 0;
  }
  return { withConsequence, without: all - withConsequence };
}

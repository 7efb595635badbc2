// Maintenance source: reports to the pipeline what operators declared, so that what happens under it is explained and raises nothing.

import type { Attributes } from '../../model/event.ts';
import type { Maintenance } from '../../model/note.ts';
import type { Emit, EventInput } from '../../model/record.ts';
import { formatTime } from '../../model/time.ts';
import type { Source, SourceHealth } from '../source.ts';
import { type Declared, MaintenanceBook } from './maintenance-book.ts';

const SOURCE = 'maintenance';
/** A condition that nothing repeats is over after a day: one that lasts is reported again well before. */
const AGAIN_MS = 6 * 3_600_000;
/** What ended this short before a start is still reported: evidence from under it may come late. */
const RECENT_MS = 600_000;

export interface MaintenanceOptions {
  /** Epoch ms on the steady clock. */
  readonly now: () => number;
  /** What was said before this start, in order. */
  readonly restored: readonly Maintenance[];
}

/** Opens no timer while nothing is declared. */
export class MaintenanceSource implements Source {
  readonly name = SOURCE;
  readonly #now: () => number;
  readonly #book: MaintenanceBook;
  #emit: Emit | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Those whose end was not reported yet, by the id of their note: when to report their onset again, ms. */
  readonly #reported = new Map<string, number>();

  constructor(options: MaintenanceOptions) {
    this.#now = options.now;
    this.#book = new MaintenanceBook(options.restored);
  }

  start(emit: Emit, signal: AbortSignal): void {
    this.#emit = emit;
    const nowMs = this.#now();
    for (const declared of this.#book.all()) {
      if (declared.endMs === null || declared.endMs > nowMs - RECENT_MS) this.#onset(declared, nowMs);
    }
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    this.#settle();
  }

  /** Takes what an operator says now. */
  take(note: Maintenance): void {
    this.#book.take(note);
    if (note.state === 'start') this.#onset({ start: note, endMs: note.untilMs }, this.#now());
    this.#settle();
  }

  inForce(): readonly Declared[] {
    return this.#book.inForce(this.#now());
  }

  health(): readonly SourceHealth[] {
    return [];
  }

  async stop(): Promise<void> {
    this.#emit = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #onset({ start, endMs }: Declared, nowMs: number): void {
    // What began long ago is reported as if it had begun later: the pipeline would hold it over at once.
    const timeMs = Math.max(start.atMs, Math.min(endMs ?? nowMs, nowMs) - AGAIN_MS);
    this.#emit?.event(event(start, 'onset', timeMs, nowMs));
    this.#reported.set(start.id, nowMs + AGAIN_MS);
  }

  /** Tells the ends that have come, and sets the timer for the next thing to tell. */
  #settle(): void {
    const nowMs = this.#now();
    const declared = this.#book.all();
    // One that another start of the same component replaced continues as that one.
    for (const id of this.#reported.keys())
      if (!declared.some(({ start }) => start.id === id)) this.#reported.delete(id);
    let nextMs = Number.POSITIVE_INFINITY;
    for (const one of declared) {
      const { start, endMs } = one;
      const againMs = this.#reported.get(start.id);
      if (againMs === undefined) continue;
      if (endMs !== null && endMs <= nowMs) {
        this.#reported.delete(start.id);
        this.#emit?.event(event(start, 'clear', endMs, nowMs));
        continue;
      }
      if (againMs <= nowMs) this.#onset(one, nowMs);
      nextMs = Math.min(nextMs, endMs ?? nextMs, this.#reported.get(start.id) ?? nextMs);
    }
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#emit === null || nextMs === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#settle(), Math.max(1, nextMs - nowMs)).unref();
  }
}

function event(start: Maintenance, state: 'onset' | 'clear', timeMs: number, observedMs: number): EventInput {
  const { by, note, untilMs, id } = start;
  const until = untilMs === null ? null : formatTime(untilMs, 3);
  const attributes: Attributes = { by, note, until, declared_at: formatTime(start.atMs, 3) };
  const evidence = [
    { source: SOURCE, timeMs: start.atMs, text: `declared by ${by}${note === null ? '' : `: ${note}`}` },
  ];
  return {
    kind: 'host.maintenance',
    component: start.component,
    timeMs,
    observedMs,
    trust: 'system',
    state,
    source: SOURCE,
    attributes,
    evidence,
    discriminator: id,
  };
}

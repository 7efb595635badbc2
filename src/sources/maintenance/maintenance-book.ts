// Maintenance book: which declared maintenance is in force, by component, from what people said in order.

import { componentText } from '../../model/component.ts';
import type { Maintenance } from '../../model/note.ts';

export interface Declared {
  readonly start: Maintenance;
  /** When it ended or will end, ms; null while that is open. */
  readonly endMs: number | null;
}

/** Components that may be under maintenance at once, and ended ones that are remembered. */
export const MOST_DECLARED = 64;

export class MaintenanceBook {
  /** The newest of each component, by its text. */
  readonly #declared = new Map<string, Declared>();

  constructor(notes: readonly Maintenance[] = []) {
    for (const note of notes) this.take(note);
  }

  /** A start replaces what was declared of the component before; an end of nothing is nothing. */
  take(note: Maintenance): void {
    const text = componentText(note.component);
    const before = this.#declared.get(text);
    if (note.state === 'end') {
      const endMs = before === undefined ? null : Math.min(before.endMs ?? note.atMs, note.atMs);
      if (before !== undefined) this.#declared.set(text, { ...before, endMs });
      return;
    }
    this.#declared.delete(text);
    this.#declared.set(text, { start: note, endMs: note.untilMs });
    for (const [oldest, { endMs }] of this.#declared) {
      if (this.#declared.size <= MOST_DECLARED) break;
      if (endMs !== null && endMs <= note.atMs) this.#declared.delete(oldest);
    }
  }

  all(): readonly Declared[] {
    return [...this.#declared.values()];
  }

  inForce(nowMs: number): readonly Declared[] {
    return this.all().filter(({ endMs }) => endMs === null || endMs > nowMs);
  }
}

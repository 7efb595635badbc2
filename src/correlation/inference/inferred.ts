// Inferred: keeps what each inference found last, so that only what changed is taken back and put in again.

import type { FaultEvent } from '../../model/event.ts';
import { KINDS, type Kind, kindInfo } from '../../model/kind.ts';
import type { Condition } from '../belief/condition.ts';
import type { Inference, Known } from './inference.ts';

/** The condition that an event became; null where there was no room for it. */
type Put = (event: FaultEvent) => Condition | null;

interface Found {
  readonly inference: Inference;
  readonly conditions: Set<Condition>;
  text: string;
}

const NONE: readonly Found[] = [];

export class Inferred {
  readonly #all: readonly Found[];
  readonly #watching = new Map<Kind, Found[]>();
  /** By index of the kind. */
  readonly #watches = new Uint8Array(KINDS.length);

  constructor(inferences: readonly Inference[]) {
    this.#all = inferences.map((inference) => ({ inference, conditions: new Set(), text: '[]' }));
    const inferred = new Set(inferences.flatMap(({ infers }) => infers));
    for (const found of this.#all) {
      for (const kind of new Set(found.inference.watches)) {
        // Two that fed each other might never settle.
        if (inferred.has(kind)) throw new Error(`inference ${found.inference.name} watches ${kind}, which is inferred`);
        this.#watching.set(kind, [...(this.#watching.get(kind) ?? NONE), found]);
        this.#watches[kindInfo(kind).index] = 1;
      }
    }
  }

  /** Whether a condition of the kind with this index can change anything that is inferred. */
  watches(index: number): boolean {
    return this.#watches[index] === 1;
  }

  /**
   * Looks again at what follows for this kind, or at all for null. `takeBack` gets what no longer follows, `put` what follows
   * now; returns the conditions that this put in.
   */
  update(kind: Kind | null, known: Known, takeBack: (gone: Condition) => void, put: Put): Condition[] {
    const added: Condition[] = [];
    for (const found of kind === null ? this.#all : (this.#watching.get(kind) ?? NONE)) {
      const events = found.inference.infer(known);
      // By all that they say: more supplies can be the evidence of the same sag.
      const text = JSON.stringify(events);
      if (text === found.text) continue;
      found.text = text;
      for (const gone of found.conditions) takeBack(gone);
      found.conditions.clear();
      for (const event of events) {
        const condition = put(event);
        if (condition === null) continue;
        found.conditions.add(condition);
        added.push(condition);
      }
    }
    return added;
  }
}

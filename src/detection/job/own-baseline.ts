// Own baseline: the drop detector once more, for a job whose work changed: what native code holds as usual is void for it.

import { median } from '../../helpers/median.ts';
import type { DetectorEdge, DetectorSpec } from '../../native.ts';

export type DropSpec = Extract<DetectorSpec, { readonly type: 'drop' }>;

/** Usual steps that the median is taken of; native code's ten minutes are as many of ten seconds. */
const KEPT_STEPS = 64;

/**
 * As native code's: the median of the last steps, frozen from the first one beyond until the clear, at least
 * `minSamples` of them; beyond `ratio` for `dwellSamples` in a row is an onset, back within `clearRatio` a clear.
 */
export class OwnBaseline {
  readonly #spec: DropSpec;
  readonly #key: string;
  readonly #usual: number[] = [];
  #previousMs = Number.NaN;
  /** The steps in a row that are beyond; null for none. */
  #beyond: { readonly timeMs: number; readonly previousMs: number; readonly value: number; steps: number } | null =
    null;
  #onset: { readonly reference: number; extreme: number } | null = null;

  constructor(spec: DropSpec, key: string) {
    this.#spec = spec;
    this.#key = key;
  }

  /** Whether an onset has not ended yet. */
  get reporting(): boolean {
    return this.#onset !== null;
  }

  sample(timeMs: number, value: number): DetectorEdge | null {
    if (!Number.isFinite(value)) return null;
    const previousMs = Number.isNaN(this.#previousMs) ? timeMs : this.#previousMs;
    this.#previousMs = timeMs;
    const usual = this.#usual.length < this.#spec.minSamples ? 0 : (median(this.#usual) ?? 0);
    if (this.#onset !== null) return this.#lasting(this.#onset, timeMs, previousMs, value);
    if (!(usual > 0 && this.#isBeyond(value, this.#spec.ratio * usual))) {
      this.#beyond = null;
      this.#usual.push(value);
      if (this.#usual.length > KEPT_STEPS) this.#usual.shift();
      return null;
    }
    this.#beyond ??= { timeMs, previousMs, value, steps: 0 };
    this.#beyond.steps += 1;
    if (this.#beyond.steps < this.#spec.dwellSamples) return null;
    const { steps: _, ...first } = this.#beyond;
    this.#onset = { reference: usual, extreme: this.#worst(first.value, value) };
    this.#beyond = null;
    return this.#edge('onset', { ...first, ...this.#onset });
  }

  #lasting(
    onset: { readonly reference: number; extreme: number },
    timeMs: number,
    previousMs: number,
    value: number,
  ): DetectorEdge | null {
    onset.extreme = this.#worst(onset.extreme, value);
    if (this.#isBeyond(value, this.#spec.clearRatio * onset.reference)) return null;
    this.#onset = null;
    return this.#edge('clear', { timeMs, previousMs, value, ...onset });
  }

  #edge(
    edge: DetectorEdge['edge'],
    reported: Pick<DetectorEdge, 'timeMs' | 'previousMs' | 'value' | 'reference' | 'extreme'>,
  ): DetectorEdge {
    return { detector: this.#spec.name, key: this.#key, edge, ...reported, detectedMs: reported.timeMs };
  }

  #isBeyond(value: number, limit: number): boolean {
    return this.#spec.when === 'above' ? value > limit : value < limit;
  }

  #worst(a: number, b: number): number {
    return this.#spec.when === 'above' ? Math.max(a, b) : Math.min(a, b);
  }
}

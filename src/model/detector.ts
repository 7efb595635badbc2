// What a detector watches and when it fires, as data: what `native.ts` hands to native code.

/** A detector counts samples only while another quantity of the same component is so. */
export interface DetectorGuard {
  readonly quantity: string;
  /** The quantity is divided by this one. */
  readonly against?: string;
  /** `absent`: no value, or none younger than `maxAgeMs`. */
  readonly when: 'above' | 'below' | 'absent';
  /** Whether it holds where there is no value, or none recent enough; left out: it fails. Not for `absent`. */
  readonly unknown?: 'holds' | 'fails';
  /** Left out where `when` is absent. */
  readonly limit?: number;
  readonly maxAgeMs?: number;
  /** What a sample is while it does not hold: `hold` not seen (a dwell begins again), `clear` within. */
  readonly otherwise: 'hold' | 'clear';
}

/** A detector watches every series whose component type and quantity match; one implementation, configured by data. */
export type DetectorSpec = {
  readonly name: string;
  readonly select: { readonly componentType: string; readonly quantity: string };
  /**
   * The value that is judged is the sample against the newest one of another quantity of the same component; without
   * that nothing is judged. Not for `mask` and `rate`.
   */
  readonly against?: {
    readonly quantity: string;
    readonly as: 'ratio' | 'difference';
    /** Older than this the other is absent; left out: it never ages. */
    readonly maxAgeMs?: number;
  };
  /** At most 8; all must hold. */
  readonly only?: readonly DetectorGuard[];
} & (
  | {
      /** Onset when the value is beyond `limit` for `dwellMs`; clear when back beyond `clear` for `clearDwellMs`. */
      readonly type: 'level';
      readonly when: 'above' | 'below';
      readonly limit: number;
      readonly clear: number;
      readonly dwellMs: number;
      readonly clearDwellMs: number;
    }
  | {
      /**
       * Onset when any of `bits` appears for `dwellMs`, clear when none is left for `clearDwellMs`. Where one of `without`
       * is set too, they do not count. Bits up to 2^53.
       */
      readonly type: 'mask';
      readonly bits: number;
      readonly without?: number;
      readonly dwellMs: number;
      readonly clearDwellMs: number;
    }
  | {
      /** Counter rate: growth per second over `windowMs`, at or above `perSecond`. A negative delta is a reset. */
      readonly type: 'rate';
      readonly perSecond: number;
      readonly windowMs: number;
      readonly clearDwellMs: number;
    }
  | {
      /**
       * Against the rolling median of the last `windowMs` (at least `minSamples`), frozen while the anomaly lasts:
       * beyond `ratio` × median for `dwellSamples` samples. Clear when back within `clearRatio` × median. With `follows`
       * the median continues: a value that stays is normal after half the window, and the next change counts again.
       */
      readonly type: 'drop';
      readonly when: 'above' | 'below';
      readonly ratio: number;
      readonly clearRatio: number;
      readonly windowMs: number;
      readonly minSamples: number;
      readonly dwellSamples: number;
      readonly follows?: boolean;
    }
  | {
      /** Least-squares trend over `windowMs` reaches `limit` within `horizonMs`. */
      readonly type: 'trend';
      readonly when: 'above' | 'below';
      readonly limit: number;
      readonly horizonMs: number;
      readonly windowMs: number;
      readonly minSamples: number;
    }
  | {
      /**
       * Deviates from the median of all series of the same selection by more than `ratio`, for `dwellMs`; with `grouped`
       * of those in its peer group only, and of none without one.
       */
      readonly type: 'peers';
      readonly when: 'above' | 'below';
      readonly ratio: number;
      readonly minPeers: number;
      readonly grouped?: boolean;
      readonly dwellMs: number;
      readonly clearDwellMs: number;
    }
);

// Family: one metric with its samples, ready to be written in either text format.

export type FamilyType = 'counter' | 'gauge' | 'histogram' | 'info' | 'unknown';

/** Names are legal already (names.ts); values are hostile text. In the order in which they are written. */
export type Labels = readonly (readonly [name: string, value: string])[];

export interface FamilySample {
  /** What follows the family's name: empty, or of a histogram `_bucket`, `_sum`, `_count`. */
  readonly suffix: string;
  readonly labels: Labels;
  readonly value: number;
}

export interface Family {
  /** As the plain text format writes it: counters with their `_total`. */
  readonly name: string;
  readonly type: FamilyType;
  readonly help: string;
  /** As OpenMetrics states it; empty where the name does not carry it. */
  readonly unit: string;
  readonly samples: readonly FamilySample[];
}

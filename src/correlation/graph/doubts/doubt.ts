// Doubt: what is known of one cause and one effect that speaks against the one having brought about the other.

import type { Facts } from '../../window/facts.ts';
import type { CauseRow } from '../cause-graph.ts';

export interface Doubt {
  readonly code: DoubtCode;
  /** What is left of the cause's weight, 0 to 1. */
  readonly factor: number;
  /** One clause for people: "the job did 150 steps after it". */
  readonly why: string;
}

export type DoubtCode =
  | 'own_error'
  | 'other_process'
  | 'work_continued'
  | 'waited_before'
  | 'too_small'
  | 'over_before'
  | 'other_way'
  | 'was_measured'
  | 'other_module'
  | 'other_panic'
  | 'other_supply'
  | 'broken_switch'
  | 'corrected_once'
  | 'not_a_switch'
  | 'usually_harmless';

/** Pure: a function of the two and the row between them, so that the order of arrival decides nothing. */
export type Doubting = (cause: Facts, effect: Facts, row: CauseRow) => Doubt | null;

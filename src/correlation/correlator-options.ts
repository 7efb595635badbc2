// Correlator options: what the engine is made with, and what it takes over from an earlier run.

import type { Aliases } from '../identity/aliases.ts';
import type { FaultEvent } from '../model/event.ts';
import type { RepeatBook } from './repeats/repeat-book.ts';
import type { PastEvents } from './window/past-events.ts';

export interface CorrelatorOptions {
  readonly host: string;
  /** What is known of components with several names. Left out: what the links say. */
  readonly names?: Aliases;
  /** How late an event may arrive and still be news, ms. */
  readonly latenessMs: number;
  /** How long all must be clear before a cluster ends, ms; never less than the lateness. */
  readonly holdMs: number;
  /** Conditions kept, 4,096 by default; the oldest finished ones go first. */
  readonly maxConditions?: number;
  /** Conditions of one kind kept, 256 by default: what bounds a flood of invented components. */
  readonly maxPerKind?: number;
  /** Latest value of a series, for what is shown as ruled out; decides nothing. */
  readonly reading?: (seriesKey: string) => number | null;
  /** Whether a source works; by default one does that has given an event. */
  readonly watches?: (source: string) => boolean;
  /** Advise on the node also where only a job's user said what is wrong: for people who look at a log, not for what acts by itself. */
  readonly adviseOnWords?: boolean;
  /** What earlier runs noted of devices, and is noted further. Left out: begun with the first event. */
  readonly repeats?: RepeatBook;
  /** The same of events that were over, with or without a consequence. */
  readonly pastEvents?: PastEvents;
}

/** What an earlier run left besides its open incidents: `Correlator.remembered`, `rememberedCauses`, and when this run took it up. */
export interface Before {
  readonly events: readonly FaultEvent[];
  readonly causes?: readonly FaultEvent[];
  readonly nowMs: number;
}

export const NOTHING_BEFORE: Before = { events: [], nowMs: Number.NEGATIVE_INFINITY };

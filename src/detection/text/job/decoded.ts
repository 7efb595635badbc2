// What lines of a job report, put together line by line.

import type { Component } from '../../../model/component.ts';
import type { RankLabel } from '../../../model/rank-label.ts';
import type { EventInput, SampleBatch } from '../../../model/record.ts';
import type { PauseLine } from './pause-line.ts';
import type { Progress } from './progress.ts';

export interface StepSeen {
  /** Position of the line (the first one, where it was broken in several) in its stream. */
  readonly position: number;
  readonly timeMs: number;
  readonly progress: Progress;
}

/** A line that says why steps are late: seen before, while or after they are. */
export interface PauseMark extends PauseLine {
  readonly component: Component;
  readonly timeMs: number;
}

/** A step as one rank reports it, its own or the next after the last that it reported. */
export interface RankStep {
  readonly label: RankLabel;
  readonly timeMs: number;
  readonly progress: Progress;
}

export interface JobDecoded {
  readonly steps: readonly StepSeen[];
  readonly events: readonly EventInput[];
  /** What went wrong, line by line: one thing is often reported by many lines. */
  readonly faults: readonly EventInput[];
  readonly pauses: readonly PauseMark[];
  readonly samples: SampleBatch | null;
  readonly ranks: readonly RankStep[];
  /** The job does more or less in a step from here on, or on more or fewer GPUs: what was usual of its speed is void. */
  readonly workChanged: boolean;
}

/** While it is put together. */
export interface Found {
  readonly steps: StepSeen[];
  readonly events: EventInput[];
  readonly faults: EventInput[];
  readonly pauses: PauseMark[];
  samples: SampleBatch | null;
  readonly ranks: RankStep[];
  workChanged: boolean;
}

export interface LineDecoded {
  readonly step: StepSeen | null;
  readonly events: readonly EventInput[];
  readonly pause: PauseMark | null;
  readonly samples: SampleBatch | null;
  readonly rank: RankStep | null;
}

export function newlyDecoded(): Found {
  return { steps: [], events: [], faults: [], pauses: [], samples: null, ranks: [], workChanged: false };
}

export function join(a: SampleBatch | null, b: SampleBatch | null): SampleBatch | null {
  if (a === null || b === null) return a ?? b;
  return {
    ...a,
    keys: [...a.keys, ...b.keys],
    timesMs: [...a.timesMs, ...b.timesMs],
    values: [...a.values, ...b.values],
  };
}

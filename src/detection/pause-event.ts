// The event that a job paused as it should: what was told of slow steps or of silence meanwhile was no fault.

import type { Component } from '../model/component.ts';
import type { EventInput } from '../model/record.ts';
import type { PauseReason } from './text/job/pause-line.ts';

export interface ExpectedPause {
  /** What the log said, or that it comes again and again at the same distance. */
  readonly why: PauseReason | 'rhythm';
  /** Slow steps in it; 0 where no step was printed at all. */
  readonly steps: number;
  /** Epoch ms. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Told when the pause is over: before that nobody can know that it was one. */
export function pauseEvent(component: Component, { why, steps, fromMs, toMs }: ExpectedPause): EventInput {
  return {
    kind: 'job.pause',
    component,
    timeMs: toMs,
    interval: { earliestMs: fromMs, latestMs: toMs },
    observedMs: toMs,
    trust: 'tenant',
    state: 'point',
    source: 'job-log',
    attributes: { why, steps, duration_s: (toMs - fromMs) / 1000 },
    discriminator: `pause:${fromMs}`,
  };
}

// The event that a job paused as it should: what was told of slow steps or of silence meanwhile was no fault.

import type { Component } from '../../model/component.ts';
import type { EventInput } from '../../model/record.ts';
import type { Pause } from './slow-runs.ts';

/** `steps` is 0 where no step was printed at all. Told when the pause is over: before that nobody can know that it was one. */
export function pauseEvent(component: Component, { why, steps, fromMs, toMs }: Pause): EventInput {
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

// The event that a job paused as it should: slow steps or silence that were reported meanwhile were not a fault.

import type { Component } from '../../model/component.ts';
import type { EventInput } from '../../model/record.ts';
import type { Pause } from './slow-runs.ts';

/** `steps` is 0 where no step was printed at all. Reported when the pause is over: before that it cannot be known that it was one. */
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

// Waited before: a collective that has been stuck since before the event was not stopped by it.

import type { Kind } from '../../../model/kind.ts';
import { eventTime } from '../../window/event-order.ts';
import type { Facts } from '../../window/facts.ts';
import type { Doubting } from './doubt.ts';
import { isPositive, jobClock } from './job-clock.ts';

/** The first rank waits while the others still compute, so the event may come that much later; less where steps are known to be short. */
const OTHERS_COMPUTE_MS = 60_000;
const LEAST_COMPUTE_MS = 10_000;
const STEPS_OF_OTHERS = 10;
const STEPS = 3;
const BEFORE = 0.05;

/** No step since then, but the log says nothing of what the job did: it may have evaluated or saved. */
const SILENT = 0.25;
const SILENT_MS = 30_000;
/** A library gives a peer up after its retries, up to a minute, in which the job is stopped already: the report is late, not its cause. */
const RETRIES_MS = 60_000;
const STALLS: ReadonlySet<Kind> = new Set<Kind>(['job.collective_timeout', 'job.collective_desync', 'job.hang']);

export const waitedBefore: Doubting = (cause, effect) => {
  const sinceMs = waitingSince(effect);
  const { earliestMs } = cause.onset;
  const known = jobClock(effect);
  if (sinceMs !== null) {
    const late = earliestMs - sinceMs;
    if (late <= othersComputeMs(known?.stepMs ?? null)) return null;
    return { code: 'waited_before', factor: BEFORE, why: `the wait had begun ${Math.round(late / 1000)} s before it` };
  }
  const clock = STALLS.has(effect.kind) ? known : null;
  if (clock === null) return null;
  const late = earliestMs - clock.lastStepMs;
  const silentMs = cause.kind.startsWith('net.') ? RETRIES_MS : SILENT_MS;
  if (late <= Math.max(silentMs, STEPS * clock.stepMs)) return null;
  return {
    code: 'waited_before',
    factor: SILENT,
    why: `the last step had ended ${Math.round(late / 1000)} s before it`,
  };
};

function othersComputeMs(stepMs: number | null): number {
  if (stepMs === null) return OTHERS_COMPUTE_MS;
  return Math.min(OTHERS_COMPUTE_MS, Math.max(LEAST_COMPUTE_MS, STEPS_OF_OTHERS * stepMs));
}

/** When the first of its ranks began to wait, ms; null where none reports how long it waited. */
function waitingSince({ events }: Facts): number | null {
  let first: number | null = null;
  for (const event of events) {
    const { waited_ms: waited } = event.attributes;
    if (!isPositive(waited)) continue;
    const since = eventTime(event) - waited;
    if (first === null || since < first) first = since;
  }
  return first;
}

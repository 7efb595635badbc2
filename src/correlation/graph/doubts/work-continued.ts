// Work continued: steps that the job did after the event, at its usual speed, say that the event did not stop it.

import type { Kind } from '../../../model/kind.ts';
import type { Facts } from '../../window/facts.ts';
import type { Doubting } from './doubt.ts';
import { isSlowness, jobClock } from './job-clock.ts';
import { overAtMs } from './over-at.ts';
import { speaksOf } from './own-error.ts';

/** Steps that end after it all the same: those under way, and those that a buffer of the log still held. */
const UNDER_WAY = 3;
const SHORTEST_MS = 5_000;
/** What lasts needs a while to do its harm: until steps are slow as long as its row says, and no longer than this. */
const GROWS = 5;
const GROWS_MS = 20_000;
const LONGEST_MS = 60_000;
/** What is read ahead lasts for so long after the files behind it are gone. */
const READ_AHEAD_MS = 60_000;
/** What answers the driver's calls and runs no kernels: work continues until the job next asks for something. */
const ON_CALL: ReadonlySet<Kind> = new Set<Kind>(['gpu.gsp_timeout', 'gpu.firmware_error', 'gpu.pmu_halt']);
const NEXT_CALL_MS = 300_000;
/** The event was over, and the job continued: hardly a cause. While it lasts, it may still become one. */
const OVER = 0.12;
const LASTS = 0.35;

export const workContinued: Doubting = (cause, effect, row) => {
  const clock = jobClock(effect);
  if (clock === null) return null;
  const { lastStepMs, stepMs } = clock;
  const active = activity(cause, lastStepMs, effect.onset.latestMs);
  if (active === null) return null;
  const grows = active.lasts
    ? Math.max(GROWS_MS, GROWS * stepMs, isSlowness(effect) ? Math.min(row.lagMaxMs, LONGEST_MS) : 0)
    : Math.max(SHORTEST_MS, UNDER_WAY * stepMs);
  const allowedMs = grows + (active.lasts ? untouchedMs(cause.kind) : 0);
  const healthyMs = lastStepMs - active.lastMs;
  // An exception that names what the event does is worth more than the steps before it.
  if (healthyMs <= allowedMs || (active.lasts && speaksOf(cause, effect))) return null;
  const steps = Math.floor(healthyMs / stepMs);
  // Of a service a step is a request, and many are answered at once.
  const why =
    effect.kind === 'service.degraded'
      ? `the service answered at its usual speed for ${Math.round(healthyMs / 1000)} s after it`
      : `the job did ${steps} steps ${isSlowness(effect) ? 'at its usual speed ' : ''}after it`;
  return { code: 'work_continued', factor: active.lasts ? LASTS * fading(healthyMs) : OVER, why };
};

/** How long a job does without what the event struck. */
function untouchedMs(kind: Kind): number {
  if (ON_CALL.has(kind)) return NEXT_CALL_MS;
  return kind.startsWith('storage.') ? READ_AHEAD_MS : 0;
}

/** When the cause last did something before the last good step, and whether it lasted beyond; null where that is not known. */
function activity(cause: Facts, lastStepMs: number, effectMs: number): { lastMs: number; lasts: boolean } | null {
  const { events, latest, count } = cause;
  let lastMs = cause.onset.latestMs;
  for (const event of events) {
    const at = Math.min(event.interval.latestMs, event.observedMs);
    if (at > lastMs && at <= effectMs) lastMs = at;
  }
  const seenAll = events.length === count;
  if (!seenAll && latest !== null) {
    // Only the first and the last are kept: one that came later says nothing of those between.
    if (latest.timeMs > effectMs) return null;
    lastMs = Math.max(lastMs, latest.timeMs);
  }
  const overMs = overAtMs(cause);
  const lasts = overMs === null || overMs > lastStepMs;
  return { lastMs: lasts ? lastMs : Math.max(lastMs, overMs), lasts };
}

/** The longer it went well with it, the less it is the cause: half after half an hour. */
function fading(healthyMs: number): number {
  return 1 / (1 + healthyMs / 1_800_000);
}

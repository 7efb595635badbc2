// Plan: until when something planned or declared explains what followed from it, and whether that is still there then.

import { type Kind, kindEntry } from '../../model/kind.ts';
import { compareSeverity } from '../../model/severity.ts';
import { type Facts, onlyTenant } from '../window/facts.ts';
import type { CauseRow } from './cause-graph.ts';
import { isFault } from './kind-roles.ts';

/** A plan that repeats explains one and the same fault for so many of its usual times: a reset loop must not hide it. */
const MOST_TIMES = 3;
const BMC = 'bmc';
/** Slurm kills what is left of a step at once; what a cancelled step does not end by itself it kills half a minute later. */
const SAME_MOMENT_MS = 5000;
const RANK_ENDS: ReadonlySet<string> = new Set<Kind>(['job.rank_killed', 'job.rank_crashed']);

/** When the plan stops explaining the effect, ms; infinity where it explains it for good, or was never planned. */
export function explainedUntilMs(row: CauseRow, cause: Facts, effect: Facts): number {
  if (!cause.roles.explains || row.explainsMs === null) return Number.POSITIVE_INFINITY;
  const usual = kindEntry(cause.kind).explains_for;
  if (usual === undefined) return Number.POSITIVE_INFINITY;
  if (!(isFault(effect.kind) || effect.leftBehind) || compareSeverity(effect.severity, 'warning') < 0)
    return Number.POSITIVE_INFINITY;
  // What a tenant claims to be broken is not seen to be broken still.
  if (onlyTenant(effect)) return Number.POSITIVE_INFINITY;
  // The bus was searched before anything of this boot ran: what it does not show is not on its way.
  const offBus = effect.kind === 'gpu.missing' && effect.first.attributes.why === 'not_there';
  if (offBus && cause.kind === 'host.rebooted') return cause.lastMs;
  const ms = row.explainsMs ?? usual.ms;
  // Its end is declared: until then it explains, however long that is.
  if (usual.ms === 0) return cause.endMs === null ? Number.POSITIVE_INFINITY : cause.endMs + ms;
  return Math.min((cause.endMs ?? cause.lastMs) + ms, Math.max(cause.onsetMs, effect.onsetMs) + MOST_TIMES * ms);
}

/**
 * An update of the BMC itself is seen in what the BMC reads, and in its silence: no device of the host starts again by it, and no job.
 * A step that Slurm ended without a reason was ended for the task that failed at that moment, whichever is reported first.
 */
export function isBeyondPlan(cause: Facts, effect: Facts): boolean {
  if (cause.kind === 'job.cancelled') return isEndOfStep(cause) && isFailedTask(effect, cause.onsetMs);
  if (cause.kind !== 'firmware.updated') return false;
  const { part } = cause.first.attributes;
  return (part === undefined ? isOfBmc(cause) : part === 'bmc') && !isOfBmc(effect);
}

/** Only lines of slurmstepd about a step, 4411.0: a job that is cancelled has one of its own, and Slurm records why. */
function isEndOfStep({ events }: Facts): boolean {
  return events.every(({ attributes: { step, reason } }) => typeof step === 'string' && step.includes('.') && !reason);
}

function isFailedTask({ kind, events, onsetMs }: Facts, endedMs: number): boolean {
  if (Math.abs(onsetMs - endedMs) > SAME_MOMENT_MS) return false;
  return RANK_ENDS.has(kind) && events.some(({ attributes: { how } }) => typeof how === 'string');
}

/** Reported by a BMC and nothing else, or of the source that asks it. */
function isOfBmc({ sources, first }: Facts): boolean {
  const { failed_source: failed } = first.attributes;
  if (typeof failed === 'string') return failed.split('/', 1)[0] === BMC;
  for (const source of sources.keys()) if (source !== BMC) return false;
  return sources.size > 0;
}

/** Still there after that time, or it was: a clear may come as late as any event. */
export function outlasts(effect: Facts, untilMs: number, clock: { nowMs: number; latenessMs: number }): boolean {
  return (effect.endMs ?? clock.nowMs) >= untilMs + clock.latenessMs;
}

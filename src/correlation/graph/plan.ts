// Plan: until when something planned or declared explains what followed from it, and whether that is still there then.

import { kindEntry } from '../../model/kind.ts';
import { compareSeverity } from '../../model/severity.ts';
import { type Facts, onlyTenant } from '../window/facts.ts';
import type { CauseRow } from './cause-graph.ts';
import { isFault } from './kind-roles.ts';

/** A plan that repeats explains one and the same fault for so many of its usual times: a reset loop must not hide it. */
const MOST_TIMES = 3;

/** When the plan stops explaining the effect, ms; infinity where it explains it for good, or was never planned. */
export function explainedUntilMs(row: CauseRow, cause: Facts, effect: Facts): number {
  if (!cause.roles.explains || row.explainsMs === null) return Number.POSITIVE_INFINITY;
  const usual = kindEntry(cause.kind).explains_for;
  if (usual === undefined) return Number.POSITIVE_INFINITY;
  if (!isFault(effect.kind) || compareSeverity(effect.severity, 'warning') < 0) return Number.POSITIVE_INFINITY;
  // What a tenant claims to be broken is not seen to be broken still.
  if (onlyTenant(effect)) return Number.POSITIVE_INFINITY;
  // The bus was searched before anything of this boot ran: what it does not show is not on its way.
  const offBus = effect.kind === 'gpu.missing' && effect.first.attributes.why === 'not_there';
  if (offBus && cause.kind === 'host.rebooted') return cause.lastMs;
  const ms = row.explainsMs ?? usual.ms;
  if (ms === 0) return cause.endMs ?? Number.POSITIVE_INFINITY;
  return Math.min((cause.endMs ?? cause.lastMs) + ms, Math.max(cause.onsetMs, effect.onsetMs) + MOST_TIMES * ms);
}

/** Still there after that time, or it was: a clear may come as late as any event. */
export function outlasts(effect: Facts, untilMs: number, clock: { nowMs: number; latenessMs: number }): boolean {
  return (effect.endMs ?? clock.nowMs) >= untilMs + clock.latenessMs;
}

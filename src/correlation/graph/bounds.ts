// Bounds: which conditions no row between two kinds can connect, by their times and places alone; most pairs end here.

import { byOnset, type Facts, onlyTenant } from '../window/facts.ts';
import type { CauseRow } from './cause-graph.ts';

/** The rows from one kind to another, and what all of them ask. */
export interface Bounds {
  readonly rows: readonly CauseRow[];
  /** The cause may be seen so much later than its effect, ms. */
  readonly leadMs: number;
  /** The effect may be seen so much later than the cause, or its end where that counts, ms. */
  readonly followMs: number;
  /** From when on `followMs` counts: the beginning of the cause, its end, or neither. */
  readonly from: 'onset' | 'end' | 'never';
  /** Both must be one device, or one of them names none. */
  readonly oneDevice: boolean;
  readonly mustPrecede: boolean;
}

export function boundsOf(rows: readonly CauseRow[]): Bounds {
  const each = rows.some(({ eachTime }) => eachTime);
  const active = rows.some(({ whileActive }) => whileActive);
  return {
    rows,
    leadMs: Math.max(...rows.map(leadOf)),
    followMs: Math.max(...rows.map(({ effectLateMs, lagMaxMs }) => effectLateMs + lagMaxMs)),
    from: each ? 'never' : active ? 'end' : 'onset',
    oneDevice: rows.every(({ relation, unmapped }) => relation === 'same_component' && !unmapped),
    mustPrecede: rows.every(({ mustPrecede, partFirst }) => mustPrecede && !partFirst),
  };
}

function leadOf({ causeLateMs, lagMinMs, keepsUp }: CauseRow): number {
  return keepsUp ? Number.POSITIVE_INFINITY : causeLateMs - lagMinMs;
}

/** False only where every row would refuse the two. */
export function mayLead(cause: Facts, effect: Facts, bounds: Bounds): boolean {
  if (bounds.mustPrecede && byOnset(cause, effect) >= 0 && !onlyTenant(effect)) return false;
  const began = cause.onset;
  const seen = effect.onset;
  if (began.earliestMs - seen.latestMs > bounds.leadMs) return false;
  if (bounds.from !== 'never') {
    const toMs =
      bounds.from === 'onset' ? began.latestMs : Math.max(cause.endMs ?? Number.POSITIVE_INFINITY, began.latestMs);
    if (seen.earliestMs - toMs > bounds.followMs) return false;
  }
  return !bounds.oneDevice || cause.device === effect.device || cause.device === '?' || effect.device === '?';
}

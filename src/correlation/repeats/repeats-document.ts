// Repeats document: how what happened to a device is kept in the state folder, and read with care.

import { isKind } from '../../model/kind.ts';
import type { Happening } from './repeat.ts';

/** Of a name that a line brings with it. */
export const LONGEST_TEXT = 64;

export function happeningToDocument({ kind, timeMs, pid, job, unit }: Happening): object {
  return { kind, time_ms: timeMs, pid, job, unit };
}

/** `place`: the time on the clock of this run, null where it cannot be placed. */
export function happeningFrom(value: unknown, place: (timeMs: number) => number | null): Happening | null {
  if (typeof value !== 'object' || value === null) return null;
  const { kind, time_ms, pid, job, unit } = value as Record<string, unknown>; // a non-null object can be indexed
  if (typeof kind !== 'string' || !isKind(kind) || typeof time_ms !== 'number' || !Number.isFinite(time_ms))
    return null;
  if (!isTextOrNull(job) || !isTextOrNull(unit)) return null;
  if (pid !== null && typeof pid !== 'number') return null;
  const timeMs = place(time_ms);
  return timeMs === null ? null : { kind, timeMs, pid, job, unit };
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && value.length <= LONGEST_TEXT);
}

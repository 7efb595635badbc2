// Ids of spans: made from the incident's own, so that a request that is sent again never brings a new one.

import { stableId } from '../../model/identity.ts';

/** Span id, 16 hex digits, never all zeros: `part` is an event id, a piece of our own work, or left out for the incident. */
export function spanIdOf(incidentId: string, part = ''): string {
  const digits = `${stableId('span', incidentId, part, 0)}${stableId('span', incidentId, part, 1)}`.slice(0, 16);
  return /^0+$/.test(digits) ? `${digits.slice(0, -1)}1` : digits;
}

/**
 * Whether a trace of this id is kept at this share, by its last 56 bits as W3C Trace Context level 2 takes them for
 * random: the same answer wherever it is asked.
 */
export function isSampled(traceId: string, ratio: number): boolean {
  if (ratio >= 1) return true;
  const bits = Number.parseInt(traceId.slice(-14, -1), 16); // 52 bits: what a float64 holds exactly
  return bits >= (1 - ratio) * 2 ** 52;
}

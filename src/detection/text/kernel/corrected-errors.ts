// Corrected errors of a DIMM: one is nothing, many within an hour or a few seconds are a storm.

import type { Kind } from '../../../model/kind.ts';
import type { KernelContext } from './context.ts';

/** So many corrected errors of one DIMM within an hour are a storm: mcelog and rasdaemon act on tens a day. */
export const STORM_ERRORS = 100;
export const STORM_MS = 3_600_000;
/** So many reports of it within ten seconds are one too: a cell that fails at each access. One report of many errors is a count since the last look. */
export const BURST_REPORTS = 10;
export const BURST_MS = 10_000;
/** So many errors in that time are one as well, where it is not one look that counted them all. */
const BURST_LOOKS = 3;
const BURST_ERRORS = 12;
/** A host has 64 DIMMs at most. */
const MAX_DIMMS = 256;

/** `reports`: lines like this one, each with so many errors. */
export function correctedKind(
  dimm: string,
  errors: number,
  reports: number,
  context: KernelContext,
  timeMs: number,
): Kind {
  return isStorm(dimm, errors, reports, context, timeMs) ? 'memory.ce_storm' : 'memory.ce';
}

function isStorm(dimm: string, errors: number, reports: number, { corrected }: KernelContext, timeMs: number): boolean {
  const known = corrected.get(dimm);
  if (known === undefined && corrected.size >= MAX_DIMMS) return false;
  const counted = known ?? { sinceMs: timeMs, errors: 0, burstSinceMs: timeMs, burst: 0, burstErrors: 0 };
  corrected.set(dimm, counted);
  if (Math.abs(timeMs - counted.sinceMs) >= STORM_MS) {
    counted.sinceMs = timeMs;
    counted.errors = 0;
  }
  if (Math.abs(timeMs - counted.burstSinceMs) >= BURST_MS) {
    counted.burstSinceMs = timeMs;
    counted.burst = 0;
    counted.burstErrors = 0;
  }
  counted.errors += errors * reports;
  counted.burst += reports;
  counted.burstErrors += errors * reports;
  const many = counted.burst >= BURST_LOOKS && counted.burstErrors >= BURST_ERRORS;
  return counted.errors >= STORM_ERRORS || counted.burst >= BURST_REPORTS || many;
}

// Degradations: the times in which a service was worse than twice its baseline, as PowerTrace finds them.

import type { ServicePoint } from '../records.ts';

/** Anomalous points no further apart than this are one window, s. */
const GAP_S = 30;
/** Of errors, percent, where the baseline has none. */
const ERRORS_WITHOUT_BASELINE = 1;

export interface Baseline {
  readonly p99: number;
  readonly errorRate: number;
  readonly throughput: number;
}

export interface Degradation {
  readonly service: string;
  readonly baseline: Baseline;
  readonly points: readonly [ServicePoint, ...ServicePoint[]];
}

export interface Degradations {
  readonly windows: readonly Degradation[];
  readonly warnings: readonly string[];
}

export function degradations(points: readonly ServicePoint[], lookbackS: number): Degradations {
  const windows: Degradation[] = [];
  const warnings: string[] = [];
  for (const [service, own] of Map.groupBy(points, (point) => point.service)) {
    if (own.length < 2) {
      warnings.push(`Service '${service}' has only 1 data point: at least 2 make a baseline. It was not looked at.`);
      continue;
    }
    const sorted = own.toSorted((a, b) => a.at - b.at);
    const locked = lockedBaseline(sorted, lookbackS);
    if (locked !== null) windows.push(...windowsOf(service, sorted.slice(locked.from), locked.baseline));
  }
  return { windows, warnings };
}

/** Of the first point that has two in the time before it; that point is the first to be compared, with its equals in time. */
function lockedBaseline(
  sorted: readonly ServicePoint[],
  lookbackS: number,
): { from: number; baseline: Baseline } | null {
  let first = 0;
  let end = 0;
  for (const [index, { at }] of sorted.entries()) {
    while ((sorted[first]?.at ?? at) < at - lookbackS) first += 1;
    while ((sorted[end]?.at ?? at) < at) end += 1;
    if (end - first >= 2) return { from: index, baseline: meanOf(sorted.slice(first, end)) };
  }
  return null;
}

function meanOf(points: readonly ServicePoint[]): Baseline {
  const mean = (of: (point: ServicePoint) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  return {
    p99: mean(({ p99 }) => p99),
    errorRate: mean(({ errorRate }) => errorRate),
    throughput: mean(({ throughput }) => throughput),
  };
}

function windowsOf(service: string, points: readonly ServicePoint[], baseline: Baseline): Degradation[] {
  const windows: { service: string; baseline: Baseline; points: [ServicePoint, ...ServicePoint[]] }[] = [];
  for (const point of points) {
    if (!isWorse(point, baseline)) continue;
    const last = windows.at(-1);
    const before = last?.points.at(-1);
    if (last !== undefined && before !== undefined && point.at - before.at <= GAP_S) last.points.push(point);
    else windows.push({ service, baseline, points: [point] });
  }
  return windows;
}

function isWorse({ p99, errorRate }: ServicePoint, baseline: Baseline): boolean {
  if (baseline.p99 > 0 && p99 > 2 * baseline.p99) return true;
  return errorRate > (baseline.errorRate > 0 ? 2 * baseline.errorRate : ERRORS_WITHOUT_BASELINE);
}

// Degradations: the times in which a service was worse than twice its baseline, as PowerTrace finds them.

import type { ServiceSeries } from '../records.ts';
import { rounded } from './round.ts';

/** Anomalous points no further apart than this are one window, s. */
const GAP_S = 30;
/** Of errors, percent, where the baseline has none. */
const ERRORS_WITHOUT_BASELINE = 1;

/** As it was locked, and as reports show it. */
export interface Baseline extends Means {
  readonly shown: Means;
}

export interface Means {
  readonly p99: number;
  readonly errorRate: number;
  readonly throughput: number;
}

export interface Degradation {
  readonly service: string;
  readonly baseline: Baseline;
  readonly series: ServiceSeries;
  /** Of its readings in the series, in order; at least one. */
  readonly places: readonly number[];
  /** Of the first and the last of them, s since 1970. */
  readonly startS: number;
  readonly endS: number;
}

export interface Degradations {
  readonly windows: readonly Degradation[];
  readonly warnings: readonly string[];
}

export function degradations(services: readonly ServiceSeries[], lookbackS: number): Degradations {
  const windows: Degradation[] = [];
  const warnings: string[] = [];
  for (const series of services) {
    if (series.at.length < 2) {
      warnings.push(
        `Service '${series.service}' has only 1 data point: at least 2 make a baseline. It was not looked at.`,
      );
      continue;
    }
    const locked = lockedBaseline(series, lookbackS);
    if (locked !== null) windows.push(...windowsOf(series, locked.from, locked.baseline));
  }
  return { windows, warnings };
}

/** Of the first point that has two in the time before it; that point is the first to be compared, with its equals in time. */
function lockedBaseline(series: ServiceSeries, lookbackS: number): { from: number; baseline: Baseline } | null {
  const times = series.at;
  let first = 0;
  let end = 0;
  for (let index = 0; index < times.length; index += 1) {
    const at = times[index] ?? 0;
    while ((times[first] ?? at) < at - lookbackS) first += 1;
    while ((times[end] ?? at) < at) end += 1;
    if (end - first >= 2) return { from: index, baseline: meanOf(series, first, end) };
  }
  return null;
}

function meanOf({ p99, errorRate, throughput }: ServiceSeries, first: number, end: number): Baseline {
  const mean = (column: Float64Array): number =>
    column.subarray(first, end).reduce((sum, value) => sum + value, 0) / (end - first);
  const means = { p99: mean(p99), errorRate: mean(errorRate), throughput: mean(throughput) };
  const shown = {
    p99: rounded(means.p99, 1),
    errorRate: rounded(means.errorRate, 2),
    throughput: rounded(means.throughput, 1),
  };
  return { ...means, shown };
}

function windowsOf(series: ServiceSeries, from: number, baseline: Baseline): Degradation[] {
  const { service, at, p99, errorRate } = series;
  const windows: Degradation[] = [];
  const slow = baseline.p99 > 0 ? 2 * baseline.p99 : Number.NaN;
  const failing = baseline.errorRate > 0 ? 2 * baseline.errorRate : ERRORS_WITHOUT_BASELINE;
  let places: number[] = [];
  const end = (): void => {
    if (places.length === 0) return;
    const startS = at[places[0] ?? 0] ?? Number.NaN;
    const endS = at[places.at(-1) ?? 0] ?? Number.NaN;
    windows.push({ service, baseline, series, places, startS, endS });
    places = [];
  };
  let lastS = Number.NEGATIVE_INFINITY;
  let index = firstAbove(p99, slow, errorRate, failing, from);
  while (index < p99.length) {
    const atS = at[index] ?? Number.NaN;
    if (atS - lastS > GAP_S) end();
    places.push(index);
    lastS = atS;
    index = firstAbove(p99, slow, errorRate, failing, index + 1);
  }
  end();
  return windows;
}

/** The first place from `from` on where one of two columns is above its limit, else their length. A NaN is above nothing, and nothing is above one. */
function firstAbove(one: Float64Array, limit: number, other: Float64Array, otherLimit: number, from: number): number {
  for (let index = from; index < one.length; index += 1)
    if ((one[index] ?? 0) > limit || (other[index] ?? 0) > otherLimit) return index;
  return one.length;
}

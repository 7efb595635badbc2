// Series: the readings of a file by service and column, since each scorer goes through those of a service in order of time.

import type { ServicePoint, ServiceSeries } from './records.ts';

/** Services in the order in which they first come. */
export function seriesOf(points: readonly ServicePoint[]): ServiceSeries[] {
  return [...Map.groupBy(points, ({ service }) => service)].map(([service, own]) => {
    const isSorted = own.every(({ at }, index) => index === 0 || at >= (own[index - 1]?.at ?? at));
    const sorted = isSorted ? own : own.toSorted((a, b) => a.at - b.at);
    const column = (of: (point: ServicePoint) => number): Float64Array => Float64Array.from(sorted, of);
    return {
      service,
      at: column(({ at }) => at),
      p50: column(({ p50 }) => p50),
      p95: column(({ p95 }) => p95),
      p99: column(({ p99 }) => p99),
      errorRate: column(({ errorRate }) => errorRate),
      throughput: column(({ throughput }) => throughput),
      node: sorted.map(({ node }) => node),
    };
  });
}

export function pointAt(series: ServiceSeries, index: number): ServicePoint {
  const of = (column: Float64Array): number => column[index] ?? Number.NaN;
  const { service, at, p50, p95, p99, errorRate, throughput, node } = series;
  return {
    service,
    at: of(at),
    p50: of(p50),
    p95: of(p95),
    p99: of(p99),
    errorRate: of(errorRate),
    throughput: of(throughput),
    node: node[index] ?? null,
  };
}

export function pointsOf(series: ServiceSeries): ServicePoint[] {
  return Array.from(series.at, (_, index) => pointAt(series, index));
}

// Span readings: latency and errors of services that only spans tell of, as readings of a service are.

import { quantile } from '../../../helpers/median.ts';
import type { ServicePoint, Span } from '../records.ts';

/** So many spans, over so long at least, make one reading, s. */
const FEWEST = 10;
const SHORTEST_S = 10;
/** Of fewer spans than this the share above tells nothing: one slow request would be all of it. */
const FEWEST_FOR_P95 = 20;
const FEWEST_FOR_P99 = 100;

/** In order of time. How many requests there were is not known: spans are a sample of them. */
export function spanReadings(service: string, spans: readonly Span[]): ServicePoint[] {
  const sorted = spans.toSorted((a, b) => a.at - b.at);
  const readings: ServicePoint[] = [];
  let from = 0;
  sorted.forEach(({ at }, index) => {
    const startS = sorted[from]?.at ?? at;
    if (index + 1 - from < FEWEST || at - startS < SHORTEST_S) return;
    readings.push(readingOf(service, startS, sorted.slice(from, index + 1)));
    from = index + 1;
  });
  return readings;
}

function readingOf(service: string, at: number, spans: readonly Span[]): ServicePoint {
  const took = spans.map(({ durationMs }) => durationMs).filter(Number.isFinite);
  const of = (q: number, fewest: number): number =>
    took.length < fewest ? Number.NaN : (quantile(took, q) ?? Number.NaN);
  return {
    service,
    at,
    p50: of(0.5, 1),
    p95: of(0.95, FEWEST_FOR_P95),
    p99: of(0.99, FEWEST_FOR_P99),
    errorRate: (100 * spans.filter(({ failed }) => failed).length) / spans.length,
    throughput: Number.NaN,
    node: null,
  };
}

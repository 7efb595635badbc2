// Series: the readings of a file by service and column, since each scorer goes through those of a service in order of time.

import type { ServicePoint, ServiceSeries } from './records.ts';

type Columns = Readonly<Record<'at' | 'p50' | 'p95' | 'p99' | 'errorRate' | 'throughput', number[]>> & {
  readonly node: (string | null)[];
};

/** Takes readings as a file has them, without an object for each. */
export class SeriesMaker {
  readonly #services = new Map<string, Columns>();

  /** `at`: s since 1970; the latencies in ms, errors in percent, throughput in requests/s. */
  add(
    service: string,
    at: number,
    p50: number,
    p95: number,
    p99: number,
    errorRate: number,
    throughput: number,
    node: string | null,
  ): void {
    let own = this.#services.get(service);
    if (own === undefined) {
      own = { at: [], p50: [], p95: [], p99: [], errorRate: [], throughput: [], node: [] };
      this.#services.set(service, own);
    }
    own.at.push(at);
    own.p50.push(p50);
    own.p95.push(p95);
    own.p99.push(p99);
    own.errorRate.push(errorRate);
    own.throughput.push(throughput);
    own.node.push(node);
  }

  /** Services in the order in which they first came. */
  made(): ServiceSeries[] {
    return [...this.#services].map(([service, own]) => {
      const order = orderOf(own.at);
      const column = (values: readonly number[]): Float64Array => {
        const sorted = new Float64Array(values);
        order?.forEach((from, to) => {
          sorted[to] = values[from] ?? Number.NaN;
        });
        return sorted;
      };
      return {
        service,
        at: column(own.at),
        p50: column(own.p50),
        p95: column(own.p95),
        p99: column(own.p99),
        errorRate: column(own.errorRate),
        throughput: column(own.throughput),
        node: order === null ? own.node : Array.from(order, (from) => own.node[from] ?? null),
      };
    });
  }
}

/** Places in order of time, those of one time as they are; null where all are in order. */
function orderOf(times: readonly number[]): Uint32Array | null {
  let isSorted = true;
  for (let index = 1; index < times.length && isSorted; index += 1)
    isSorted = (times[index] ?? 0) >= (times[index - 1] ?? 0);
  if (isSorted) return null;
  return Uint32Array.from(times, (_, index) => index).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b);
}

/** Services in the order in which they first come. */
export function seriesOf(points: readonly ServicePoint[]): ServiceSeries[] {
  const maker = new SeriesMaker();
  for (const { service, at, p50, p95, p99, errorRate, throughput, node } of points)
    maker.add(service, at, p50, p95, p99, errorRate, throughput, node);
  return maker.made();
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

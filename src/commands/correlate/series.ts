// Series: the readings of a file by service and column, since each scorer goes through those of a service in order of time.

import type { ServicePoint, ServiceSeries } from './records.ts';

/** Figures of a reading: time, p50, p95, p99, error rate, throughput. */
const FIGURES = 6;
const FIRST_ROOM = 256;

/** Of one service, a row of figures for each reading. */
interface Rows {
  figures: Float64Array;
  readonly node: (string | null)[];
}

/** Takes readings as a file has them, without an object for each. */
export class SeriesMaker {
  readonly #services = new Map<string, Rows>();

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
      own = { figures: new Float64Array(FIRST_ROOM * FIGURES), node: [] };
      this.#services.set(service, own);
    }
    const place = own.node.length * FIGURES;
    if (place === own.figures.length) {
      const { figures } = own;
      own.figures = new Float64Array(2 * figures.length);
      own.figures.set(figures);
    }
    const { figures } = own;
    figures[place] = at;
    figures[place + 1] = p50;
    figures[place + 2] = p95;
    figures[place + 3] = p99;
    figures[place + 4] = errorRate;
    figures[place + 5] = throughput;
    own.node.push(node);
  }

  /** Services in the order in which they first came. */
  made(): ServiceSeries[] {
    return [...this.#services].map(([service, { figures, node }]) => {
      const order = orderOf(column(figures, 0, node.length, null));
      const sorted = (figure: number): Float64Array => column(figures, figure, node.length, order);
      return {
        service,
        at: sorted(0),
        p50: sorted(1),
        p95: sorted(2),
        p99: sorted(3),
        errorRate: sorted(4),
        throughput: sorted(5),
        node: order === null ? node : Array.from(order, (from) => node[from] ?? null),
      };
    });
  }
}

/** One figure of all rows, in this order; null: as they are. */
function column(figures: Float64Array, figure: number, count: number, order: Uint32Array | null): Float64Array {
  const made = new Float64Array(count);
  for (let index = 0; index < count; index += 1)
    made[index] = figures[(order === null ? index : (order[index] ?? 0)) * FIGURES + figure] ?? Number.NaN;
  return made;
}

/** Places in order of time, those of one time as they are; null where all are in order. */
function orderOf(times: Float64Array): Uint32Array | null {
  let isSorted = true;
  for (let index = 1; index < times.length && isSorted; index += 1)
    isSorted = (times[index] ?? 0) >= (times[index - 1] ?? 0);
  if (isSorted) return null;
  return Uint32Array.from(times.keys()).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b);
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

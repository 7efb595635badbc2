// Slow spells of a service: the times in which it was worse than it usually is, against a baseline that follows it.

import { median } from '../../../helpers/median.ts';
import type { ServicePoint } from '../records.ts';

/** So many normal points make a baseline, where there are as many; the newest ones count. */
const FEWEST = 3;
const MOST = 60;
/** Of the usual value; a single point must be that much worse to count by itself. */
const SLOWER = 1.5;
const MUCH_SLOWER = 3;
/** Of the spread of normal points (1.4826 MAD is one sigma). */
const SPREADS = 5 * 1.4826;
/** Percentage points; a rise of errors below it is none. */
const MORE_ERRORS = 1;
const MANY_ERRORS = 10;
const LESS_WORK = 0.6;
/** Two bad points further apart than this are no spell, s. */
const TOGETHER_S = 300;

/** Any of them says that a service is slow; the first that does names it. */
const LATENCIES = ['p99', 'p95', 'p50'] as const;
type Latencies = Readonly<Record<(typeof LATENCIES)[number], number>>;

interface Usual extends Latencies {
  readonly spread: Latencies;
  readonly errorRate: number;
  readonly throughput: number;
}

export interface SlowSpell {
  readonly service: string;
  readonly quantity: `${(typeof LATENCIES)[number]}_latency` | 'error_rate' | 'request_rate';
  readonly before: number;
  /** Of the worst point. */
  readonly after: number;
  readonly first: ServicePoint;
  readonly points: number;
  /** Of its last bad point. */
  readonly lastS: number;
  /** The last normal point before it. */
  readonly lastGoodS: number;
  /** The first normal point after it; null where the file ends before. */
  readonly overS: number | null;
}

/** @param sorted points of one service in order of time. */
export function slowSpells(sorted: readonly ServicePoint[], lookbackS: number): SlowSpell[] {
  // What the first points are is known from all that the file begins with: one bad first point does not decide.
  const normal = sorted.slice(0, 2 * FEWEST - 1);
  if (normal.length < FEWEST) return [];
  const spells: SlowSpell[] = [];
  let bad: { readonly usual: Usual; readonly points: ServicePoint[]; readonly lastGoodS: number } | null = null;
  let lastGoodS = sorted[0]?.at ?? 0;
  const end = (overS: number | null): void => {
    if (bad !== null) spells.push(...spellOf(bad.points, bad.usual, bad.lastGoodS, overS));
    bad = null;
  };
  for (const [index, point] of sorted.entries()) {
    const usual = usualOf(recent(normal, point.at, lookbackS));
    const last = bad?.points.at(-1);
    if (badness(point, bad?.usual ?? usual) > 0) {
      if (last !== undefined && point.at - last.at > TOGETHER_S) end(null);
      bad ??= { usual, points: [], lastGoodS };
      bad.points.push(point);
      continue;
    }
    end(point.at);
    lastGoodS = point.at;
    if (index >= 2 * FEWEST - 1) normal.push(point);
    if (normal.length > 4 * MOST) normal.splice(0, 2 * MOST);
  }
  end(null);
  return spells;
}

/** Normal points of the time before; where these are too few the newest of any age. */
function recent(normal: readonly ServicePoint[], at: number, lookbackS: number): readonly ServicePoint[] {
  const newest = normal.slice(-MOST);
  const within = newest.filter((point) => point.at >= at - lookbackS);
  return within.length >= FEWEST ? within : newest.slice(-2 * FEWEST);
}

function usualOf(points: readonly ServicePoint[]): Usual {
  const middle = (values: readonly number[]): number =>
    median(values.filter((value) => Number.isFinite(value))) ?? Number.NaN;
  const usual = (name: keyof Latencies): number => middle(points.map((point) => point[name]));
  const [p50, p95, p99] = [usual('p50'), usual('p95'), usual('p99')];
  const spread = (name: keyof Latencies, usually: number): number =>
    middle(points.map((point) => Math.abs(point[name] - usually)));
  return {
    ...{ p50, p95, p99 },
    spread: { p50: spread('p50', p50), p95: spread('p95', p95), p99: spread('p99', p99) },
    errorRate: middle(points.map(({ errorRate }) => errorRate)),
    throughput: middle(points.map(({ throughput }) => throughput)),
  };
}

/** 0 where the point is normal, 1 where it is bad, 2 where it is so bad that it counts alone. */
function badness(point: ServicePoint, usual: Usual): 0 | 1 | 2 {
  const { errorRate, throughput } = point;
  const errors = errorRate - Math.max(0, usual.errorRate);
  if (LATENCIES.some((name) => point[name] > MUCH_SLOWER * usual[name]) || errors > MANY_ERRORS) return 2;
  const slow = LATENCIES.some(
    (name) => point[name] > SLOWER * usual[name] && point[name] > usual[name] + SPREADS * usual.spread[name],
  );
  const failing = errors > MORE_ERRORS && errorRate > 2 * usual.errorRate;
  // Less is asked of a service at night: less work alone counts where there is next to none.
  const idle = throughput < LESS_WORK * usual.throughput && (slow || failing || throughput < 0.1 * usual.throughput);
  return slow || failing || idle ? 1 : 0;
}

function spellOf(points: readonly ServicePoint[], usual: Usual, lastGoodS: number, overS: number | null): SlowSpell[] {
  const [first] = points;
  if (first === undefined) return [];
  if (points.length === 1 && badness(first, usual) < 2) return [];
  const worst = (of: (point: ServicePoint) => number): number => Math.max(...points.map(of).filter(Number.isFinite));
  const least = Math.min(...points.map(({ throughput }) => throughput).filter(Number.isFinite));
  const shared = {
    service: first.service,
    first,
    lastS: points.at(-1)?.at ?? first.at,
    points: points.length,
    lastGoodS: Math.min(lastGoodS, first.at),
    overS,
  };
  for (const name of LATENCIES) {
    const after = worst((point) => point[name]);
    if (after > SLOWER * usual[name])
      return [{ ...shared, quantity: `${name}_latency` as const, before: usual[name], after }];
  }
  const errorRate = worst((point) => point.errorRate);
  if (errorRate > usual.errorRate + MORE_ERRORS) {
    return [{ ...shared, quantity: 'error_rate', before: usual.errorRate, after: errorRate }];
  }
  return [{ ...shared, quantity: 'request_rate', before: usual.throughput, after: least }];
}

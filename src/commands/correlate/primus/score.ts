// Score of two alerts as Primus Lens gives it: additive, without a cap, whichever came first.

/** An alert of its model, as far as it is scored. */
export interface Alert {
  readonly id: string;
  readonly name: string;
  /** metric, log, trace, webhook. */
  readonly source: string;
  readonly isFiring: boolean;
  /** Epoch seconds. */
  readonly at: number;
  readonly workload: string;
  readonly pod: string;
  readonly node: string;
}

export interface Related {
  readonly id: string;
  readonly score: number;
  readonly type: 'time' | 'entity' | 'cross_source' | 'causal';
}

/** Cause, effect, and what the pair adds; both directions count. */
const PAIRS: readonly (readonly [cause: string, effect: string, score: number])[] = [
  ['GPUMemoryHigh', 'OOMError', 0.8],
  ['NetworkLatencyHigh', 'TrainingSlowdown', 0.7],
  ['NodeDown', 'PodRestart', 0.9],
  ['DiskSpaceLow', 'CheckpointFailed', 0.8],
  ['NCCLError', 'TrainingHang', 0.7],
  ['HighTemperature', 'GPUThrottling', 0.8],
];
const NEAR_S = 60;
const WINDOW_S = 300;
const LEAST = 0.3;
const MOST_RELATED = 100;

/** Null where nothing speaks for it. */
export function scoreOf(one: Alert, other: Alert): Pick<Related, 'score' | 'type'> | null {
  const apart = Math.abs(one.at - other.at);
  // Tenths, so that sums are what their decimals say.
  let tenths = apart < NEAR_S ? 4 : apart < WINDOW_S ? 2 : 0;
  if (tenths === 0) return null;
  let type: Related['type'] = 'time';
  const entity = same(one.workload, other.workload)
    ? 5
    : same(one.pod, other.pod)
      ? 4
      : same(one.node, other.node)
        ? 3
        : 0;
  if (entity > 0) type = 'entity';
  tenths += entity;
  if (one.source !== other.source) {
    tenths += 3;
    type = 'cross_source';
  }
  const pair = pairOf(one.name, other.name);
  if (pair > LEAST) type = 'causal';
  return { score: (tenths + Math.round(pair * 10)) / 10, type };
}

/** The firing alerts of the same workload (else pod, else node) within five minutes that score at least 0.3, best first. */
export function relatedTo(alert: Alert, alerts: readonly Alert[]): Related[] {
  const near = alerts.filter(
    (other) =>
      other.id !== alert.id && other.isFiring && Math.abs(other.at - alert.at) <= WINDOW_S && sharesPlace(alert, other),
  );
  const scored = near.slice(0, MOST_RELATED).flatMap((other) => {
    const score = scoreOf(alert, other);
    return score === null || score.score < LEAST ? [] : [{ id: other.id, ...score }];
  });
  return scored.sort((a, b) => b.score - a.score);
}

function sharesPlace(alert: Alert, other: Alert): boolean {
  for (const place of ['workload', 'pod', 'node'] as const)
    if (alert[place] !== '') return alert[place] === other[place];
  return false;
}

function pairOf(one: string, other: string): number {
  const found = PAIRS.find(([a, b]) => (a === one && b === other) || (a === other && b === one));
  return found?.[2] ?? 0;
}

function same(one: string, other: string): boolean {
  return one !== '' && one === other;
}

// Accuracy: sums over runs — roots right, false incidents a node-day, time to detection, reliability of the confidence.

import { quantile } from '../../helpers/median.ts';
import type { Answer, Claim, Run } from './measure.ts';

export interface Tally {
  readonly runs: number;
  readonly answers: number;
  readonly found: number;
  readonly rootsRight: number;
  readonly chainsRight: number;
  readonly actionsRight: number;
  readonly undecided: number;
  readonly falseIncidents: number;
  readonly nodeDays: number;
  /** ms; null without answers. */
  readonly detectionMedianMs: number | null;
  readonly detectionP95Ms: number | null;
}

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly claims: number;
  /** Scenarios that these claims are of: seeds and incidents of one scenario are one. */
  readonly scenarios: number;
  /** Mean confidence and share right, each scenario counted once, 0 to 1. */
  readonly confidence: number;
  readonly share: number;
}

const DAY_MS = 86_400_000;
const BINS = 10;
/** Two-sided 95 % quantile of the normal distribution. */
const Z_95 = 1.96;

export function tally(runs: readonly Run[]): Tally {
  const answers = runs.flatMap((run) => run.answers);
  const count = (test: (answer: Answer) => boolean): number => answers.filter(test).length;
  const times = answers.flatMap(({ detectionMs }) => (detectionMs === null ? [] : [detectionMs]));
  return {
    runs: runs.length,
    answers: answers.length,
    found: count(({ found }) => found),
    rootsRight: count(({ rootRight }) => rootRight),
    chainsRight: count(({ chainRight }) => chainRight),
    actionsRight: count(({ actionRight }) => actionRight),
    undecided: count(({ undecided }) => undecided),
    falseIncidents: runs.reduce((sum, run) => sum + run.falseIncidents.length, 0),
    nodeDays: runs.reduce((sum, run) => sum + run.simulatedMs, 0) / DAY_MS,
    detectionMedianMs: quantile(times, 0.5),
    detectionP95Ms: quantile(times, 0.95),
  };
}

/** Answers by the kind of the true root. */
export function byKind(runs: readonly Run[]): ReadonlyMap<string, readonly Answer[]> {
  const kinds = new Map<string, Answer[]>();
  for (const answer of runs.flatMap((run) => run.answers))
    kinds.set(answer.kind, [...(kinds.get(answer.kind) ?? []), answer]);
  return new Map([...kinds].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Bins of a tenth that hold claims. */
export function reliability(claims: readonly Claim[]): Bin[] {
  return Array.from({ length: BINS }, (_, i): Bin => {
    const from = i / BINS;
    const to = (i + 1) / BINS;
    const inside = claims.filter(({ confidence }) => confidence >= from && (confidence < to || i === BINS - 1));
    const scenarios = [...Map.groupBy(inside, ({ scenario }) => scenario).values()];
    const mean = (of: (claim: Claim) => number): number =>
      scenarios.reduce((sum, own) => sum + own.reduce((total, claim) => total + of(claim), 0) / own.length, 0) /
      Math.max(1, scenarios.length);
    const [confidence, share] = [mean((claim) => claim.confidence), mean(({ right }) => Number(right))];
    return { from, to, claims: inside.length, scenarios: scenarios.length, confidence, share };
  }).filter((bin) => bin.claims > 0);
}

/** Expected calibration error: mean distance between confidence and share right, weighed by scenarios; 0 to 1. */
export function calibrationError(claims: readonly Claim[]): number {
  const bins = reliability(claims);
  const total = Math.max(
    1,
    bins.reduce((sum, bin) => sum + bin.scenarios, 0),
  );
  return bins.reduce((sum, bin) => sum + (bin.scenarios / total) * Math.abs(bin.confidence - bin.share), 0);
}

/** What of that error is confidence above the share right, the side on which people are misled; 0 to 1. */
export function tooSure(claims: readonly Claim[]): number {
  const bins = reliability(claims);
  const total = bins.reduce((sum, { scenarios }) => sum + scenarios, 0);
  return bins.reduce((sum, bin) => sum + (bin.scenarios / total) * Math.max(0, bin.confidence - bin.share), 0);
}

/** 95 % Wilson interval of a share, 0 to 1; the whole range where nothing was counted. */
export function wilson(right: number, of: number): readonly [low: number, high: number] {
  if (of === 0) return [0, 1];
  const share = right / of;
  const z2 = Z_95 * Z_95;
  const middle = share + z2 / (2 * of);
  const spread = Z_95 * Math.sqrt((share * (1 - share)) / of + z2 / (4 * of * of));
  const scale = 1 + z2 / of;
  return [Math.max(0, (middle - spread) / scale), Math.min(1, (middle + spread) / scale)];
}

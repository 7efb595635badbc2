// Fits the calibration map on the half of the scenarios that may be calibrated on: few knots, monotone, pulled towards no change.

import { bounded } from '../../correlation/explain/calibration.ts';
import type { Claim } from './measure.ts';

/** A stretch of confidences needs this much behind it; one that has less is joined to the one below. */
const LEAST_CLAIMS = 20;
const LEAST_SCENARIOS = 6;
const BINS = 20;
/** So many scenarios speak for no change at all: what is few moves little. */
const SHRINK = 20;
/** A map fitted on our own scenarios never says more than this. */
const MOST = 0.98;

export interface FittedKnot {
  /** Mean of what the evidence alone came to, and what is reported instead; 0 to 1. */
  readonly at: number;
  readonly reported: number;
  /** Share right, each scenario counted once, and what it was counted on. */
  readonly right: number;
  readonly scenarios: number;
  readonly claims: number;
}

export interface FittedMap {
  readonly most: number;
  readonly shrink: number;
  readonly knots: readonly FittedKnot[];
}

interface Seen {
  readonly name: string;
  readonly raw: number;
  readonly right: boolean;
}

/** `claims` of the half that may be calibrated on. What only a user's word tells is left out: its cap is not a finding. */
export function fit(claims: readonly Claim[]): FittedMap {
  const seen = claims
    .filter(({ tenant }) => !tenant)
    .map(({ scenario, evidence, right }): Seen => ({ name: scenario, raw: evidence, right }));
  const knots = monotone(stretches(seen).map(knotOf));
  return { most: MOST, shrink: SHRINK, knots };
}

/** Twentieths, from the top down, joined where there is too little in one. */
function stretches(seen: readonly Seen[]): Seen[][] {
  const found: Seen[][] = [];
  let open: Seen[] = [];
  for (let bin = BINS - 1; bin >= 0; bin -= 1) {
    open.push(...seen.filter(({ raw }) => Math.min(BINS - 1, Math.floor(raw * BINS + 1e-9)) === bin));
    if (open.length < LEAST_CLAIMS || new Set(open.map(({ name }) => name)).size < LEAST_SCENARIOS) continue;
    found.unshift(open);
    open = [];
  }
  // What is left at the bottom is too little to say anything of.
  return found;
}

function knotOf(seen: readonly Seen[]): FittedKnot {
  const scenarios = [...Map.groupBy(seen, ({ name }) => name).values()];
  const right = mean(scenarios.map((own) => mean(own.map((one) => Number(one.right)))));
  const at = mean(seen.map(({ raw }) => raw));
  const reported = (scenarios.length * right + SHRINK * at) / (scenarios.length + SHRINK);
  return { at, reported: bounded(reported, at, MOST), right, scenarios: scenarios.length, claims: seen.length };
}

/** Pool adjacent violators: of two knots that would cross, both take their mean, weighed by scenarios. */
function monotone(knots: readonly FittedKnot[]): FittedKnot[] {
  const groups: FittedKnot[][] = [];
  const level = (group: readonly FittedKnot[]): number => {
    const weight = group.reduce((sum, { scenarios }) => sum + scenarios + SHRINK, 0);
    return group.reduce((sum, { reported, scenarios }) => sum + reported * (scenarios + SHRINK), 0) / weight;
  };
  for (const knot of knots) {
    groups.push([knot]);
    for (let last = groups.length - 1; last > 0; last -= 1) {
      const [a = [], b = []] = [groups[last - 1], groups[last]];
      if (level(a) <= level(b)) break;
      groups.splice(last - 1, 2, [...a, ...b]);
    }
  }
  return groups.flatMap((group) => group.map((knot) => ({ ...rounded(knot), reported: round(level(group)) })));
}

function rounded(knot: FittedKnot): FittedKnot {
  return { ...knot, at: round(knot.at), right: round(knot.right) };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

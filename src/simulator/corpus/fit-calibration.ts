// Fits the maps of the calibration on claims of first contact and coincidences: few knots, monotone, pulled towards no change.

import type { Followed } from '../../correlation/explain/calibration.ts';
import { wilson } from './accuracy.ts';
import type { Claim } from './measure.ts';

/** A stretch of confidences needs this much behind it; one that has less is joined to the one below. */
const LEAST_CLAIMS = 16;
const LEAST_SCENARIOS = 6;
const BINS = 20;
/** So many scenarios speak for no change at all: what is few moves little. */
const SHRINK = 20;
/**
 * From here on a map says only what the whole interval of what was right is above, and never more than the last. Fewer scenarios
 * are too much of a kind for that: maps that had not seen a round stated what was wrong in it with 97 %.
 */
const SURE = 0.9;
const SURE_SCENARIOS = 100;
const NOT_SURE = 0.89;
const MOST = 0.98;

/** What a claim is fitted by. */
export type FittedOn = Pick<Claim, 'scenario' | 'evidence' | 'followed' | 'tenant' | 'right'>;

export interface FittedKnot {
  /** Mean of what the evidence alone came to, and what is reported instead; 0 to 1. */
  readonly at: number;
  readonly reported: number;
  /** Share right, each scenario counted once, and what it was counted on. */
  readonly right: number;
  readonly scenarios: number;
  readonly claims: number;
}

export interface FittedMaps {
  readonly shrink: number;
  readonly maps: Readonly<Record<Followed, { readonly knots: readonly FittedKnot[] }>>;
}

/** What only a user's word tells is left out: its cap is a rule, not a finding. */
export function fit(claims: readonly FittedOn[]): FittedMaps {
  const of = (what: Followed) => ({ knots: knotsOf(claims.filter((one) => !one.tenant && one.followed === what)) });
  return {
    shrink: SHRINK,
    maps: { work: of('work'), hardware: of('hardware'), nothing: of('nothing'), harmless: of('harmless') },
  };
}

function knotsOf(claims: readonly FittedOn[]): FittedKnot[] {
  return monotone(stretches(claims).map(knotOf));
}

/** Twentieths, from the top down, joined where there is too little in one; what is left at the bottom is of the lowest. */
function stretches(claims: readonly FittedOn[]): FittedOn[][] {
  const found: FittedOn[][] = [];
  let open: FittedOn[] = [];
  for (let bin = BINS - 1; bin >= 0; bin -= 1) {
    open.push(...claims.filter(({ evidence }) => Math.min(BINS - 1, Math.floor(evidence * BINS + 1e-9)) === bin));
    if (open.length < LEAST_CLAIMS || new Set(open.map(({ scenario }) => scenario)).size < LEAST_SCENARIOS) continue;
    found.unshift(open);
    open = [];
  }
  const few = open.length < LEAST_CLAIMS / 2 || new Set(open.map(({ scenario }) => scenario)).size < LEAST_SCENARIOS;
  if (few) found[0]?.push(...open);
  else found.unshift(open);
  return found;
}

function knotOf(claims: readonly FittedOn[]): FittedKnot {
  const scenarios = [...Map.groupBy(claims, ({ scenario }) => scenario).values()];
  const right = mean(scenarios.map((own) => mean(own.map((one) => Number(one.right)))));
  const at = mean(claims.map(({ evidence }) => evidence));
  const reported = (scenarios.length * right + SHRINK * Math.min(1, at)) / (scenarios.length + SHRINK);
  const [surely] = wilson(right * scenarios.length, scenarios.length);
  const most = surely >= SURE && scenarios.length >= SURE_SCENARIOS ? MOST : NOT_SURE;
  return { at, reported: Math.min(reported, most), right, scenarios: scenarios.length, claims: claims.length };
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

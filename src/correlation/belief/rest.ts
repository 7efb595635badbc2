// Rest: which clusters of a family need no look, because nothing changed and no time came since all were looked at.

import type { Cluster, Family } from './condition.ts';

/** `atMs`: as of when; `nowMs`: the clock. */
export interface Moment {
  readonly atMs: number;
  readonly nowMs: number;
  readonly world: number;
}

/** Begins a look at a family; returns the clusters that it must not pass over, by their earliest members. */
export function clustersToSee(family: Family, { atMs, nowMs, world }: Moment): readonly Cluster[] {
  const { rest, clusters } = family;
  const lastMs = Math.max(atMs, nowMs);
  const holds = rest !== null && rest.clusters === clusters && rest.world === world && lastMs >= rest.looks.lastMs;
  if (!holds || atMs < rest.fromMs || atMs >= rest.untilMs) {
    const [fromMs, untilMs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    family.rest = { clusters, world, fromMs, untilMs, touched: [], looks: { count: 0, lastMs } };
    return clusters;
  }
  rest.looks.count += 1;
  rest.looks.lastMs = lastMs;
  const { touched } = rest;
  if (touched.length === 0) return touched;
  rest.touched = [];
  return touched.length === 1 ? touched : clusters.filter((cluster) => cluster.touched);
}

/** Some clusters of the family, which were these, are others now: those need a look, and the rest of them none. */
export function keepRest(family: Family, before: readonly Cluster[]): void {
  const { rest, clusters } = family;
  if (rest === null || rest.clusters !== before) return;
  rest.clusters = clusters;
  // What waits to be published although it was looked at is asked again, whatever it was that changed.
  for (const cluster of clusters) if (cluster.outdated) cluster.touch();
  rest.touched = clusters.filter((cluster) => cluster.touched);
}

/** The cluster was looked at, as of `atMs`, and will have ended at `endMs`; null while something in it lasts. */
export function restUntil(family: Family, endMs: number | null, atMs: number): void {
  const { rest } = family;
  if (rest === null || endMs === null) return;
  if (endMs <= atMs) rest.fromMs = Math.max(rest.fromMs, endMs);
  else rest.untilMs = Math.min(rest.untilMs, endMs);
}

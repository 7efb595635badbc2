// Breaker: how many nodes may be out of service at once, what a storm is, and how much one host may do in a day. Pure.

import type { Incident } from '../../../model/incident.ts';
import type { Breaker } from '../settings.ts';
import type { Refusal } from './gates.ts';

/** What the cluster shows: the names of nodes that are out of service, whoever took them out, and how many nodes there are. */
export interface Cluster {
  readonly out: readonly string[];
  readonly nodes: number;
}

export const DAY_MS = 86_400_000;

/** `own`: the name of this node there. */
export function clusterRefusal({ out, nodes }: Cluster, own: string, breaker: Breaker): Refusal | null {
  const allowed = Math.min(breaker.maxNodes, Math.floor(nodes * breaker.maxShare));
  const others = out.filter((name) => name !== own).length;
  if (others + 1 <= allowed) return null;
  const why = `${others} of ${nodes} nodes are out of service, and with this one no more than ${allowed} may be`;
  return { type: 'breaker', why, later: true };
}

/** `incidents`: of this host, the newest revision of each. */
export function stormRefusal(
  incidents: Iterable<Incident>,
  { storm, stormMs }: Breaker,
  nowMs: number,
): Refusal | null {
  let count = 0;
  for (const { openedMs, reopenedMs, made, mergedInto } of incidents)
    if (made === undefined && mergedInto === null && Math.max(openedMs, reopenedMs ?? 0) > nowMs - stormMs) count += 1;
  return count < storm
    ? null
    : { type: 'storm', why: `${count} incidents on this host in ${Math.round(stormMs / 60_000)} min are a storm`, later: true }; // biome-ignore format: one record
}

/** `actedMs`: when something was done on this host. */
export function dayRefusal(actedMs: readonly number[], { actionsADay }: Breaker, nowMs: number): Refusal | null {
  const today = actedMs.filter((ms) => ms > nowMs - DAY_MS).length;
  return today < actionsADay
    ? null
    : { type: 'limit_a_day', why: `${today} actions were done on this host in 24 hours`, later: true };
}

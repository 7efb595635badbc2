// Edge: how well one condition explains another, from the cause graph, the topology, the clocks and the trust of its sources.

import { KINDS } from '../../model/kind.ts';
import type { Condition, Edge, PathKnowledge } from '../belief/condition.ts';
import { breadthOf, isInfrastructure } from '../topology/place.ts';
import { CONFIGURED, type TopologyIndex } from '../topology/topology-index.ts';
import { byOnset, onlyTenant } from '../window/facts.ts';
import type { Past } from '../window/past-events.ts';
import { isSaid } from '../window/said.ts';
import { type CauseRow, causesOf } from './cause-graph.ts';
import { doubtsOf, fitOf, mayDoubt } from './doubts/doubts.ts';
import { explainedUntilMs, isBeyondPlan, outlasts } from './plan.ts';
import { relationQuality } from './relation.ts';
import { type Timing, timing } from './timing.ts';

export interface EdgeContext {
  readonly topology: TopologyIndex;
  readonly nowMs: number;
  readonly latenessMs: number;
  /** How conditions of this kind ended before this one began. */
  readonly past: (cause: Condition) => Past;
  /** Asks to look at the causes of a condition again at a time, ms. */
  readonly recheckAt: (effect: Condition, atMs: number) => void;
}

/** A PDU that no configured path leads from might feed this host, or not. */
const UNMAPPED = 0.3;
/** What a job's user could have written counts for less. */
const TENANT = 0.85;

/** The source calls it expected (a GPU held at its limit under load): neither cause nor effect, save where it says otherwise. */
export function isMuted({ severity, roles, first }: Condition): boolean {
  return severity === 'info' && !roles.usuallyInfo && first.attributes.may_explain !== true;
}

/**
 * What a tenant wrote is never a cause of what the driver, the kernel or the facility reports: it would explain a fault away, and
 * put its own words at the head. Channels that the driver removes after a process died are worth no incident of their own, and
 * what is nothing but the record of something a job's own output may explain.
 */
function mayCause(cause: Condition, effect: Condition): boolean {
  if (!onlyTenant(cause) || onlyTenant(effect) || effect.roles.record) return true;
  return (effect.severity === 'info' && effect.kind !== 'gpu.recovery_action') || areDaemonsLines(cause, effect);
}

/** A line under a daemon's name in a saved syslog is worth no less than one in a saved log in which no line names its program. */
function areDaemonsLines({ first, roles }: Condition, effect: Condition): boolean {
  return first.source === 'kernel-log' && !roles.explains && isSaid(effect);
}

/** A user's line of what something else than a user reports: by trust these two have one order, whichever was seen first. */
function isSaidOf(cause: Condition, effect: Condition): boolean {
  return onlyTenant(effect) && !mayCause(effect, cause);
}

/** Of one device in one kernel log the order of two lines is that of what they tell: no delay of a source lies between them. */
function isTooLate(cause: Condition, effect: Condition): boolean {
  return cause.onset.earliestMs > effect.onset.latestMs && isOfKernel(cause) && isOfKernel(effect);
}

function isOfKernel({ first, sources }: Condition): boolean {
  return first.source === 'kernel-log' && first.trust === 'kernel' && sources.size === 1;
}

/** A line of an excerpt that says no time may be of any day. */
function isUndated({ first }: Condition): boolean {
  return first.attributes.undated === true;
}

/**
 * The best edge from cause to effect by one of the rows for their kinds; null when the cause cannot have brought it about, and
 * `before`, the edge that there was, where that is the same.
 */
export function bestEdge(
  cause: Condition,
  effect: Condition,
  rows: readonly CauseRow[],
  context: EdgeContext,
  before?: Edge,
): Edge | null {
  if (cause === effect || isMuted(cause) || isMuted(effect) || !mayCause(cause, effect)) return null;
  if (isUndated(cause) || isUndated(effect)) return null;
  // Planned or declared of a thing that is not named says nothing of things that are.
  if (cause.roles.explains && ((cause.component === null && effect.component !== null) || isBeyondPlan(cause, effect)))
    return null;
  let best: Edge | null = null;
  let past: Past | null = null;
  let recheckMs = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (row.mustPrecede && orderOf(row, cause, effect) >= 0 && !isSaidOf(cause, effect)) continue;
    if (row.lagMinMs >= 0 && row.relation === 'same_component' && isTooLate(cause, effect)) continue;
    if (!shortEnough(row, effect, context)) continue;
    const time = timing(row, cause.onset, cause.endMs, effect.onset, cause.againMs) ?? keepsUp(row, cause, effect);
    if (time === null) continue;
    const way = wayOf(row, cause, effect, context.topology);
    if (way === null) continue;
    const untilMs = explainedUntilMs(row, cause, effect);
    const outlasted = outlasts(effect, untilMs, context);
    if (!outlasted && effect.endMs === null) recheckMs = Math.min(recheckMs, untilMs + context.latenessMs);
    const likely = outlasted ? 0 : row.strength * way.quality * time.factor * (onlyTenant(cause) ? TENANT : 1);
    if (best !== null && likely <= best.base) continue;
    const doubted = likely > 0 && mayDoubt(cause, effect);
    if (doubted) past ??= context.past(cause);
    const fit = doubted ? fitOf(doubtsOf(cause, effect, row, past)) : 1;
    const base = likely * fit;
    if (best !== null && base <= best.base) continue;
    const { path } = way;
    best =
      before !== undefined && isThat(before, row, base, path, outlasted, time)
        ? before
        : { cause, effect, row, timing: time, path, fit, past, base, outlasted, weighed: null };
  }
  if (recheckMs < Number.POSITIVE_INFINITY) context.recheckAt(effect, recheckMs);
  return best;
}

/** The narrower place first where the row asks for it, then by onset. */
function orderOf({ partFirst }: CauseRow, cause: Condition, effect: Condition): number {
  const places = partFirst ? breadthOf(cause.component) - breadthOf(effect.component) : 0;
  return places === 0 ? byOnset(cause, effect) : places;
}

/** What brought it about was planned; what the cause does is that it is not over with the plan. */
const KEEPS_UP: Timing = { causeFirst: 1, orderUnknown: false, lagMs: 0, factor: 0.6 };

/** The effect is a state of a whole, began by something planned, and lasts when one more part of it fails. */
function keepsUp(row: CauseRow, cause: Condition, effect: Condition): Timing | null {
  if (!row.keepsUp || cause.onset.earliestMs <= effect.onset.latestMs) return null;
  if (effect.endMs !== null && effect.endMs <= cause.onset.latestMs) return null;
  for (const { roles } of effect.causes.near) if (roles.explains) return KEEPS_UP;
  return null;
}

/** Whether the edge is one of these. */
function isThat(
  edge: Edge,
  row: CauseRow,
  base: number,
  path: PathKnowledge,
  outlasted: boolean,
  { causeFirst, orderUnknown }: Timing,
): boolean {
  if (edge.row !== row || edge.base !== base || edge.path !== path || edge.outlasted !== outlasted) return false;
  return edge.timing.causeFirst === causeFirst && edge.timing.orderUnknown === orderUnknown;
}

/** By index of the kind, the longest effect that a cause explains only while it is short, ms; −1 for none. */
const longestShort = Float64Array.from(KINDS, (kind) => {
  const rows = [...causesOf(kind).values()].flat();
  return rows.reduce((longest, { effectMaxMs }) => Math.max(longest, effectMaxMs ?? -1), -1);
});

/** When the admissibility of an edge into this effect must be looked at again, ms; null when it depends on no clock. */
export function recheckMs({ kindIndex, onsetMs }: Condition, latenessMs: number): number | null {
  const longestMs = longestShort[kindIndex] ?? -1;
  return longestMs < 0 ? null : Math.max(0, onsetMs + longestMs + latenessMs);
}

function shortEnough(row: CauseRow, effect: Condition, context: EdgeContext): boolean {
  if (row.effectMaxMs === null) return true;
  const end = effect.endMs;
  if (end !== null) return end - effect.onsetMs <= row.effectMaxMs;
  return context.nowMs < effect.onsetMs + row.effectMaxMs + context.latenessMs;
}

function wayOf(row: CauseRow, cause: Condition, effect: Condition, topology: TopologyIndex) {
  const quality = relationQuality(row.relation, cause, effect, topology);
  const outside = cause.component !== null && isInfrastructure(cause.component);
  if (quality > 0) {
    const path: PathKnowledge = !outside ? 'local' : quality >= CONFIGURED ? 'configured' : 'assumed';
    return { quality, path };
  }
  if (!outside || !row.unmapped || cause.component === null) return null;
  const here = effect.component === null || topology.hostOf(effect.component) === topology.host;
  if (!here || topology.hostsFedBy(cause.component).length > 0) return null;
  const path: PathKnowledge = 'unmapped';
  return { quality: UNMAPPED, path };
}

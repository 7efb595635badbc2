// Remembered: the events that the next run of the daemon must know besides the open incidents — plans whose time is not over,
// those that an incident did not come back from, faults under them, by when they began; and what is over and may have consequences yet.

import type { FaultEvent } from '../model/event.ts';
import { KINDS, type Kind, kindEntry } from '../model/kind.ts';
import type { Condition } from './belief/condition.ts';
import { effectsOf, reachMs } from './graph/cause-graph.ts';
import { isExplaining, isLasting } from './graph/kind-roles.ts';
import { byTime } from './window/event-order.ts';

/** A flood of plans pushes out its own oldest. */
const MOST_EVENTS = 256;

/** Of what is over the same; a few events of each are enough. */
const MOST_CAUSES = 48;
const KEPT_OF_A_CAUSE = 4;

export interface Moment {
  readonly nowMs: number;
  readonly latenessMs: number;
}

/** How long a plan of this kind may matter after its last event, ms. */
const spans = new Map<Kind, number>();
for (const kind of KINDS) {
  const usual = kindEntry(kind).explains_for;
  if (usual === undefined || !isExplaining(kind)) continue;
  const own = [...effectsOf(kind).values()].flat().map(({ explainsMs }) => explainsMs ?? usual.ms);
  spans.set(kind, Math.max(usual.ms, ...own));
}

/** In order of time. `isOpen`: in an open incident. */
export function rememberedEvents(
  conditions: Iterable<Condition>,
  isOpen: (condition: Condition) => boolean,
  clock: Moment,
): FaultEvent[] {
  const events: FaultEvent[] = [];
  for (const condition of conditions) {
    if (condition.begun && (isPlan(condition, isOpen, clock) || isHidden(condition, isOpen)))
      events.push(...eventsOf(condition));
  }
  return events.sort(byTime).slice(-MOST_EVENTS);
}

function isPlan(
  { kind, endMs, lastMs, effects }: Condition,
  isOpen: (condition: Condition) => boolean,
  { nowMs, latenessMs }: Moment,
): boolean {
  const span = spans.get(kind);
  if (span === undefined) return false;
  for (const { effect, outlasted } of effects.all) if (outlasted && endMs !== null && isOpen(effect)) return true;
  // What has no usual time was declared, and is in the notes of the log.
  return span > 0 && (endMs ?? lastMs) + span + latenessMs > nowMs;
}

/** A plan explains it still: what reported it will not report it again, or only from the time of the next run on. */
function isHidden(condition: Condition, isOpen: (condition: Condition) => boolean): boolean {
  const { kind, endMs, latestOnset, causes } = condition;
  if (endMs !== null || (latestOnset === null && !isLasting(kind)) || isOpen(condition)) return false;
  for (const { cause, outlasted } of causes.all) if (spans.has(cause.kind) && !outlasted) return true;
  return false;
}

function eventsOf({ events, latest, latestClear }: Condition): FaultEvent[] {
  return [...new Set([...events, latest, latestClear])].filter((event) => event !== null);
}

/** In order of time: of what was over last, at most 48 conditions. */
export function rememberedCauses(
  conditions: Iterable<Condition>,
  isOpen: (condition: Condition) => boolean,
  { nowMs, latenessMs }: Moment,
): FaultEvent[] {
  const over = [...conditions].filter((condition) => {
    const { kind, begun, endMs, belief } = condition;
    if (!begun || endMs === null || endMs + reachMs(kind) + latenessMs <= nowMs) return false;
    // What a plan explains would be a fault of its own without it.
    if (belief.explained || isExplaining(belief.root.kind) || isExplaining(kind)) return false;
    return effectsOf(kind).size > 0 && !isOpen(condition);
  });
  const latest = over.sort((a, b) => (a.endMs ?? 0) - (b.endMs ?? 0)).slice(-MOST_CAUSES);
  return latest.flatMap(eventsOfCause).sort(byTime);
}

/** What ended it, a reset or the silence of a day, need not be known any more: that it is over is. */
function eventsOfCause({ kind, events, latest, latestOnset, latestClear, endMs }: Condition): FaultEvent[] {
  const kept = [events[0], latest, latestOnset, ...events.slice(1)].filter(
    (event) => event !== null && event !== undefined,
  );
  const some = [...new Set(kept)].slice(0, KEPT_OF_A_CAUSE);
  const [first] = some;
  if (first === undefined || endMs === null) return [];
  if (latestClear !== null) return [...some, latestClear];
  if (latestOnset === null && !isLasting(kind)) return some;
  const interval = { earliestMs: endMs, latestMs: endMs };
  return [...some, { ...(latest ?? first), id: `${first.id}-over`, state: 'clear', timeMs: endMs, interval }];
}

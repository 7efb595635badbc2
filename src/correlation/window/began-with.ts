// Began with: what a record says of a stall began with the stall, however much later the record was written and read; so did
// the failure of a device that a stall announced.

import type { Condition } from '../belief/condition.ts';
import { beginners, beginsWith } from '../graph/kind-roles.ts';
import { relationQuality } from '../graph/relation.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import { eventTime } from './event-order.ts';
import { onsetOf } from './onset.ts';
import type { WindowStore } from './window-store.ts';

/** A record that knows by so much when the stall began is believed. */
const OWN_BEGIN_MS = 10_000;

const NONE: readonly Condition[] = [];

/** Finds when what hangs on this one began; returns those of which that moved. */
export function movedBegins(condition: Condition, store: WindowStore, topology: TopologyIndex): readonly Condition[] {
  const { beginsWith, beginsOthers } = condition.roles;
  if (beginsOthers) return begunConditions(condition, store, topology);
  return beginsWith && findBegin(condition, store, topology) ? [condition] : NONE;
}

/** Finds the beginning of a condition of such a kind again; true when that moved. A function of what is held, not of its order. */
function findBegin(condition: Condition, store: WindowStore, topology: TopologyIndex): boolean {
  return condition.begin(condition.begun ? beganMs(condition, store, topology) : null);
}

/** Null where its own events say it, or nothing that it is the record of is known. */
function beganMs(condition: Condition, store: WindowStore, topology: TopologyIndex): number | null {
  const readMs = onsetOf(condition.events).latestMs;
  const ownMs = eventTime(condition.first);
  if (readMs - ownMs >= OWN_BEGIN_MS) return null;
  const { withinMs, on, kinds } = beginsWith(condition.kind);
  let first = ownMs;
  for (const { kind, index } of kinds) {
    if (store.isEmpty(index)) continue;
    for (const stall of store.ofKind(kind)) {
      const sinceMs = Math.min(stall.onsetMs, stall.onset.earliestMs);
      const far = Math.min(Math.abs(readMs - stall.onset.latestMs), Math.abs(readMs - stall.lastMs));
      if (sinceMs >= first || far > withinMs) continue;
      if (on === 'same_part' ? isSamePart(condition, stall) : isSameJob(condition, stall, topology)) first = sinceMs;
    }
  }
  return first < ownMs ? first : null;
}

function isSameJob(a: Condition, b: Condition, topology: TopologyIndex): boolean {
  return relationQuality('same_job', a, b, topology) > 0;
}

/** Not a host, which has many parts: what began on one says nothing of another. */
function isSamePart({ component, text }: Condition, other: Condition): boolean {
  return component !== null && component.type !== 'host' && text === other.text;
}

/** Conditions whose beginning follows from that of this one, where it moved. */
function begunConditions(stall: Condition, store: WindowStore, topology: TopologyIndex): Condition[] {
  const moved: Condition[] = [];
  for (const kind of beginners(stall.kind))
    for (const condition of store.ofKind(kind)) if (findBegin(condition, store, topology)) moved.push(condition);
  return moved;
}

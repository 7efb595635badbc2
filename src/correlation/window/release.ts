// Release: a reset, reboot or new job ends conditions that nothing else would ever clear.

import type { KindInfo } from '../../model/kind.ts';
import type { Condition } from '../belief/condition.ts';
import { isLasting, releases } from '../graph/kind-roles.ts';
import { relationQuality } from '../graph/relation.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import { eventTime } from './event-order.ts';
import { onlyTenant } from './facts.ts';
import type { WindowStore } from './window-store.ts';

const NONE: readonly KindInfo[] = [];

/** Ends the condition at the first release after its last event, or lets it continue; true when that changed. */
export function release(condition: Condition, store: WindowStore, topology: TopologyIndex): boolean {
  let endMs: number | null = null;
  for (const { kind, index } of condition.begun ? condition.roles.endedBy : NONE) {
    if (store.isEmpty(index)) continue;
    for (const by of store.ofKind(kind)) {
      if (!reaches(by, condition, topology) || !mayRelease(by, condition) || isWatched(condition, by)) continue;
      for (const event of by.latest === null ? by.events : [...by.events, by.latest]) {
        const at = eventTime(event);
        if (at > condition.lastMs && (endMs === null || at < endMs)) endMs = at;
      }
    }
  }
  return condition.release(endMs);
}

/** Conditions that the releasing one ends or has ended otherwise than before. */
export function releasedConditions(by: Condition, store: WindowStore, topology: TopologyIndex): Condition[] {
  const changed: Condition[] = [];
  for (const kind of releases(by.kind)) {
    for (const condition of store.ofKind(kind)) if (release(condition, store, topology)) changed.push(condition);
  }
  return changed;
}

/** A fault that the driver or the kernel reported is not over because a tenant claims that it was reset. */
function mayRelease(by: Condition, condition: Condition): boolean {
  return !isLasting(condition.kind) || !onlyTenant(by) || onlyTenant(condition);
}

/**
 * A source reports that it began and will report that it is over: a reset that should end it does not. After a reboot every
 * source starts again, and reports for itself what it sees.
 */
function isWatched({ kind, latestOnset, latestClear }: Condition, by: Condition): boolean {
  if (!isLasting(kind) || by.kind === 'host.rebooted' || latestOnset === null) return false;
  return latestClear === null || eventTime(latestClear) < eventTime(latestOnset);
}

function reaches(by: Condition, condition: Condition, topology: TopologyIndex): boolean {
  const { component } = by;
  const target = condition.component;
  if (component === null || target === null) return false;
  if (by.text === condition.text) return true;
  if (component.type === 'job') return relationQuality('same_job', by, condition, topology) > 0;
  return relationQuality('downstream', by, condition, topology) > 0;
}

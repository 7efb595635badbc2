// Put in: what follows from all that is known now becomes conditions, and what was inferred from less is taken back.

import type { FaultEvent } from '../../model/event.ts';
import type { Kind } from '../../model/kind.ts';
import type { Condition } from '../belief/condition.ts';
import type { Keeping } from '../keeping.ts';
import { placeSaid } from '../topology/place-said.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import type { WindowStore } from '../window/window-store.ts';
import type { Known } from './inference.ts';
import type { Inferred } from './inferred.ts';

export interface Room {
  readonly inferred: Inferred;
  readonly known: Known;
  readonly topology: TopologyIndex;
  readonly store: WindowStore;
  readonly keeping: Keeping;
}

/** For this kind, or for all with null; returns the conditions that this touches and that are held. */
export function putIn(kind: Kind | null, { inferred, known, topology, store, keeping }: Room): Set<Condition> {
  const touched = new Set<Condition>();
  const takeBack = (gone: Condition): void => {
    if (!gone.held) return;
    store.remove(gone);
    for (const near of keeping.detach(gone)) touched.add(near);
    gone.belief.forget();
  };
  const put = (event: FaultEvent): Condition | null => {
    const place = placeSaid(event, topology);
    const added = store.add(event, place, false);
    if (added?.fresh) keeping.retain(added.condition);
    return added?.condition ?? null;
  };
  for (const one of inferred.update(kind, known, takeBack, put)) touched.add(one);
  for (const one of [...touched]) if (!one.held) touched.delete(one);
  return touched;
}

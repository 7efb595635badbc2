// Power cable: a GPU whose driver finds its auxiliary power unconnected or too weak needs a cable seated, and no diagnosis first.

import type { Incident } from '../../model/incident.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

const NO_POWER = 54;

/** Null where the driver reports something else. */
export function powerCable({ root, events }: Pick<Incident, 'root' | 'events'>): Special | null {
  const own = events.find(({ id }) => id === root.eventId);
  if (root.kind !== 'gpu.fault' || own?.attributes.xid !== NO_POWER) return null;
  return {
    does: 'have the power cable of % seated, with @ switched off',
    now: 'DRAIN; once nothing runs on @, switch it off, have the auxiliary power cable seated at both ends or swapped, then start @: sudo dmesg -T | grep -i xid has no 54 any more',
    call: HANDS,
  };
}

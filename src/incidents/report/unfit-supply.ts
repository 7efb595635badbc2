// Unfit supply: one that works and does not fit is swapped for another type; neither its feed nor its maker is at fault.

import type { Incident } from '../../model/incident.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

export function unfitSupply({ root, events, action: { target } }: Incident): Special | null {
  const { mismatch } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (root.kind !== 'psu.failure' || mismatch !== true) return null;
  const supply = target?.type === 'psu' ? '%' : 'the supply of @ that the lines name';
  return {
    does: `swap ${supply} for one of the type that @ is made for`,
    now: `compare type and rating of the supplies of @ (sudo ipmitool fru, or the inventory of its BMC): all are to be of one type that @ takes; no drain is needed while the others carry @ (sudo ipmitool sdr type 'Power Supply')`,
    call: HANDS,
  };
}

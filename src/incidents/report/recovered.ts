// Recovered: a card that its driver loaded again by itself is not reset once more; what ran over it has lost its connections, and its firmware is asked why.

import type { Incident } from '../../model/incident.ts';
import { HOST } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** When its driver said so, Unix milliseconds; null where it did not, or where the card failed again after it. */
export function recoveredMs({ root, events }: Pick<Incident, 'root' | 'events'>): number | null {
  const own = events.find(({ id }) => id === root.eventId);
  if (root.kind !== 'nic.firmware_fault' || own?.attributes.recovered !== true) return null;
  const { recovered_ms: when } = own.attributes;
  return typeof when === 'number' ? when : own.timeMs;
}

export function recoveredCard(incident: Incident): Special | null {
  if (incident.action.kind !== 'reset_nic' || recoveredMs(incident) === null) return null;
  return {
    does: 'reset nothing: the driver of % recovered it; start again what lost its connections',
    now: 'it is back since BACK: see that its port is up (ibstat; ip -br link) and whether jobs of @ still run; where it fails again, DRAIN, and update its firmware',
    call: HOST,
  };
}

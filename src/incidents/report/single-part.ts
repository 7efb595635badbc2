// Single part: one GPU alone that is hot, or one supply alone without power: its own trouble, and not the site's.

import type { Incident } from '../../model/incident.ts';
import { oneHotGpu } from './one-hot-gpu.ts';
import { oneSupply, UNNAMED_SUPPLY } from './one-supply.ts';
import type { Special } from './special-step.ts';

/** Null where more than one such part, or anything that holds them, is in it. */
export function singlePart(incident: Incident): Special | null {
  const {
    action: { kind, target },
    root,
    events,
  } = incident;
  if (kind === 'check_power_feed' && target?.type === 'host' && root.kind.startsWith('psu.')) return UNNAMED_SUPPLY;
  const one = kind === 'check_cooling' ? 'gpu' : kind === 'check_power_feed' ? 'psu' : null;
  if (one === null || target?.type !== one || root.component?.type !== one) return null;
  const others = events.some(({ component }) => component?.type === one && component.id !== root.component?.id);
  const wider = events.some(({ component, kind: of }) => WIDER.test(of) && component?.type !== one);
  return others || wider ? null : one === 'gpu' ? oneHotGpu(incident) : oneSupply(incident);
}
const WIDER = /^(?:power|facility|cooling|rack|pdu|bmc|host\.(?:overtemp|fan|power))/;

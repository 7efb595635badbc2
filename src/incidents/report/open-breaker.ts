// Open breaker: what to do where the overload that an incident began with has opened its breaker: what hung on it has lost that feed.

import { nameText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { FACILITY } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** Null where no breaker opened, or it is closed again. */
export function openBreaker({ root, events, action: { kind } }: Incident): Special | null {
  if (root.kind !== 'power.overload' || kind !== 'check_power_feed') return null;
  const last = events.findLast((event) => event.kind === 'power.breaker_trip');
  if (last === undefined || last.state === 'clear') return null;
  const breaker = last.component === null ? '%' : nameText(last.component);
  return {
    does: `take load off ${breaker}, whose breaker has opened, then have it closed`,
    now: 'see which hosts hang on it (the labels of its outlets) and whether each still runs on another feed; move or stop load there before it is closed again: on the same load, or a short, it opens again',
    call: FACILITY,
  };
}

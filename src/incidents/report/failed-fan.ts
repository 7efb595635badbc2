// Failed fan: it is swapped, and not cooled; of several that failed together what drives them is looked at first.

import type { Incident } from '../../model/incident.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

const WATCH = "on @, sudo ipmitool sdr type 'Fan' shows whether the others hold; take work off @ while it gets hotter";

/** Null where the root is something else. */
export function failedFan({ root, events, action: { target } }: Incident): Special | null {
  if (root.kind !== 'host.fan_failure') return null;
  const fans = new Set(
    events.flatMap(({ kind, component }) => (kind === root.kind && component?.type === 'fan' ? [component.id] : [])),
  );
  if (fans.size > 1)
    return {
      does: 'see why several fans of @ failed together, and have swapped what does not turn',
      now: `${WATCH}; several at once are most often one tray, or the board that drives them`,
      call: HANDS,
    };
  if (target?.type === 'fan') return { does: 'have % swapped', now: `${WATCH}, until % is swapped`, call: HANDS };
  return { does: 'find which fan of @ failed, and have it swapped', now: `${WATCH}, until it is swapped`, call: HANDS };
}

// Live link: one that is up and carries work, though with errors or too narrow. It is emptied before anyone touches its cable, and what
// counters show is looked at again first, for they say nothing of when it was.

import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { isOfSwitch } from '../../model/switch-side.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

const RESEAT = 'once nothing runs over it, reseat cable and transceiver at both ends; where its errors continue, swap them one by one'; // biome-ignore format: one line
const SWITCH = 'who runs the network (switch @)';
/** As a name of libibverbs or an interface is. */
const CARD = /^[a-z]\w{1,15}$/;

/** Null where the link is down, or the lines name no port. */
export function liveLink({ root, action, events }: Incident): Special | null {
  const own = events.find(({ id }) => id === root.eventId);
  const { trap, lid } = own?.attributes ?? {};
  if (trap !== undefined && typeof lid === 'number' && root.kind === 'nic.link_degraded') return ofTrap(lid);
  const isLive = root.kind === 'nic.link_degraded' || root.kind === 'nic.link_flap';
  if (own === undefined || !isLive || action.kind !== 'check_link' || action.target?.type !== 'nic') return null;
  const isSwitch = isOfSwitch(own);
  const first = isCounted(own) ? 'clear and look again: sudo ibqueryerrors -k, and after five minutes sudo ibqueryerrors; where they grow, ' : widthOf(own); // biome-ignore format: one line
  const does = isCounted(own)
    ? 'see whether the errors of % still grow, before its cable is touched'
    : 'check cable, optics and connector of %, once no work runs over it';
  if (isSwitch)
    return { does, now: `${first}see what is at its other end (sudo iblinkinfo) and keep new work off it; ${RESEAT}`, call: SWITCH }; // biome-ignore format: one line
  return { does, now: `${first}DRAIN; ${RESEAT}`, call: HANDS };
}

/** A switch tells the subnet manager of errors by its number alone. */
function ofTrap(lid: number): Special {
  return {
    does: `find the port of LID ${lid} whose errors passed their limit, and see to its cable`,
    now: `sudo smpquery nodedesc ${lid} names it; sudo ibqueryerrors shows which of its ports counts errors, sudo iblinkinfo what is at the other end: keep new work off that host, and reseat the cable once nothing runs over it`,
    call: 'who runs the InfiniBand fabric',
  };
}

/** Since the counters were cleared last, which may be long ago. */
function isCounted({ attributes: { tool, counters } }: FaultEvent): boolean {
  return counters !== undefined && typeof tool === 'string' && tool.startsWith('ibqueryerrors');
}

function widthOf({ component, attributes: { tool } }: FaultEvent): string {
  const card = component?.id ?? '';
  if (typeof tool !== 'string' || !CARD.test(card)) return '';
  return `on @, ibstat ${card} and sudo mlxlink -d ${card} show its width, speed and module; `;
}

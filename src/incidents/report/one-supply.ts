// One supply: what to do about a supply that has no input, by what its lines say besides: that it is dead as well, or that its input is back.

import type { Incident } from '../../model/incident.ts';
import { backMs } from './back.ts';
import { FACILITY } from './kind-step.ts';
import type { Special } from './special-step.ts';

const FEED = 'ask what was logged at TIME by the UPS, transfer switch and breakers that feed it';
const CALL = 'who may touch the hardware of @, then the facility: who runs the power of the site';

const NO_INPUT: Special = {
  does: 'check the power feed of %',
  now: `look at the cord and the outlet of %; then ${FEED}`,
  call: CALL,
};
/** A supply without input gives nothing: whether it is broken shows only once it has some. */
const DEAD_TOO: Special = {
  does: 'check the power feed of %; replace it only if it stays dead with power',
  now: `look at the cord and the outlet of %, and ${FEED}; where it has power and stays dead, have it swapped, with no drain while the others carry @`,
  call: CALL,
};
/** `BACK` is when that was. */
const INPUT_BACK: Special = {
  does: 'ask why % lost its input, which is back',
  now: `its input is back since BACK: see that its redundancy is as well (sudo ipmitool sdr type 'Power Supply'); then ${FEED}`,
  call: FACILITY,
};

/** Its BMC says of the host that it has one supply less, and not which. */
export const UNNAMED_SUPPLY: Special = {
  does: 'see which power supply of % gives nothing',
  now: `on @, sudo ipmitool sdr type 'Power Supply' says which, and whether it has input: look at its cord and outlet; then ${FEED}`,
  call: CALL,
};

/** Of an incident whose root is that one supply lost its input, and nothing that feeds others is in it. */
export function oneSupply(incident: Pick<Incident, 'root' | 'events' | 'resolvedMs'>): Special {
  if (incident.root.kind === 'psu.input_lost' && backMs(incident) !== null) return INPUT_BACK;
  return incident.events.some(({ kind, state }) => kind === 'psu.failure' && state !== 'clear') ? DEAD_TOO : NO_INPUT;
}

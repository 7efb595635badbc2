// Could have written: why an incident is unconfirmed: who may have written all that says so. On a host that is its users; no user of a host writes the log of a PDU, a UPS or a switch.

import type { Attributes } from './event.ts';
import type { Kind } from './kind.ts';
import { isOfSwitch } from './switch-side.ts';

/** Kinds of what feeds and cools racks, whose own log comes over the network. */
const OF_FACILITY = /^(?:power|cooling)\./;

export function couldHaveWritten(kind: Kind, attributes: Attributes = {}): string {
  if (isOfSwitch({ attributes })) return 'only the log of that switch says it';
  if (OF_FACILITY.test(kind))
    return 'only that log says it, and whoever may send or write lines to it could have written them';
  return 'a user of the host could have written all of it';
}

/** What a pattern lacks where that is all. */
export function moreThanWritten(kind: Kind): string {
  return OF_FACILITY.test(kind) ? 'more than lines of one log' : 'more than what a user of the host could have written';
}

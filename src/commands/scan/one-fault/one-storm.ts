// One storm: a switch that is paused, and the only host that counts storms of its card, are the two ends of one; the host is to be looked at.

import type { Incident } from '../../../model/incident.ts';
import { isOfSwitch } from '../../../model/switch-side.ts';
import { logOf } from '../found-events.ts';
import { type Group, isRooted, placeOf, rootOf } from './groups.ts';

/** Counters are read within hours of it. */
const LOOKED_MS = 3 * 86_400_000;
const NEAR_MS = 3_600_000;

/** Of several ports, or several hosts, none is guessed. `undated`: logs that have the time of their file. */
export function ofOneStorm(incidents: readonly Incident[], undated: ReadonlySet<string>): Group[] {
  const storms = incidents.filter((one) => isRooted(one) && rootOf(one)?.attributes.pause_storm === true);
  const [ports, hosts] = [true, false].map((isPort) => storms.filter((one) => isOfPort(one) === isPort));
  const [port] = ports ?? [];
  const [lead, ...more] = hosts ?? [];
  if (port === undefined || lead === undefined || isOfSeveral(ports, portOf) || isOfSeveral(hosts, placeOf)) return [];
  const isLook = lead.events.every((event) => undated.has(logOf(event)));
  if (Math.abs(lead.openedMs - port.openedMs) > (isLook ? LOOKED_MS : NEAR_MS)) return [];
  return [{ lead, others: [...(ports ?? []), ...more] }];
}

function isOfPort(one: Incident): boolean {
  const root = rootOf(one);
  return root !== undefined && isOfSwitch(root);
}

function portOf({ root: { component }, host }: Incident): string {
  return `${component?.host ?? host} ${component?.id ?? ''}`;
}

function isOfSeveral(all: readonly Incident[] = [], nameOf: (one: Incident) => string): boolean {
  return new Set(all.map(nameOf)).size > 1;
}

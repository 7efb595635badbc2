// One air: hosts that get hot together have air or coolant in common; the cooling unit whose log says why leads, else the inlet that got warm first.

import type { Incident } from '../../../model/incident.ts';
import type { Kind } from '../../../model/kind.ts';
import { type Group, isRooted, placeOf, runsWithin } from './groups.ts';

/** A room without cooling warms up within this time. */
const WARMS_MS = 1_800_000;
/** Two hosts alone are hot at once by chance where they are not as near. */
const TWO_MS = 120_000;
/** Of three and more. */
const SEVERAL_MS = 900_000;

const UNIT: ReadonlySet<Kind> = new Set<Kind>(['cooling.flow_low', 'cooling.leak']);
const INLET: Kind = 'cooling.inlet_overtemp';
const HOT: ReadonlySet<Kind> = new Set<Kind>(['host.overtemp', 'gpu.thermal_throttle', 'gpu.overtemp', 'gpu.hw_slowdown', 'gpu.heating', 'cpu.thermal_throttle', 'nic.overtemp', 'nic.module_overtemp']); // biome-ignore format: one list

/** Groups of incidents of several hosts that one cooling unit, or the air of one aisle, is behind. */
export function ofOneAir(incidents: readonly Incident[]): Group[] {
  const warm = incidents.filter((one) => isRooted(one) && (isAir(one.root.kind) || HOT.has(one.root.kind)));
  return runsWithin(warm, WARMS_MS).flatMap((run) => {
    const lead = run.find(({ root }) => UNIT.has(root.kind)) ?? run.find(({ root }) => root.kind === INLET);
    const all = lead === undefined ? run : withinOf(run, lead);
    if (new Set(all.map(placeOf)).size < 2) return [];
    if (lead !== undefined) return [{ lead, others: all.filter((one) => one !== lead) }];
    return hotTogether(all);
  });
}

/** What got hot before the cause, as its log is stamped, did not do so by it; BMCs and cooling units have clocks of their own. */
function withinOf(run: readonly Incident[], lead: Incident): readonly Incident[] {
  return run.filter(({ openedMs }) => openedMs >= lead.openedMs - TWO_MS * 5);
}

/** Without any word of the air. */
function hotTogether(run: readonly Incident[]): Group[] {
  return runsWithin(run, SEVERAL_MS).flatMap((near) => {
    const [first, ...others] = near;
    const last = near.at(-1);
    if (first === undefined || last === undefined) return [];
    const hosts = new Set(near.map(placeOf)).size;
    const apartMs = last.openedMs - first.openedMs;
    return (hosts > 2 && apartMs <= SEVERAL_MS) || (hosts === 2 && apartMs <= TWO_MS) ? [{ lead: first, others }] : [];
  });
}

function isAir(kind: Kind): boolean {
  return UNIT.has(kind) || kind === INLET;
}

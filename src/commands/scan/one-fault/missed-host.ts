// Missed host: a scheduler, or Kubernetes, calls a host down minutes after its kernel stopped, and its jobs failed for it: both are of what stopped it.

import type { Incident } from '../../../model/incident.ts';
import type { Kind } from '../../../model/kind.ts';
import { type Group, isRooted, placeOf, rootOf } from './groups.ts';

/** SlurmdTimeout is five minutes, and a node is asked twice; a node's grace in Kubernetes is shorter. */
const MISSED_MS = 900_000;
const CLOCKS_MS = 60_000;
/** After which no program of the host runs. */
const STOPS: ReadonlySet<Kind> = new Set<Kind>(['host.panic', 'host.kernel_oops', 'memory.ue', 'cpu.machine_check']);
const MISSED: ReadonlySet<Kind> = new Set<Kind>(['host.down', 'host.not_ready', 'job.node_failed']);

/** Groups of what stopped a host, with what misses it, where one thing alone did. */
export function ofMissedHost(incidents: readonly Incident[]): Group[] {
  const groups = new Map<Incident, Incident[]>();
  for (const missed of incidents) {
    if (!MISSED.has(missed.root.kind) || missed.made !== undefined || missed.root.component?.type !== 'host') continue;
    // The kernel's own word of it does not come from outside.
    if (rootOf(missed)?.source === 'kernel-log') continue;
    const [lead, ...others] = incidents.filter((one) => one !== missed && stopped(one, missed));
    if (lead !== undefined && others.length === 0) groups.set(lead, [...(groups.get(lead) ?? []), missed]);
  }
  return [...groups].map(([lead, others]) => ({ lead, others }));
}

function stopped(fault: Incident, missed: Incident): boolean {
  if (!isRooted(fault) || placeOf(fault) !== placeOf(missed)) return false;
  const stop = fault.events.find(({ kind, state }) => STOPS.has(kind) && state !== 'clear');
  const isUp = fault.events.some(({ kind, timeMs }) => kind === 'host.rebooted' && timeMs < missed.openedMs);
  const afterMs = stop === undefined ? -1 : missed.openedMs - stop.timeMs;
  return stop !== undefined && !isUp && afterMs >= -CLOCKS_MS && afterMs <= MISSED_MS;
}

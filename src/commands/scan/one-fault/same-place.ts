// Same place: what the log of a scheduler, of a cluster or of its storage says of a host is of that host's own fault, which its own log has:
// as the cause graph has it, of one host.

import { causesOf } from '../../../correlation/graph/cause-graph.ts';
import type { Incident } from '../../../model/incident.ts';
import type { Kind } from '../../../model/kind.ts';
import { logOfHost } from '../../../model/unnamed-host.ts';
import { type Group, isRooted, placeOf, shortOf } from './groups.ts';

/** What clocks of two machines leave open. */
const CLOCKS_MS = 60_000;

/** A node that runs short ends pod after pod; an event's line names the pod alone. */
const EVICTS_MS = 900_000;

/** Groups of what is said elsewhere of the host of a fault, each led by the fault. */
export function ofSamePlace(incidents: readonly Incident[]): Group[] {
  const groups = new Map<Incident, Incident[]>();
  const gone = new Set<Incident>();
  for (const one of [...incidents].sort((a, b) => a.openedMs - b.openedMs)) {
    if (one.root.component?.type !== 'host' || one.made !== undefined) continue;
    const [lead] = incidents.filter((other) => other !== one && !gone.has(other) && isBehind(other, one));
    if (lead === undefined || groups.has(one)) continue;
    gone.add(one);
    groups.set(lead, [...(groups.get(lead) ?? []), one]);
  }
  return [...groups].map(([lead, others]) => ({ lead, others }));
}

function isBehind(fault: Incident, said: Incident): boolean {
  if (!isRooted(fault)) return false;
  if (fault.host !== said.host && placeOf(fault) === placeOf(said))
    return isCause(fault.root.kind, fault.openedMs, said);
  // What a fault of another host did there: a client that waits for its server.
  return fault.events.some(
    ({ kind, component, state, timeMs }) =>
      component?.type === 'host' &&
      shortOf(component.id) === placeOf(said) &&
      component.id !== said.host &&
      placeOf(fault) !== placeOf(said) &&
      state !== 'clear' &&
      isCause(kind, timeMs, said),
  );
}

function isCause(kind: Kind, timeMs: number, said: Incident): boolean {
  const lagMs = said.openedMs - timeMs;
  return (causesOf(said.root.kind).get(kind) ?? []).some(
    ({ relation, lagMaxMs, effectLateMs }) =>
      relation === 'same_host' && lagMs >= -CLOCKS_MS && lagMs <= lagMaxMs + effectLateMs + CLOCKS_MS,
  );
}

/** Groups of what a log says of a host that it does not name, with the only host of which another says the same kind of thing within a minute. */
export function ofUnnamedPlace(incidents: readonly Incident[]): Group[] {
  const rooted = incidents.filter((one) => isRooted(one) && one.root.component?.type === 'host');
  const groups = new Map<Incident, Incident[]>();
  for (const one of rooted) {
    if (!isUnnamed(one)) continue;
    const [lead, ...others] = rooted.filter(
      (other) =>
        other.root.kind === one.root.kind &&
        !isUnnamed(other) &&
        Math.abs(other.openedMs - one.openedMs) <= (one.root.kind === 'host.pressure' ? EVICTS_MS : CLOCKS_MS),
    );
    if (lead !== undefined && others.length === 0) groups.set(lead, [...(groups.get(lead) ?? []), one]);
  }
  return [...groups].map(([lead, others]) => ({ lead, others }));
}

function isUnnamed({ root: { component } }: Incident): boolean {
  return component?.type === 'host' && logOfHost(component.id) !== null;
}
